// Kernel of the level scan, compiled once per instruction set (RANKFOREST_ISA). The four features of a group are four
// lanes on every machine, so that all machines add the same numbers in the same order. As in scan_kernel.cpp, only
// always-inlined code may be included.
#include "level_scan.hpp"
#include "scan.hpp"

namespace rankforest::RANKFOREST_ISA {
namespace {

using V = VectorOf<LevelScan::lanes>;

// A whole number below 2^51 in size, placed in the mantissa of 1.5 * 2^52: AVX2 cannot convert 64-bit integers.
RANKFOREST_INLINE void to_double(const V::i64& x, V::f64& out) {
    out = (V::f64)(x + 0x4338000000000000LL) - 6755399441055744.0;
}

}  // namespace

void add_gains(const LevelScan& s) {
    const std::int64_t* cells = s.cells;
    double* gain = s.gain;
    V::i64 front{}, back{};  // sums on the left of the cut: of features 0 and 1, of features 2 and 3
    if (s.missing_left) {
        load(front, cells);
        load(back, cells + 4);
    }
    const V::f64 all_g = V::f64{} + s.gradient, all_h = V::f64{} + s.hessian, l2 = V::f64{} + s.l2;
    const int n_bins = s.n_bins, count_bits = s.count_bits;
    for (int bin = 1; bin <= n_bins; ++bin, gain += LevelScan::lanes) {
        cells += 2 * LevelScan::lanes;
        V::i64 more;
        load(more, cells);
        front += more;
        load(more, cells + 4);
        back += more;
        const V::i64 g = __builtin_shufflevector(front, back, 0, 4, 2, 6);
        const V::i64 hc = __builtin_shufflevector(front, back, 1, 5, 3, 7);
        V::f64 left_g, left_h, sum;
        to_double(g, left_g);
        to_double((V::i64)((V::u64)hc >> count_bits), left_h);
        load(sum, gain);
        sum += newton_gain<V::f64>(left_g, left_h + l2, all_g - left_g, all_h - left_h + l2);
        store(gain, sum);
    }
}

}  // namespace rankforest::RANKFOREST_ISA
