// Divides rows into cache-sized blocks and walks them down the trees on several threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "dag.hpp"
#include "interrupt.hpp"

namespace rankforest {

// Rows that are scored together. If all trees fit in the L2 cache, the values of a few rows stay in L1 while all trees
// are walked. Otherwise the values of many rows stay in L2, so that all of them use a tree once it is loaded.
constexpr std::int64_t most_block_rows = 4096;
struct Blocks {
    std::int64_t rows;
    bool small;
};
inline Blocks blocks_for(std::int64_t n_features, std::int64_t forest_bytes) {
    const bool small = forest_bytes <= std::int64_t{1} << 20;
    const std::int64_t values = small ? 1536 : 65536;
    return {std::clamp<std::int64_t>(values / n_features, 16, small ? 512 : most_block_rows) / 16 * 16, small};
}

inline std::int64_t bytes_of(const std::vector<const Dag*>& dags) {
    std::int64_t bytes = 0;
    for (const Dag* dag : dags) bytes += dag->bytes();
    return bytes;
}

// A matrix of raw values, row by row, and the threads that score it.
struct RawRows {
    const double* values;
    std::int64_t n, n_features;
    int n_threads;
    const SignalCheck& signalled;

    const double* row(std::int64_t i) const { return values + i * n_features; }
};

// Calls task(begin, end) for every block of rows.
template <class Task>
void for_row_blocks(const RawRows& X, std::int64_t n_trees, Blocks blocks_in, const Task& task) {
    const std::int64_t n = X.n;
    const auto [rows, small] = blocks_in;
    const std::int64_t n_blocks = (n + rows - 1) / rows;
    const auto blocks = [&, rows = rows, small = small](std::int64_t first, std::int64_t last) {
        for (std::int64_t b = first; b < last; ++b) {
            if (small) {  // prefetch the values of the next block
                const double* next = X.row(std::min(n, (b + 1) * rows));
                const double* const end = X.row(std::min(n, (b + 2) * rows));
                for (; next < end; next += 8) __builtin_prefetch(next, 0, 3);
            }
            task(b * rows, std::min(n, (b + 1) * rows));
        }
    };
    if (n * n_trees < 100'000) return blocks(0, n_blocks);  // takes a millisecond or two: starting threads does not pay
    StopFlag stop;
    const std::int64_t at_once = small ? 32 : 1;
    parallel_for((n_blocks + at_once - 1) / at_once, X.n_threads, stop, X.signalled,
                 [&](std::int64_t i, int) { blocks(i * at_once, std::min(n_blocks, (i + 1) * at_once)); });
}

}  // namespace rankforest
