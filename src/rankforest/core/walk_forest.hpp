// Rows walk down the trees of a forest, block by block.
#pragma once
#include <cstdint>

#include "forest.hpp"
#include "row_blocks.hpp"

namespace rankforest {

// All rows walk down trees first .. last - 1: task(tree, begin, end, labels of rows begin to end).
template <class Task>
void walk_forest(const Forest& forest, const RawRows& X, std::int64_t first, std::int64_t last, const Task& task) {
    if (first == last) return;
    const std::int64_t n = X.n, q = X.n_features;
    const CodedTrees* coded = forest.coded_for(n);
    constexpr Blocks coded_blocks{2048, false};  // their codes fill a part of the second cache
    const Blocks blocks = coded ? coded_blocks : blocks_for(q, forest.bytes(first, last));
    for_row_blocks(X, last - first, blocks, [&](std::int64_t begin, std::int64_t end) {
        std::int32_t labels[most_block_rows];
        const double* const values = X.row(begin);
        const CodedRows rows = coded ? coded->code(values, end - begin, q) : CodedRows{};
        for (std::int64_t t = first; t < last; ++t) {
            if (coded) coded->walk(t, rows, labels);
            else forest[t].walk(values, end - begin, labels);
            task(t, begin, end, labels);
        }
    });
}

}  // namespace rankforest
