// TreeRank's master trees with cells that are divided by held-out rows. Several trees grow at once, and the cells of
// all of them, and the folds of large cells, are shared between the threads.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "flat_tree.hpp"
#include "held_out_division.hpp"
#include "interrupt.hpp"
#include "table.hpp"

namespace rankforest {

// The rows of one tree: increasing numbers of rows of the table, and the mass of each, or none if each counts one. The
// parameters have the units of its masses.
struct HeldOutSample {
    std::vector<std::int32_t> rows;
    std::vector<std::int64_t> masses;
    double unit;
    MasterParams params;
};

std::vector<FlatTree> grow_held_out(const BinnedTable& table, const std::uint8_t* labels,
                                    std::vector<HeldOutSample>&& samples, const HeldOutParams& held_out,
                                    std::uint64_t root_key, int n_threads, const SignalCheck& signalled);

}  // namespace rankforest
