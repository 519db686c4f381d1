// Pairwise preferences: how often each item is ranked before each other one, and quantities computed from the counts.
#pragma once
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace rankforest {

// Some rankings of the same items.
struct Profile {
    const double* values;  // [n_rankings][n_items], smaller is better
    std::int64_t n_rankings, n_items;
    const double* ranking_weight;  // one per ranking, or null: each counts 1
    const double* item_weight;     // one per item, or null: each counts 1
};

// before[k * n + l]: mass of the rankings that put k strictly before l.
void count_before(const Profile& profile, int n_threads, const SignalCheck& signalled, double* before);

// Gain of each order of a pair, times the weights of its two items: "k before l" gains margin = (before - after), "l
// before k" gains -margin, and a tie gains the mass `tied`. With V the mass of all rankings, the Kendall cost of a pair
// is (V - gain) / 2. Cell is int32 without weights and double with weights.
template <class Cell>
void pair_gains(const Profile& profile, int n_threads, const SignalCheck& signalled, Cell* margin, Cell* tied);

// The following functions need no matrix.

// For each item: mass of the items that it beats by majority, plus half the mass of the draws.
std::vector<double> copeland_scores(const Profile& profile, int n_threads, const SignalCheck& signalled);

struct PairTotals {
    double best_gain = 0.0;         // sum over pairs of the largest gain, ties allowed
    double best_strict_gain = 0.0;  // the same, ties not allowed
    double disagreement =
        0.0;  // over pairs of rankings and pairs of items: 1 if discordant, 1/2 if tied in exactly one
};

PairTotals pair_totals(const Profile& profile, int n_threads, const SignalCheck& signalled);

}  // namespace rankforest
