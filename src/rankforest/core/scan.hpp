// Vectorised search for the best cut: of eight numeric features at once from one histogram block, and of small nodes
// from their rows.
#pragma once
#include <cstdint>

#include "criterion.hpp"
#include "vector.hpp"

namespace rankforest {

// Minimum number of rows and minimum share of the cell's balanced mass on both sides of a cut. Both sides are checked
// at once: |left - half| <= reach, with half = node / 2 and reach = half - minimum.
struct CutLimits {
    double half_count, count_reach;
    double weight0, weight1;  // balanced mass of one unit of each class
    double half_share, share_reach;
    bool none;  // no limits: any cut with two non-empty sides
};

// bins: cells [bin][8]; bin 0 holds the missing values. In each lane these go left at cuts >= joins_left[lane]. gain
// and cut hold the best so far: call once for each side that missing values may take.
template <class Cell>
struct BlockScan {
    const Cell* bins;
    int n_bins;
    std::int64_t joins_left[lanes];
    double gain[lanes];
    std::int64_t cut[lanes];
};

// The same for a small node, without a histogram: every row is compared with every other, 32 features at a time. A few
// dozen rows leave most of 255 bins empty, and skipping these costs more than the comparisons.
struct SmallScan {
    static constexpr int most_weight = 64;  // of all rows together; counts then fit in a byte
    static constexpr int chunk = 32;        // features compared at once

    const std::uint8_t* codes;  // [row][chunk], a byte per feature
    int n_rows, n_features;
    const std::uint8_t* const* members[2];  // rows of each class, a row of multiplicity m listed m times
    int n_members[2];
    // per feature of the chunk: [0] missing values on the right, [1] on the left if that is better
    double gain[2][chunk];
    double cut[2][chunk];
    bool any_missing;
};

// Gain of a cut by gradients, without the term of the whole node; l2 is included in the hessians. One fraction, because
// divisions are slow.
template <class Real>
[[gnu::always_inline]] inline Real newton_gain(const Real& left_g, const Real& left_h, const Real& right_g,
                                               const Real& right_h) {
    return (left_g * left_g * right_h + right_g * right_g * left_h) / (left_h * right_h);
}

// One set of scans per instruction set, compiled from scan_kernel.cpp.
struct ScanTable {
    const char* name;
    void (*narrow_gini)(BlockScan<std::uint32_t>&, const CostSensitiveGini&, const CutLimits&);
    void (*broad_gini)(BlockScan<std::uint64_t>&, const CostSensitiveGini&, const CutLimits&);
    void (*narrow_auc)(BlockScan<std::uint32_t>&, const AucGain&, const CutLimits&);
    void (*broad_auc)(BlockScan<std::uint64_t>&, const AucGain&, const CutLimits&);
    void (*small_gini)(SmallScan&, const CostSensitiveGini&, const CutLimits&);
    void (*small_auc)(SmallScan&, const AucGain&, const CutLimits&);
    void (*subtract)(std::uint32_t*, const std::uint32_t*, std::size_t);
};

// The widest instruction set of this machine; the environment variable RANKFOREST_ISA=baseline or v3 selects a narrower
// one.
const ScanTable& scans();

inline void scan_block(BlockScan<std::uint32_t>& s, const CostSensitiveGini& c, const CutLimits& l) {
    scans().narrow_gini(s, c, l);
}
inline void scan_block(BlockScan<std::uint64_t>& s, const CostSensitiveGini& c, const CutLimits& l) {
    scans().broad_gini(s, c, l);
}
inline void scan_block(BlockScan<std::uint32_t>& s, const AucGain& c, const CutLimits& l) {
    scans().narrow_auc(s, c, l);
}
inline void scan_block(BlockScan<std::uint64_t>& s, const AucGain& c, const CutLimits& l) {
    scans().broad_auc(s, c, l);
}
inline void scan_small(SmallScan& s, const CostSensitiveGini& c, const CutLimits& l) { scans().small_gini(s, c, l); }
inline void scan_small(SmallScan& s, const AucGain& c, const CutLimits& l) { scans().small_auc(s, c, l); }
// from[i] -= what[i]: turns the parent's cells into those of the sibling.
inline void subtract_words(std::uint32_t* from, const std::uint32_t* what, std::size_t n) {
    scans().subtract(from, what, n);
}

}  // namespace rankforest
