// The order in which the cells of a master tree are divided, where cells may be divided side by side.
#pragma once
#include <mutex>
#include <vector>

#include "master_tree.hpp"

namespace rankforest {

class MasterGrowth {
public:
    MasterGrowth(MasterCell& root, const MasterParams& params)
        : root_(root), most_leaves_(params.max_leaf_nodes), waiting_{&root} {}

    // The cells to divide next, given one that was divided, or not.
    std::vector<MasterCell*> after(MasterCell& cell) {
        if (most_leaves_ >= unlimited) return children_of(cell);
        const std::lock_guard lock(mutex_);
        if (++n_done_ < waiting_.size()) return {};
        for (MasterCell* done : waiting_)
            if (done->is_split()) frontier_.push_back(done);
        return best_first();
    }

    // Cells whose division is not kept become leaves again.
    void finish() { close_cells(frontier_); }

private:
    static std::vector<MasterCell*> children_of(const MasterCell& cell) {
        if (!cell.is_split()) return {};
        return {cell.left.get(), cell.right.get()};
    }

    // Every cell on the frontier already has its split; the one with the largest gain is kept next.
    std::vector<MasterCell*> best_first() {
        n_done_ = 0;
        waiting_.clear();
        if (frontier_.empty() || n_leaves_ >= most_leaves_) return {};
        const auto best = best_of(frontier_, root_.mass);
        MasterCell* cell = *best;
        frontier_.erase(best);
        if (++n_leaves_ < most_leaves_) waiting_ = children_of(*cell);
        return waiting_;
    }

    MasterCell& root_;
    const int most_leaves_;
    int n_leaves_ = 1;
    std::mutex mutex_;
    std::vector<MasterCell*> waiting_, frontier_;
    std::size_t n_done_ = 0;
};

}  // namespace rankforest
