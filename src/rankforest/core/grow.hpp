// Grows one or many ranking trees, on counts or on weights.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "far_tree.hpp"
#include "flat_tree.hpp"
#include "many_trees.hpp"
#include "table.hpp"

namespace rankforest {

// labels of the request: 0 or 1. root_key, if given, replaces the key of the root cell, so that one cell of a tree can
// be split separately.
std::vector<FlatTree> grow_trees(const GrowRequest& request, const MasterParams& params,
                                 std::optional<std::uint64_t> root_key = std::nullopt);

// A tree whose rows are in partitions, on weights or on counts. The table has bins but no rows; it and the parameters
// must outlive the tree. near: rows of a node are brought here if they are at most so many times as large as its
// histogram.
std::unique_ptr<FarTreeOf<FlatTree>> grow_far(const BinnedTable& table, bool weighted, double unit,
                                              const MasterParams& params, std::uint64_t root_key, double near);

}  // namespace rankforest
