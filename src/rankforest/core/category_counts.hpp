// Counts of both classes for every category of the categorical features of a node, in one pass over its rows.
#pragma once
#include <cstdint>
#include <vector>

#include "rows.hpp"
#include "table.hpp"

namespace rankforest {

class CategoryCounts {
public:
    // Counts the rows of a node by the categories of those of the features that are categorical.
    template <class Code>
    void count(const RowStore<Code, CountTag>& rows, const Segment& segment, const std::vector<int>& features,
               const BinnedTable& table) {
        columns_.clear();
        std::size_t n_cells = 0;
        for (const int feature : features) {
            if (!table.categorical[feature]) continue;
            columns_.push_back({feature, n_cells});
            n_cells += static_cast<std::size_t>(table.n_bins[feature]) + 1;
        }
        cells_.assign(n_cells, 0);
        next_ = 0;
        if (columns_.empty()) return;
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const auto* codes = reinterpret_cast<const Code*>(row);
            const std::uint64_t tag = rows.tag(row).increment, word = (tag & 0xffff) | (tag >> 16) << 32;
            for (const Column& column : columns_) cells_[column.first + codes[column.feature]] += word;
        }
    }

    // The counts of the next categorical feature, in the order in which they were given: negatives in the lower half of
    // a word, positives in the upper, code after code.
    const std::uint64_t* next() { return cells_.data() + columns_[next_++].first; }

private:
    struct Column {
        int feature;
        std::size_t first;  // cell of code 0
    };
    std::vector<Column> columns_;
    std::vector<std::uint64_t> cells_;
    std::size_t next_ = 0;
};

}  // namespace rankforest
