// The pair version of the out-of-bag AUC: a pair is ranked by the trees that have seen neither of its rows.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace rankforest {

// For each pair of rows: 1 when the first has the larger sum over the trees that are out of bag for both, 1/2 when the sums
// are equal, 0 when it is smaller, NaN when there is no such tree. scores, out_of_bag: row after row, one entry per tree.
inline std::vector<double> out_of_bag_pairs(const double* scores, const std::uint8_t* out_of_bag, std::int64_t n_trees, const std::int64_t* first,
                                            const std::int64_t* second, std::int64_t n_pairs, int n_threads, const SignalCheck& signalled) {
    constexpr std::int64_t at_once = 4096;
    std::vector<double> won(n_pairs);
    StopFlag stop;
    parallel_for((n_pairs + at_once - 1) / at_once, n_threads, stop, signalled, [&](std::int64_t block, int) {
        for (std::int64_t p = block * at_once; p < std::min(n_pairs, (block + 1) * at_once); ++p) {
            const double *a = scores + first[p] * n_trees, *b = scores + second[p] * n_trees;
            const std::uint8_t *of_a = out_of_bag + first[p] * n_trees, *of_b = out_of_bag + second[p] * n_trees;
            double difference = 0.0, size = 0.0;
            std::int64_t trees = 0;
            for (std::int64_t t = 0; t < n_trees; ++t) {
                const int both = of_a[t] & of_b[t];
                difference += both ? a[t] - b[t] : 0.0;
                size += both ? std::abs(a[t]) : 0.0;
                trees += both;
            }
            const bool equal = std::abs(difference) <= 1e-12 * size;  // sums of the same numbers in another order
            won[p] = trees == 0 ? std::nan("") : equal ? 0.5 : difference > 0.0 ? 1.0 : 0.0;
        }
    });
    return won;
}

}  // namespace rankforest
