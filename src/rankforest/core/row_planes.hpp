// Codes of rows for the trees of a forest: each value becomes its position among the thresholds that any tree compares
// it with, in one byte. Codes have the order of the values, so every decision stays the same.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dag.hpp"
#include "planes.hpp"

namespace rankforest {

class RowPlanes {
public:
    explicit RowPlanes(const std::vector<std::shared_ptr<Dag>>& dags);

    // A value is above the threshold if its code in the plane is greater than `code`; missing values are on their side.
    struct Cut {
        std::uint32_t plane;
        std::uint8_t code;
    };
    Cut cut(const Dag::Node& node) const;

    // The categories that go right at a node: a bit for each of them, in whole pages (see SetTest).
    struct Set {
        std::int32_t feature, n_codes;
        std::string members;
        bool operator==(const Set&) const = default;
    };
    static Set set_of(const Dag& dag, std::int32_t node);
    // The plane of a set that many nodes test: above 0 if the category of the row goes right. 0: there is none.
    std::uint32_t plane_of(const Set& set) const {
        const auto found = shared_.find(set);
        return found == shared_.end() ? 0 : found->second;
    }
    // Adds the tests of a set, whose result goes to a plane, and their tables; returns the number of tests.
    std::uint32_t add_tests(const Set& set, std::uint32_t to, std::vector<SetTest>& tests,
                            std::vector<std::uint8_t>& tables) const;

    std::size_t size() const { return n_planes_; }
    std::size_t n_of_values() const { return n_planes_ - scratch_planes - shared_.size(); }
    // Codes of n <= group_rows rows; X row-major. What rows beyond n get is of no importance.
    void code(const PlaneKernel& kernel, const double* X, std::int64_t n, std::int64_t n_features, int group_rows,
              std::uint8_t* planes) const;

private:
    // Planes of a categorical feature: the bits, and the first of n_pages.
    struct Pages {
        std::uint32_t bit, first, n_pages;
    };
    struct Hash {
        std::size_t operator()(const Set& set) const {
            return std::hash<std::string>()(set.members) ^ static_cast<std::size_t>(set.feature);
        }
    };
    void share_sets(const std::vector<std::shared_ptr<Dag>>& dags);

    // A byte has room for 254 thresholds; more are divided into parts, each of which has its own planes: one if
    // missing values go left somewhere, and one if they go right.
    struct Part {
        std::array<std::uint32_t, 2> planes;  // missing values go left, right; 0: there is none
        CutSegments segments;
    };
    struct Numeric {
        std::vector<double> cuts;
        std::vector<Part> parts;
    };
    static std::pair<std::int64_t, std::uint8_t> part_of(const Numeric& numeric, double threshold);

    std::map<std::int32_t, Numeric> numeric_;                             // by feature
    std::map<std::pair<std::int32_t, std::int32_t>, Pages> categorical_;  // by feature and number of codes
    std::unordered_map<Set, std::uint32_t, Hash> shared_;                 // planes of sets
    std::vector<SetTest> tests_;                                          // of the shared sets
    std::vector<std::uint8_t> tables_;
    std::uint32_t n_planes_ = scratch_planes;
};

}  // namespace rankforest
