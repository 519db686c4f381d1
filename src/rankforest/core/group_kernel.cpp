// Kernels of the scan of four features, compiled once per instruction set (RANKFOREST_ISA). The four features are four
// lanes on every machine, so that all machines add the same numbers in the same order. As in scan_kernel.cpp, only
// always-inlined code may be included.
#include "group_scan.hpp"
#include "scan.hpp"

namespace rankforest::RANKFOREST_ISA {
namespace {

using V = VectorOf<FeatureGroup::lanes>;

// A whole number below 2^51 in size, placed in the mantissa of 1.5 * 2^52: AVX2 cannot convert 64-bit integers.
RANKFOREST_INLINE void to_double(const V::i64& x, V::f64& out) {
    out = (V::f64)(x + 0x4338000000000000LL) - 6755399441055744.0;
}

// Calls use(cut, gradient, hessian and count) with the sums on the left of each cut.
template <class Use>
RANKFOREST_INLINE void scan_cuts(const FeatureGroup& group, const Use& use) {
    const std::int64_t* cells = group.cells;
    V::i64 front{}, back{};  // sums of features 0 and 1, of features 2 and 3
    if (group.missing_left) {
        load(front, cells);
        load(back, cells + 4);
    }
    const int n_bins = group.n_bins;
    for (int cut = 1; cut <= n_bins; ++cut) {
        cells += 2 * FeatureGroup::lanes;
        V::i64 more;
        load(more, cells);
        front += more;
        load(more, cells + 4);
        back += more;
        use(cut, __builtin_shufflevector(front, back, 0, 4, 2, 6), __builtin_shufflevector(front, back, 1, 5, 3, 7));
    }
}

}  // namespace

void add_gains(const FeatureGroup& group, double* gain) {
    const V::f64 all_g = V::f64{} + group.gradient, all_h = V::f64{} + group.hessian, l2 = V::f64{} + group.l2;
    const int count_bits = group.count_bits;
    scan_cuts(group, [&](int, const V::i64& g, const V::i64& hc) __attribute__((always_inline)) {
        V::f64 left_g, left_h, sum;
        to_double(g, left_g);
        to_double((V::i64)((V::u64)hc >> count_bits), left_h);
        load(sum, gain);
        sum += newton_gain<V::f64>(left_g, left_h + l2, all_g - left_g, all_h - left_h + l2);
        store(gain, sum);
        gain += FeatureGroup::lanes;
    });
}

void find_best_cuts(const FeatureGroup& group, BestCuts& found) {
    const V::f64 all_g = V::f64{} + group.gradient, all_h = V::f64{} + group.hessian, l2 = V::f64{} + group.l2,
                 all_c = V::f64{} + found.count, least_h = V::f64{} + found.least_hessian,
                 least_c = V::f64{} + found.least_count;
    const int count_bits = group.count_bits;
    const std::int64_t mask = (std::int64_t{1} << count_bits) - 1;
    V::f64 best;
    V::i64 best_cut;
    load(best, found.gain);
    load(best_cut, found.cut);
    scan_cuts(group, [&](int cut, const V::i64& g, const V::i64& hc) __attribute__((always_inline)) {
        V::f64 left_g, left_h, left_c;
        to_double(g, left_g);
        to_double((V::i64)((V::u64)hc >> count_bits), left_h);
        to_double(hc & mask, left_c);
        const V::f64 right_h = all_h - left_h, right_c = all_c - left_c;
        const V::f64 gain = newton_gain<V::f64>(left_g, left_h + l2, all_g - left_g, right_h + l2);
        const V::i64 better =
            (gain > best) & (left_c >= least_c) & (right_c >= least_c) & (left_h >= least_h) & (right_h >= least_h);
        best = better ? gain : best;
        best_cut = better ? V::i64{} + cut : best_cut;
    });
    store(found.gain, best);
    store(found.cut, best_cut);
}

}  // namespace rankforest::RANKFOREST_ISA
