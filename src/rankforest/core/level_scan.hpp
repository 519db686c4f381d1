// Vectorised gains of cuts that all nodes of a level share, for symmetric trees.
#pragma once
#include <cstdint>

namespace rankforest {

// Adds the gain of one node at every cut of four numeric features to `gain`; call once per node of the level. Gains are
// those of newton_gain(), without the term of the whole node. An empty side counts as a side without gradient.
struct LevelScan {
    static constexpr int lanes = 4;
    // lane of the gain of each of the four features: the order in which their cells are unpacked
    static constexpr int lane_of[lanes] = {0, 2, 1, 3};

    const std::int64_t* cells;  // [code][4 features]: gradient, then hessian and count in one word
    int n_bins, count_bits;     // bins of the feature with most of them
    bool missing_left;          // the side of code 0
    double gradient, hessian;   // of the node
    double l2;                  // above 0, in units of the hessian
    double* gain;               // [cut - 1][4 lanes]
};

void add_gains(const LevelScan& scan);

}  // namespace rankforest
