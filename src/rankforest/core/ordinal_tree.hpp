// Trees of ordered labels: one axis-parallel tree per sample, grown by the grower of LeafRank's inner trees with a
// criterion that knows the order of the labels.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "interrupt.hpp"
#include "sampling.hpp"
#include "table.hpp"

namespace rankforest {

// Nodes in preorder, so that children come after parents. Child >= 0 is a node, child < 0 is the leaf ~child; leaves
// are numbered from left to right.
struct OrdinalTree {
    std::vector<std::int32_t> feature, left, right, set_offset;
    std::vector<double> threshold, node_gain, node_count;  // gain: in units of the whole sample
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;            // categorical: bit c of the node's words is "code c goes left"
    std::vector<double> leaf_mass, leaf_count;  // mass: leaf after leaf, label after label
};

// labels: 0 .. n_levels-1 per row, n_levels = params.levels.size(); weights: fixed-point masses or null; unit: weight
// of one mass unit. Tree b draws with the key (seed, first_tree + b), so the trees do not depend on the number of
// threads.
std::vector<OrdinalTree> grow_ordinal_trees(const BinnedTable& table, const std::uint8_t* labels,
                                            const std::int64_t* weights, double unit, const InnerParams& params,
                                            std::uint64_t seed, const Sampling& sampling, int n_trees, int first_tree,
                                            int n_threads, const SignalCheck& signalled,
                                            const std::function<void(int)>& finished);

}  // namespace rankforest
