// The vector scan: the best cut of eight numeric features at once, over the bins of one block.
#pragma once
#include <cstdint>

#include "criterion.hpp"
#include "vector.hpp"

namespace rankforest {

// What both sides of a cut must keep: a number of rows, and a share of the cell's balanced mass.
struct CutLimits {
    double min_count, node_count;
    double weight0, weight1;  // balanced mass of one unit of each class
    double min_share, node_share;
};

// bins: cells [bin][8], bin 0 the missing. The missing rows of a lane join the left side at cuts >= joins_left[lane].
// gain and cut keep the best so far: call once per way of sending the missing.
template <class Cell>
struct BlockScan {
    const Cell* bins;
    int n_bins;
    std::int64_t joins_left[lanes];
    double gain[lanes];
    std::int64_t cut[lanes];
};

// One set of scans per instruction set, compiled from scan_kernel.cpp.
struct ScanTable {
    void (*narrow_gini)(BlockScan<std::uint32_t>&, const CostSensitiveGini&, const CutLimits&);
    void (*broad_gini)(BlockScan<std::uint64_t>&, const CostSensitiveGini&, const CutLimits&);
    void (*narrow_auc)(BlockScan<std::uint32_t>&, const AucGain&, const CutLimits&);
    void (*broad_auc)(BlockScan<std::uint64_t>&, const AucGain&, const CutLimits&);
};

// The widest set that this machine can run.
const ScanTable& scans();

inline void scan_block(BlockScan<std::uint32_t>& s, const CostSensitiveGini& c, const CutLimits& l) { scans().narrow_gini(s, c, l); }
inline void scan_block(BlockScan<std::uint64_t>& s, const CostSensitiveGini& c, const CutLimits& l) { scans().broad_gini(s, c, l); }
inline void scan_block(BlockScan<std::uint32_t>& s, const AucGain& c, const CutLimits& l) { scans().narrow_auc(s, c, l); }
inline void scan_block(BlockScan<std::uint64_t>& s, const AucGain& c, const CutLimits& l) { scans().broad_auc(s, c, l); }

}  // namespace rankforest
