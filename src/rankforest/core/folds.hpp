// Folds with equal shares of both classes: those of stratified_folds() in data/folds.py.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "numpy_random.hpp"

namespace rankforest {

// fold[i] of row i, whose class is label_of(i). Every class needs at least n_folds rows.
template <class LabelOf>
std::vector<std::int32_t> stratified_folds(std::int64_t n_rows, const LabelOf& label_of, int n_folds,
                                           std::uint64_t seed) {
    NumpyGenerator random(seed);
    std::vector<std::int32_t> fold(n_rows), rows;
    for (const int k : {0, 1}) {
        rows.clear();
        for (std::int64_t i = 0; i < n_rows; ++i)
            if (label_of(i) == k) rows.push_back(static_cast<std::int32_t>(i));
        random.shuffle(rows);
        int next = 0;
        for (const std::int32_t row : rows) {
            fold[row] = next;
            if (++next == n_folds) next = 0;
        }
    }
    return fold;
}

}  // namespace rankforest
