// Copies of the codes of a table in other orders, made once for all boosters.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "joint_columns.hpp"
#include "table.hpp"

namespace rankforest {

// by_column: the codes feature after feature. A split reads one feature of every row: if the table is larger than the
// cache, reading a column takes a fraction of the memory traffic of reading rows. A table that is too large to be
// copied (cell_bytes) has none. joint: see there. Both may be absent.
struct CodeLayouts {
    std::unique_ptr<JointColumns> joint;
    std::vector<std::uint8_t> by_column;

    explicit CodeLayouts(const BinnedTable& table) : joint(JointColumns::of(table)) {
        const std::int64_t row_bytes = static_cast<std::int64_t>(table.n_features) * table.code_bytes;
        if (row_bytes * table.n_rows <= least_bytes || table.n_features == 1 || table.cell_bytes > 0) return;
        by_column.resize(row_bytes * table.n_rows);
        if (table.code_bytes == 1) transpose<std::uint8_t>(table);
        else transpose<std::uint16_t>(table);
    }

private:
    static constexpr std::int64_t least_bytes = 1 << 19;

    template <class Code>
    void transpose(const BinnedTable& table) {
        constexpr std::int64_t block = 256;  // rows that stay in the cache while their columns are written
        const auto* codes = static_cast<const Code*>(table.codes);
        const std::int64_t n = table.n_rows, q = table.n_features;
        for (std::int64_t first = 0; first < n; first += block) {
            const std::int64_t last = std::min(first + block, n);
            for (std::int64_t j = 0; j < q; ++j) {
                Code* column = reinterpret_cast<Code*>(by_column.data()) + j * n;
                for (std::int64_t i = first; i < last; ++i) column[i] = codes[i * q + j];
            }
        }
    }
};

}  // namespace rankforest
