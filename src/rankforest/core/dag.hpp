// Scoring: many rows walk down many decision DAGs on raw values.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "interrupt.hpp"

namespace rankforest {

struct DagArrays {
    std::int64_t n_nodes, n_terminals, n_sets;
    const std::int32_t *feature, *left, *right, *set_offset;
    const double* threshold;
    const std::uint8_t* missing_left;
    const std::uint64_t* sets;
};

// A checked copy in the form the walk likes: 32 bytes per node, terminals are nodes that lead to themselves.
class Dag {
public:
    // n_codes[j]: number of codes (categories + missing) of feature j, 0 for a numeric one.
    Dag(const DagArrays& arrays, const std::vector<std::int32_t>& n_codes);

    std::int64_t n_terminals() const { return n_terminals_; }
    int n_features() const { return n_features_; }

    // terminal of each of n rows; X row-major
    void walk(const double* X, std::int64_t n, std::int32_t* terminal) const;

private:
    struct Node {
        double threshold;
        std::int32_t left, right;
        std::int32_t feature;
        std::int32_t missing_left;
        std::int32_t set_offset;  // -1: numeric
        std::int32_t n_codes;
    };
    template <bool categorical>
    void walk_rows(const double* X, std::int64_t n, std::int32_t* terminal) const;

    std::vector<Node> nodes_;
    std::vector<std::uint64_t> sets_;
    std::int64_t n_terminals_, n_inner_;
    int n_features_;
    bool categorical_ = false;
};

}  // namespace rankforest
