// Exact Shapley values of a sum of trees, for pairs of rows. The game of a pair (x, z): v(S) is the score of the row
// that has the values of x in the features S and those of z in all others.
#pragma once
#include <cstdint>

#include "row_blocks.hpp"
#include "tree_sum.hpp"

namespace rankforest {

// The rows z that every x is compared with.
struct Background {
    const double* values;  // row after row
    std::int64_t n;
    const double* weight;       // of each row z
    const double* pair_weight;  // or of each pair, row x after row x; then `weight` is not read
};

// Adds up, over the rows z, weight * (Shapley values of the pair): n_features numbers for each row of X. `values` is 0
// at first. With `interactions`, n_features * n_features numbers for each row: half of the Shapley interaction index of
// two features outside of the diagonal, and on it what is left, so that each line sums to the Shapley value of its
// feature.
void shapley_values(const TreeSum& trees, const RawRows& X, const Background& background, bool interactions,
                    double* values);

}  // namespace rankforest
