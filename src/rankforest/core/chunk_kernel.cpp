// Compiled once per instruction set with a byte shuffle; like the scan, it includes only always-inlined code.
#include <immintrin.h>

#include "chunk.hpp"
#include "vector.hpp"

namespace rankforest::RANKFOREST_ISA {
namespace {

RANKFOREST_INLINE __m128i load16(const std::uint8_t* from) {
    return _mm_load_si128(reinterpret_cast<const __m128i*>(from));
}

// Bit h: whether the row would go right at node h. Missing values are only checked if there are any.
template <int n_column_groups, bool any_missing>
RANKFOREST_INLINE std::uint32_t sides(const Chunk& chunk, const CodedRow& row) {
    const __m128i column = load16(chunk.column), code = load16(chunk.code);
#ifdef __AVX512VBMI__
    // only the lower six bits of a column are used
    const __m128i x =
        _mm512_castsi512_si128(_mm512_permutexvar_epi8(_mm512_castsi128_si512(column), _mm512_load_si512(row.code)));
    const std::uint32_t larger = _mm_cmpgt_epu8_mask(x, code);
    return any_missing ? larger | _mm_mask_testn_epi8_mask(_mm_movepi8_mask(column), x, x) : larger;
#else
    // a shuffle uses four bits, and gives 0 if the highest bit is set, as it is for columns of other groups
    const __m128i plain = _mm_and_si128(column, _mm_set1_epi8(0x7f));
    __m128i x = _mm_setzero_si128();
    for (int g = 0; g < n_column_groups; ++g) {
        const __m128i place =
            _mm_adds_epu8(_mm_sub_epi8(plain, _mm_set1_epi8(static_cast<char>(16 * g))), _mm_set1_epi8(0x70));
        x = _mm_or_si128(x, _mm_shuffle_epi8(load16(row.code + 16 * g), place));
    }
    const __m128i left = _mm_cmpeq_epi8(_mm_max_epu8(x, code), code);
    const auto larger = ~static_cast<std::uint32_t>(_mm_movemask_epi8(left));
    return any_missing ? larger | static_cast<std::uint32_t>(
                                      _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(x, _mm_setzero_si128()), column)))
                       : larger;
#endif
}

template <int n_column_groups, bool any_missing>
RANKFOREST_INLINE void walk_rows(const Chunk* chunks, const CodedRow* rows, std::int64_t n_rows, std::int32_t* label) {
    for (std::int64_t begin = 0; begin < n_rows; begin += row_group) {
        std::uint32_t at[row_group] = {};
        for (std::uint32_t all = 0; !(all & Chunk::arrived);) {
            all = Chunk::arrived;
#pragma GCC unroll 8
            for (int i = 0; i < row_group; ++i) {
                if (at[i] & Chunk::arrived) continue;
                const Chunk& chunk = chunks[at[i]];
                const std::uint32_t right = sides<n_column_groups, any_missing>(chunk, rows[begin + i]);
                std::uint32_t h = 1;
                for (int level = 0; level < Chunk::levels; ++level) h = 2 * h + ((right >> h) & 1);
                at[i] = chunk.exit[h - Chunk::size];
                all &= at[i];
            }
        }
        for (int i = 0; i < row_group; ++i)
            label[begin + i] = static_cast<std::int32_t>(at[i] & ~std::uint32_t{Chunk::arrived});
    }
}

template <bool any_missing>
RANKFOREST_INLINE void walk_groups(const Chunk* chunks, const CodedRow* rows, std::int64_t n_rows, int n_column_groups,
                                   std::int32_t* label) {
    switch (n_column_groups) {
        case 1: return walk_rows<1, any_missing>(chunks, rows, n_rows, label);
        case 2: return walk_rows<2, any_missing>(chunks, rows, n_rows, label);
        case 3: return walk_rows<3, any_missing>(chunks, rows, n_rows, label);
        default: return walk_rows<4, any_missing>(chunks, rows, n_rows, label);
    }
}

void walk(const Chunk* chunks, const CodedRow* rows, std::int64_t n_rows, int n_column_groups, bool any_missing,
          std::int32_t* label) {
    if (any_missing) walk_groups<true>(chunks, rows, n_rows, n_column_groups, label);
    else walk_groups<false>(chunks, rows, n_rows, n_column_groups, label);
}

}  // namespace

extern const ChunkWalk walk_chunks;
const ChunkWalk walk_chunks = walk;

}  // namespace rankforest::RANKFOREST_ISA
