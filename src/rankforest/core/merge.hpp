// LeafRank's last step (2011 paper, section 3.2): concavify the leaves of the inner tree and take the
// prefix that maximises beta - alpha. It is optimal among all unions of the leaves.
#pragma once
#include <cstdint>
#include <vector>

#include "split.hpp"

namespace rankforest {

struct Merge {
    std::vector<int> order;  // leaves, best first
    int n_left = 0;          // the first n_left leaves form the left child; 0: no union has a positive gain
    double gain = 0.0;       // beta - alpha of the left child, in shares of the cell
};

// masses: (negatives, positives) of each leaf. Both children must keep min_count rows. With `at_cell_odds` the left
// child is the set of all leaves with greater odds than the cell, or empty. That is the same union unless min_count
// forbids it. But then the side of a leaf does not depend on the other leaves, which monotonic constraints need.
inline Merge merge_leaves(const std::vector<double>& masses, const std::vector<double>& counts, double min_count,
                          bool at_cell_odds = false) {
    Merge merge;
    double total[2] = {0.0, 0.0}, total_count = 0.0;
    for (std::size_t leaf = 0; leaf < counts.size(); ++leaf) {
        merge.order.push_back(static_cast<int>(leaf));
        total[0] += masses[2 * leaf];
        total[1] += masses[2 * leaf + 1];
        total_count += counts[leaf];
    }
    if (total[0] <= 0.0 || total[1] <= 0.0) return merge;
    concavify(merge.order, [&](int leaf, int k) { return masses[2 * leaf + k]; });
    double left[2] = {0.0, 0.0}, count = 0.0;
    // beta - alpha, times the common denominator: a leaf with the odds of the cell adds exactly 0 and stays on the
    // right
    double best = least_gain * total[0] * total[1];
    for (std::size_t i = 0; i + 1 < merge.order.size(); ++i) {
        const int leaf = merge.order[i];
        left[0] += masses[2 * leaf];
        left[1] += masses[2 * leaf + 1];
        count += counts[leaf];
        const double gain = left[1] * total[0] - left[0] * total[1];
        if (gain <= best || count < min_count || total_count - count < min_count) continue;
        if (at_cell_odds &&
            (odds(&masses[2 * leaf]) <= odds(total) || odds(&masses[2 * merge.order[i + 1]]) > odds(total)))
            continue;
        best = gain;
        merge.gain = gain / (total[0] * total[1]);
        merge.n_left = static_cast<int>(i) + 1;
    }
    return merge;
}

}  // namespace rankforest
