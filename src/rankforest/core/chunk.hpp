// Chunks of four levels: the data that the walk of coded rows reads, and the walk for each instruction set.
#pragma once
#include <cstdint>

namespace rankforest {

// Codes of a row, one byte per column; columns are the features that the trees use. As in `encode`, 0 is missing.
struct alignas(64) CodedRow {
    static constexpr int most_columns = 64;
    std::uint8_t code[most_columns];
};

// The first four levels below a node, as a heap: the children of node h are 2h and 2h + 1, node 0 is not used. A row
// goes right where its code in the column is larger than that of the node.
struct alignas(64) Chunk {
    static constexpr int levels = 4, size = 1 << levels;
    static constexpr std::uint8_t missing_right = 0x80;  // added to the column
    static constexpr std::uint16_t arrived = 0x8000;     // flag of a label in place of a chunk
    std::uint8_t column[size], code[size];
    std::uint16_t exit[size];  // next chunk
};

// Label of each row; n_rows is a multiple of row_group. Columns beyond 16 * n_column_groups are not used, and the
// others have no code 0 unless any_missing.
constexpr int row_group = 8;
using ChunkWalk = void (*)(const Chunk* chunks, const CodedRow* rows, std::int64_t n_rows, int n_column_groups,
                           bool any_missing, std::int32_t* label);

}  // namespace rankforest
