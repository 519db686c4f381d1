// The door to growth: one tree or many, on counts or on weights.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "interrupt.hpp"
#include "master_tree.hpp"
#include "sampling.hpp"
#include "table.hpp"

namespace rankforest {

// labels: 0 or 1 per row; weights: fixed-point masses per row or null (each row counts one); unit: weight of one mass
// unit. Tree b uses the random key (seed, first_tree + b); root_key, when given, is the key of the root cell itself, so
// that a cell of a tree can be split on its own. Threads share the trees when there are several, the cells
// of the tree when there is one.
std::vector<FlatTree> grow_trees(const BinnedTable& table, const std::uint8_t* labels, const std::int64_t* weights,
                                 double unit, const MasterParams& params, const Sampling& sampling, int n_trees,
                                 int first_tree, int n_threads, const SignalCheck& signalled,
                                 const std::function<void(int)>& finished,
                                 std::optional<std::uint64_t> root_key = std::nullopt);

}  // namespace rankforest
