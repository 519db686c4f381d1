// Kernels of the vectorised search for cuts. Compiled once per instruction set: RANKFOREST_ISA is its name and
// RANKFOREST_WIDTH its doubles per register. This file includes only always-inlined code. Otherwise the linker could
// pick a library function that was instantiated here for a wide instruction set, and machines without it would crash.
#include "scan.hpp"

#ifdef __AVX512F__
#include <immintrin.h>
#endif

namespace rankforest::RANKFOREST_ISA {
namespace {

constexpr int width = RANKFOREST_WIDTH;
constexpr int parts = lanes / width;
using V = VectorOf<width>;

RANKFOREST_INLINE void to_double(const V::i32& x, V::f64& out) {
#ifdef __AVX512F__
    out = (V::f64)_mm512_cvtepi32_pd((__m256i)x);  // the compiler would convert halves and join them
#else
    out = __builtin_convertvector(x, V::f64);
#endif
}

RANKFOREST_INLINE V::i64 within(const V::f64& left, double half, double reach) {
    const V::f64 distance = left - half;
    return (V::f64)((V::i64)distance & INT64_MAX) <= reach;  // without its sign bit
}

RANKFOREST_INLINE V::i64 allowed(const V::f64& left0, const V::f64& left1, const CutLimits& limits) {
    return within(left0 + left1, limits.half_count, limits.count_reach) &
           within(left0 * limits.weight0 + left1 * limits.weight1, limits.half_share, limits.share_reach);
}

template <class Cell>
struct Lanes;

// narrow cells: 16 bits per class
template <>
struct Lanes<std::uint32_t> {
    using Vector = V::u32;
    RANKFOREST_INLINE static void masses(const Vector& cells, V::f64& mass0, V::f64& mass1) {
        const Vector low = cells & 0xffffu, high = cells >> 16;
        to_double((V::i32)low, mass0);
        to_double((V::i32)high, mass1);
    }
    RANKFOREST_INLINE static void keep(const V::i64& mask, Vector& cells) {
        cells &= __builtin_convertvector(mask, Vector);
    }
};

// broad cells: 32 bits per class, placed in the mantissa of 2^52, because AVX2 cannot convert 64-bit integers
template <>
struct Lanes<std::uint64_t> {
    using Vector = V::u64;
    RANKFOREST_INLINE static void whole_to_double(Vector x, V::f64& out) {
        x |= 0x4330000000000000ULL;
        out = (V::f64)x - 4503599627370496.0;
    }
    RANKFOREST_INLINE static void masses(const Vector& cells, V::f64& mass0, V::f64& mass1) {
        whole_to_double(cells & 0xffffffffu, mass0);
        whole_to_double(cells >> 32, mass1);
    }
    RANKFOREST_INLINE static void keep(const V::i64& mask, Vector& cells) { cells &= (Vector)mask; }
};

template <bool joins, bool limited, class Cell, class Criterion>
RANKFOREST_INLINE void scan_bins(BlockScan<Cell>& s, const Criterion& criterion_in, const CutLimits& limits_in) {
    using Vector = typename Lanes<Cell>::Vector;
    const Criterion criterion = criterion_in;  // local copies: stores cannot change them
    const CutLimits limits = limits_in;
    Vector missing[parts], sum[parts];
    V::i64 join[parts], best_cut[parts];
    V::f64 best[parts], best_over[parts];  // the best gain so far is best / best_over
    for (int p = 0; p < parts; ++p) {
        load(missing[p], s.bins + p * width);
        load(join[p], s.joins_left + p * width);
        load(best[p], s.gain + p * width);
        load(best_cut[p], s.cut + p * width);
        best_over[p] = V::f64{} + 1.0;
        sum[p] = Vector{};
    }
    const Cell* cells = s.bins + lanes;
    for (std::int64_t bin = 1; bin <= s.n_bins; ++bin, cells += lanes) {
        for (int p = 0; p < parts; ++p) {
            Vector left;
            load(left, cells + p * width);
            sum[p] += left;
            left = sum[p];
            if (joins) {
                Vector joined = missing[p];
                Lanes<Cell>::keep(join[p] <= bin, joined);
                left += joined;
            }
            V::f64 left0, left1, gain, over;
            Lanes<Cell>::masses(left, left0, left1);
            criterion.gain(left0, left1, gain, over);
            // only this comparison depends on the previous cut
            if (limited) gain = allowed(left0, left1, limits) ? gain : V::f64{} - 1.0;
            const V::i64 better = gain * best_over[p] > best[p] * over;
            best[p] = better ? gain : best[p];
            best_over[p] = better ? over : best_over[p];
            best_cut[p] = better ? bin - V::i64{} : best_cut[p];
        }
    }
    for (int p = 0; p < parts; ++p) {
        store(s.gain + p * width, best[p] / best_over[p]);
        store(s.cut + p * width, best_cut[p]);
    }
}

template <class Cell, class Criterion>
RANKFOREST_INLINE void scan(BlockScan<Cell>& s, const Criterion& criterion, const CutLimits& limits) {
    bool joins = false;
    for (int lane = 0; lane < lanes; ++lane) joins |= s.joins_left[lane] <= s.n_bins;
    // an empty side has gain 0 anyway, so without limits no check is needed
    if (joins) scan_bins<true, true>(s, criterion, limits);
    else if (limits.none) scan_bins<false, false>(s, criterion, limits);
    else scan_bins<false, true>(s, criterion, limits);
}

constexpr int byte_width = width == 2 ? 16 : 32;
using U8 = BytesOf<byte_width>::u8;
constexpr int byte_parts = SmallScan::chunk / byte_width;

RANKFOREST_INLINE void widen(const std::uint8_t* from, std::int32_t* to) {
    for (int f = 0; f < SmallScan::chunk; ++f) to[f] = from[f];
}

// For each feature: weight of a class over the rows whose code is at most that of `row`.
RANKFOREST_INLINE void count_below(const SmallScan& s, int k, const std::uint8_t* row, std::int32_t* counts) {
    alignas(64) std::uint8_t bytes[SmallScan::chunk];
    for (int p = 0; p < byte_parts; ++p) {
        U8 here, other, sum = {};
        load(here, row + p * byte_width);
        for (int j = 0; j < s.n_members[k]; ++j) {
            load(other, s.members[k][j] + p * byte_width);
            sum -= (U8)(other <= here);  // a true comparison is -1
        }
        store(bytes + p * byte_width, sum);
    }
    widen(bytes, counts);
}

template <class Criterion>
RANKFOREST_INLINE void scan_rows(SmallScan& s, const Criterion& criterion_in, const CutLimits& limits_in) {
    constexpr int chunk = SmallScan::chunk;
    const Criterion criterion = criterion_in;
    const CutLimits limits = limits_in;
    const int n_features = (s.n_features + width - 1) / width * width;
    alignas(64) static constexpr std::uint8_t none[chunk] = {};
    alignas(64) std::int32_t missing[2][chunk], counts[2][chunk], codes[chunk];
    alignas(64) double over[2][chunk];
    int any = 0;
    for (int k = 0; k < 2; ++k) {
        count_below(s, k, none, missing[k]);  // code 0: missing values
        for (int f = 0; f < s.n_features; ++f) any |= missing[k][f];
    }
    s.any_missing = any != 0;
    for (int way = 0; way < 2; ++way)
        for (int f = 0; f < chunk; ++f) over[way][f] = 1.0;
    const auto compare = [&](int way, int f, const V::f64& left0, const V::f64& left1, const V::f64& cut)
                             __attribute__((always_inline)) {
                                 V::f64 gain, denominator, best, best_over, best_cut;
                                 load(best, s.gain[way] + f);
                                 load(best_over, over[way] + f);
                                 load(best_cut, s.cut[way] + f);
                                 criterion.gain(left0, left1, gain, denominator);
                                 const V::f64 here = gain * best_over, there = best * denominator;
                                 const V::i64 better = ((here > there) | ((here == there) & (cut < best_cut))) &
                                                       (cut >= 1.0) & allowed(left0, left1, limits);
                                 best = better ? gain : best;
                                 best_over = better ? denominator : best_over;
                                 best_cut = better ? cut : best_cut;
                                 store(s.gain[way] + f, best);
                                 store(over[way] + f, best_over);
                                 store(s.cut[way] + f, best_cut);
                             };
    for (int i = 0; i < s.n_rows; ++i) {
        count_below(s, 0, s.codes + i * chunk, counts[0]);
        count_below(s, 1, s.codes + i * chunk, counts[1]);
        widen(s.codes + i * chunk, codes);
        for (int f = 0; f < n_features; f += width) {
            V::i32 left0, left1, missing0, missing1, code;
            V::f64 below0, below1, cut;
            load(left0, counts[0] + f);
            load(left1, counts[1] + f);
            load(code, codes + f);
            to_double(code, cut);
            if (s.any_missing) {  // the counts include missing values (code 0)
                to_double(left0, below0);
                to_double(left1, below1);
                compare(1, f, below0, below1, cut);
                load(missing0, missing[0] + f);
                load(missing1, missing[1] + f);
                left0 -= missing0;
                left1 -= missing1;
            }
            to_double(left0, below0);
            to_double(left1, below1);
            compare(0, f, below0, below1, cut);
        }
    }
    for (int way = 0; way < 2; ++way)
        for (int f = 0; f < chunk; ++f) s.gain[way][f] /= over[way][f];
}

void subtract(std::uint32_t* from, const std::uint32_t* what, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) from[i] -= what[i];
}

void small_gini(SmallScan& s, const CostSensitiveGini& c, const CutLimits& l) { scan_rows(s, c, l); }
void small_auc(SmallScan& s, const AucGain& c, const CutLimits& l) { scan_rows(s, c, l); }

void narrow_gini(BlockScan<std::uint32_t>& s, const CostSensitiveGini& c, const CutLimits& l) { scan(s, c, l); }
void broad_gini(BlockScan<std::uint64_t>& s, const CostSensitiveGini& c, const CutLimits& l) { scan(s, c, l); }
void narrow_auc(BlockScan<std::uint32_t>& s, const AucGain& c, const CutLimits& l) { scan(s, c, l); }
void broad_auc(BlockScan<std::uint64_t>& s, const AucGain& c, const CutLimits& l) { scan(s, c, l); }

}  // namespace

extern const ScanTable table;
#define RANKFOREST_TEXT(x) #x
#define RANKFOREST_NAME(x) RANKFOREST_TEXT(x)
const ScanTable table = {RANKFOREST_NAME(RANKFOREST_ISA) + 4,  // without "isa_"
                         narrow_gini,
                         broad_gini,
                         narrow_auc,
                         broad_auc,
                         small_gini,
                         small_auc,
                         subtract};

}  // namespace rankforest::RANKFOREST_ISA
