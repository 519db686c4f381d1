// Trees of ordered labels, grown like LeafRank's inner trees but with a criterion that uses the order of the labels.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "far_tree.hpp"
#include "many_trees.hpp"
#include "table.hpp"

namespace rankforest {

// Nodes in preorder, so children come after parents. A child >= 0 is a node, a child < 0 is leaf ~child; leaves are
// numbered from left to right.
struct OrdinalTree {
    std::vector<std::int32_t> feature, left, right, set_offset;
    std::vector<double> threshold, node_gain, node_count;  // gain: in units of the whole sample
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;            // categorical: bit c of the node's words is "code c goes left"
    std::vector<double> leaf_mass, leaf_count;  // mass: leaf after leaf, label after label
};

// labels of the request: 0 .. n_levels - 1, n_levels = params.levels.size().
std::vector<OrdinalTree> grow_ordinal_trees(const GrowRequest& request, const InnerParams& params);

// A tree whose rows are in partitions, as in grow.hpp.
std::unique_ptr<FarTreeOf<OrdinalTree>> grow_far_ordinal(const BinnedTable& table, bool weighted, double unit,
                                                         const InnerParams& params, std::uint64_t key, double near);

}  // namespace rankforest
