// The sum of the values of many trees.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "forest.hpp"
#include "row_blocks.hpp"

namespace rankforest {

// A row's score is value[label of the row's terminal], summed over the trees in their order: the sum has the same bits
// whichever way the labels are found.
class TreeSum {
public:
    // The values of tree t are value[bounds[t]] to value[bounds[t + 1]], one per label.
    TreeSum(std::shared_ptr<const Forest> forest, std::vector<double> value, std::vector<std::int64_t> bounds);

    const Forest& forest() const { return *forest_; }
    const double* values(std::size_t tree) const { return value_.data() + bounds_[tree]; }  // one per label
    // Sums over trees first .. last - 1.
    void sum(const RawRows& X, std::int64_t first, std::int64_t last, double* sums) const;

private:
    void sum_row(const double* row, std::int64_t first, std::int64_t last, double& sum) const;
    void sum_coded(const CodedTrees& coded, CodedRows& rows, const double* X, std::int64_t n, std::int64_t first,
                   std::int64_t last, double* sums) const;

    std::shared_ptr<const Forest> forest_;
    std::vector<double> value_;
    std::vector<std::int64_t> bounds_;
};

}  // namespace rankforest
