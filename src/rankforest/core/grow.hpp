// Grows one or many ranking trees, on counts or on weights.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "flat_tree.hpp"
#include "many_trees.hpp"
#include "table.hpp"

namespace rankforest {

// labels of the request: 0 or 1. root_key, if given, replaces the key of the root cell, so that one cell of a tree can
// be split separately.
std::vector<FlatTree> grow_trees(const GrowRequest& request, const MasterParams& params,
                                 std::optional<std::uint64_t> root_key = std::nullopt);

}  // namespace rankforest
