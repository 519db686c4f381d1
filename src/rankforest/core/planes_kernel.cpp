// Compiled once per instruction set; like the scan, it includes only always-inlined code.
#include <cstddef>

#include "planes.hpp"
#include "vector.hpp"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace rankforest::RANKFOREST_ISA {
namespace {

constexpr int vector_bytes = 8 * RANKFOREST_WIDTH;
constexpr int large_group = RANKFOREST_WIDTH == 8 ? most_group : usual_group;  // at least four vectors
typedef std::uint8_t Bytes __attribute__((vector_size(vector_bytes)));

RANKFOREST_INLINE Bytes load_bytes(const std::uint8_t* from) {
    Bytes v;
    load(v, from);
    return v;
}

RANKFOREST_INLINE Bytes repeated(std::uint8_t value) { return Bytes{} + value; }

// Counts the cuts below a value in two steps: the segments that lie below it, for as many values at once as a vector
// holds, then the cuts of its own segment, as many at once.
void find(const CutSegments& segments, const double* values, int n, std::uint8_t* codes) {
    typedef VectorOf<RANKFOREST_WIDTH>::f64 Numbers;
    typedef VectorOf<RANKFOREST_WIDTH>::i64 Counts;
    constexpr int width = RANKFOREST_WIDTH, size = CutSegments::size;
    for (int begin = 0; begin < n; begin += width) {
        Numbers x;
        load(x, values + begin);
        Counts segment{};
        for (int k = 0; k < size - 1; ++k) segment -= segments.last[k] < x;  // a true comparison is -1
        for (int i = 0; i < width; ++i) {
            const double* const own = segments.cuts + size * segment[i];
            Counts below{};
            for (int j = 0; j < size; j += width) {
                Numbers cut;
                load(cut, own + j);
                below -= cut < x[i];
            }
            std::int64_t count = size * segment[i] + 1;
            for (int j = 0; j < width; ++j) count += below[j];
            codes[begin + i] = static_cast<std::uint8_t>(x[i] == x[i] ? count : 0);
        }
    }
}

// table[i] for every byte i below 16, and 0 for those from 128 on.
RANKFOREST_INLINE Bytes look_up(const std::uint8_t* table, Bytes i) {
#if defined(__AVX512BW__)
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return reinterpret_cast<Bytes>(
        _mm512_shuffle_epi8(_mm512_maskz_broadcast_i32x4(0xffff, sixteen), reinterpret_cast<__m512i>(i)));
#elif defined(__AVX2__)
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(table));
    return reinterpret_cast<Bytes>(
        _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(sixteen), reinterpret_cast<__m256i>(i)));
#else
    Bytes found;
    for (int b = 0; b < vector_bytes; ++b) found[b] = i[b] < 16 ? table[i[b]] : 0;
    return found;
#endif
}

template <int group_rows>
RANKFOREST_INLINE const SetTest* run_tests(const SetTest* test, const SetTest* end, const std::uint8_t* tables,
                                           std::uint8_t* planes) {
    while (test < end) {
        const SetTest* const first = test++;
        while (test[-1].more) ++test;
        const std::uint8_t* const bits = planes + first->bit * group_rows;
        std::uint8_t* const to = planes + first->to * group_rows;
#pragma GCC unroll 8
        for (int k = 0; k < group_rows; k += vector_bytes) {
            Bytes members = look_up(tables + first->table, load_bytes(planes + first->page * group_rows + k));
            for (const SetTest* page = first + 1; page < test; ++page)
                members |= look_up(tables + page->table, load_bytes(planes + page->page * group_rows + k));
            store(to + k, members & load_bytes(bits + k));
        }
    }
    return test;
}

template <int group_rows>
RANKFOREST_INLINE void choose_rows(const PlaneProgram& program, std::uint8_t* planes, std::uint8_t* work,
                                   std::uint8_t* chosen) {
    const SetTest* test = program.tests;
    const PlaneNode* node = program.nodes;
    const std::uint8_t* last = nullptr;
    for (std::uint32_t s = 0; s < program.n_steps; ++s) {
        test = run_tests<group_rows>(test, test + program.steps[s].n_tests, program.tables, planes);
        for (const PlaneNode* const end = node + program.steps[s].n_nodes; node < end; ++node) {
            const Bytes code = repeated(node->code);
            const std::uint8_t* const x = planes + node->plane * group_rows;
            const std::uint8_t *const left = work + node->left * vector_bytes, *const right =
                                                                                   work + node->right * vector_bytes;
            // a constant is the same for all rows
            const std::ptrdiff_t left_moves = -std::ptrdiff_t{node->left >= PlaneNode::n_bytes};
            const std::ptrdiff_t right_moves = -std::ptrdiff_t{node->right >= PlaneNode::n_bytes};
            std::uint8_t* const to = work + node->to * vector_bytes;
#pragma GCC unroll 8
            for (int k = 0; k < group_rows; k += vector_bytes)
                store(to + k, load_bytes(x + k) > code ? load_bytes(right + (k & right_moves))
                                                       : load_bytes(left + (k & left_moves)));
            last = to;
        }
    }
    for (int k = 0; k < group_rows; k += vector_bytes) store(chosen + k, load_bytes(last + k));
}

template <int group_rows>
RANKFOREST_INLINE void index_rows(const PlaneProgram& program, std::uint8_t* planes, std::uint8_t* indices) {
    run_tests<group_rows>(program.tests, program.tests + program.steps[0].n_tests, program.tables, planes);
    constexpr int n_vectors = group_rows / vector_bytes;
    Bytes index[n_vectors] = {};
    const PlaneNode* const end = program.nodes + program.steps[0].n_nodes;
    for (const PlaneNode* level = program.nodes; level < end; ++level) {
        const Bytes code = repeated(level->code);
        const std::uint8_t* const x = planes + level->plane * group_rows;
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; ++v)  // a true comparison is -1
            index[v] = index[v] + index[v] - reinterpret_cast<Bytes>(load_bytes(x + v * vector_bytes) > code);
    }
    for (int v = 0; v < n_vectors; ++v) store(indices + v * vector_bytes, index[v]);
}

void choose(const PlaneProgram& program, int group_rows, std::uint8_t* planes, std::uint8_t* work,
            std::uint8_t* chosen) {
    if (group_rows == small_group) choose_rows<small_group>(program, planes, work, chosen);
    else choose_rows<large_group>(program, planes, work, chosen);
}

void test(const SetTest* tests, const SetTest* end, const std::uint8_t* tables, int group_rows, std::uint8_t* planes) {
    if (group_rows == small_group) run_tests<small_group>(tests, end, tables, planes);
    else run_tests<large_group>(tests, end, tables, planes);
}

void index(const PlaneProgram& program, int group_rows, std::uint8_t* planes, std::uint8_t* indices) {
    if (group_rows == small_group) index_rows<small_group>(program, planes, indices);
    else index_rows<large_group>(program, planes, indices);
}

}  // namespace

extern const PlaneKernel plane_kernel;
const PlaneKernel plane_kernel = {vector_bytes, large_group, find, choose, test, index};

}  // namespace rankforest::RANKFOREST_ISA
