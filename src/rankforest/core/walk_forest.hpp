// Rows walk down the trees of a forest, block by block.
#pragma once
#include <cstdint>
#include <optional>

#include "forest.hpp"
#include "row_blocks.hpp"

namespace rankforest {

constexpr Blocks coded_blocks{1024, false};  // their codes fill a part of the second cache

// Calls task(begin, end, coded rows) for every block of rows; without coded trees, the rows are not coded.
template <class Task>
void for_coded_blocks(const Forest& forest, const CodedTrees* coded, const RawRows& X, std::int64_t first,
                      std::int64_t last, const Task& task) {
    const Blocks blocks = coded ? coded_blocks : blocks_for(X.n_features, forest.bytes(first, last));
    for_row_blocks(X, last - first, blocks, [&](std::int64_t begin, std::int64_t end) {
        std::optional<CodedRows> rows;
        if (coded) rows.emplace(coded->code(X.row(begin), end - begin, X.n_features));
        task(begin, end, rows ? &*rows : nullptr);
    });
}

// All rows walk down trees first .. last - 1: task(tree, begin, end, labels of rows begin to end).
template <class Task>
void walk_forest(const Forest& forest, const RawRows& X, std::int64_t first, std::int64_t last, const Task& task) {
    if (first == last) return;
    const CodedTrees* coded = forest.coded_for(X.n, last - first);
    forest.count_rows(X.n);
    for_coded_blocks(forest, coded, X, first, last, [&](std::int64_t begin, std::int64_t end, CodedRows* rows) {
        std::int32_t labels[most_block_rows];
        for (std::int64_t t = first; t < last; ++t) {
            if (coded && coded->tree_pays(t, end - begin)) coded->walk(t, *rows, labels);
            else forest[t].walk(X.row(begin), end - begin, labels);
            task(t, begin, end, labels);
        }
    });
}

// Some of the rows walk down each tree. list(tree, begin, end, rows) writes those of begin .. end - 1, counted from
// begin and in their order, and returns their number; then task(tree, begin, number, rows, labels of these rows).
template <class List, class Task>
void walk_listed(const Forest& forest, const RawRows& X, const List& list, const Task& task) {
    const auto n_trees = static_cast<std::int64_t>(forest.size());
    const CodedTrees* coded = forest.coded_for(X.n, n_trees);
    forest.count_rows(X.n);
    for_coded_blocks(forest, coded, X, 0, n_trees, [&](std::int64_t begin, std::int64_t end, CodedRows* coded_rows) {
        std::int32_t rows[most_block_rows], labels[most_block_rows];
        const std::int64_t n_groups = (end - begin + usual_group - 1) / usual_group;
        for (std::int64_t t = 0; t < n_trees; ++t) {
            const std::int64_t n = list(t, begin, end, rows);
            if (n == 0) continue;
            if (coded && coded->tree_pays(t, n / n_groups)) {  // all rows are evaluated, and the others left out
                coded->walk(t, *coded_rows, labels);
                for (std::int64_t i = 0; i < n; ++i) labels[i] = labels[rows[i]];
            } else {
                forest[t].walk_some(X.row(begin), rows, n, labels);
            }
            task(t, begin, n, rows, labels);
        }
    });
}

}  // namespace rankforest
