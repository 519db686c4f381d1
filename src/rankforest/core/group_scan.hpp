// Vectorised gains of all cuts of four numeric features by gradients: the four features whose cells lie side by side in
// a GradientHistogram.
#pragma once
#include <cstdint>

namespace rankforest {

struct FeatureGroup {
    static constexpr int lanes = 4;
    // lane of each of the four features: the order in which their cells are unpacked
    static constexpr int lane_of[lanes] = {0, 2, 1, 3};

    const std::int64_t* cells;  // [code][4 features]: gradient, then hessian and count in one word
    int n_bins, count_bits;     // bins of the feature with most of them
    bool missing_left;          // the side of code 0
    double gradient, hessian;   // of the node
    double l2;                  // in units of the hessian
};

// Adds the gains of one node to gain[cut - 1][4 lanes]: call once for each node of a level that shares its split. Gains
// are those of newton_gain(), without the term of the whole node. An empty side has no gradient; l2 must be above 0.
void add_gains(const FeatureGroup& group, double* gain);

// The best cut of each feature in one node.
struct BestCuts {
    double count;  // rows of the node
    double least_hessian, least_count;
    double gain[FeatureGroup::lanes];       // in: gain to beat; out: best gain
    std::int64_t cut[FeatureGroup::lanes];  // the first cut with the best gain; unchanged if no cut is better
};

void find_best_cuts(const FeatureGroup& group, BestCuts& best);

}  // namespace rankforest
