// Discordant and tied pairs of items of two rankings, in O(n log n) per pair of rankings, with ties and weights.
#pragma once
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace rankforest {

// A ranking, sorted once. Smaller values are better; equal values are tied.
struct SortedRanking {
    std::vector<std::int32_t> order;   // items from best to worst
    std::vector<std::int32_t> level;   // of each item: 0 for the best bucket, 1 for the next, ...
    std::vector<std::int32_t> bucket;  // start of each bucket in `order`; the last entry is the end
};

SortedRanking sort_ranking(const double* values, std::int64_t n);

// Masses of unordered pairs; a pair weighs the product of the weights of its items (1 without weights).
struct PairMasses {
    double discordant = 0.0;   // strictly ordered in both, in opposite ways
    double tied_first = 0.0;   // tied in the first ranking only
    double tied_second = 0.0;  // tied in the second ranking only
};

// weight: one per item, or null. Without weights all masses are whole numbers and exact.
PairMasses compare_rankings(const SortedRanking& first, const SortedRanking& second, const double* weight);

// distance[a * n_rankings + b] = discordant + penalty * (tied in exactly one), for all pairs of rankings.
void distance_matrix(const double* profile, std::int64_t n_rankings, std::int64_t n_items, const double* weight,
                     double penalty, int n_threads, const SignalCheck& signalled, double* distance);

}  // namespace rankforest
