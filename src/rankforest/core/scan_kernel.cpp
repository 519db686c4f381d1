// Compiled once per instruction set, with RANKFOREST_ISA naming the set and RANKFOREST_WIDTH its doubles per register.
// It includes nothing but always-inlined code: a library function instantiated here for a wide set could otherwise
// be picked by the linker for a machine without it.
#include "scan.hpp"

namespace rankforest::RANKFOREST_ISA {
namespace {

constexpr int width = RANKFOREST_WIDTH;
constexpr int parts = lanes / width;
using V = VectorOf<width>;

template <class Cell>
struct Lanes;

// 16 bits per class
template <>
struct Lanes<std::uint32_t> {
    using Vector = V::u32;
    RANKFOREST_INLINE static void masses(const Vector& cells, V::f64& mass0, V::f64& mass1) {
        const Vector low = cells & 0xffffu, high = cells >> 16;
        mass0 = __builtin_convertvector((V::i32)low, V::f64);
        mass1 = __builtin_convertvector((V::i32)high, V::f64);
    }
    RANKFOREST_INLINE static void keep(const V::i64& mask, Vector& cells) { cells &= __builtin_convertvector(mask, Vector); }
};

// 32 bits per class, laid into the mantissa of 2^52: AVX2 has no conversion from 64-bit integers
template <>
struct Lanes<std::uint64_t> {
    using Vector = V::u64;
    RANKFOREST_INLINE static void to_double(Vector x, V::f64& out) {
        x |= 0x4330000000000000ULL;
        out = (V::f64)x - 4503599627370496.0;
    }
    RANKFOREST_INLINE static void masses(const Vector& cells, V::f64& mass0, V::f64& mass1) {
        to_double(cells & 0xffffffffu, mass0);
        to_double(cells >> 32, mass1);
    }
    RANKFOREST_INLINE static void keep(const V::i64& mask, Vector& cells) { cells &= (Vector)mask; }
};

template <class Cell, class Criterion>
RANKFOREST_INLINE void scan(BlockScan<Cell>& s, const Criterion& criterion_in, const CutLimits& limits_in) {
    using Vector = typename Lanes<Cell>::Vector;
    const Criterion criterion = criterion_in;  // copies: the compiler must know that stores do not change them
    const CutLimits limits = limits_in;
    Vector missing[parts], sum[parts];
    V::i64 join[parts], best_cut[parts];
    V::f64 best[parts];
    for (int p = 0; p < parts; ++p) {
        load(missing[p], s.bins + p * width);
        load(join[p], s.joins_left + p * width);
        load(best[p], s.gain + p * width);
        load(best_cut[p], s.cut + p * width);
        sum[p] = Vector{};
    }
    const Cell* cells = s.bins + lanes;
    for (std::int64_t bin = 1; bin <= s.n_bins; ++bin, cells += lanes) {
        for (int p = 0; p < parts; ++p) {
            Vector here, left = missing[p];
            load(here, cells + p * width);
            sum[p] += here;
            Lanes<Cell>::keep(join[p] <= bin, left);
            left += sum[p];
            V::f64 left0, left1, gain;
            Lanes<Cell>::masses(left, left0, left1);
            criterion.gain(left0, left1, gain);
            const V::f64 count = left0 + left1;
            const V::f64 share = left0 * limits.weight0 + left1 * limits.weight1;
            const V::i64 better = (gain > best[p]) & (count >= limits.min_count) & (limits.node_count - count >= limits.min_count) &
                                  (share >= limits.min_share) & (limits.node_share - share >= limits.min_share);
            best[p] = better ? gain : best[p];
            best_cut[p] = better ? bin - V::i64{} : best_cut[p];
        }
    }
    for (int p = 0; p < parts; ++p) {
        store(s.gain + p * width, best[p]);
        store(s.cut + p * width, best_cut[p]);
    }
}

void narrow_gini(BlockScan<std::uint32_t>& s, const CostSensitiveGini& c, const CutLimits& l) { scan(s, c, l); }
void broad_gini(BlockScan<std::uint64_t>& s, const CostSensitiveGini& c, const CutLimits& l) { scan(s, c, l); }
void narrow_auc(BlockScan<std::uint32_t>& s, const AucGain& c, const CutLimits& l) { scan(s, c, l); }
void broad_auc(BlockScan<std::uint64_t>& s, const AucGain& c, const CutLimits& l) { scan(s, c, l); }

}  // namespace

extern const ScanTable table;
const ScanTable table = {narrow_gini, broad_gini, narrow_auc, broad_auc};

}  // namespace rankforest::RANKFOREST_ISA
