// TreeRank's master tree on rows in partitions.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "far_tree.hpp"
#include "master_growth.hpp"
#include "master_tree.hpp"

namespace rankforest {

template <class Histogram, class Criterion>
class FarMasterTree final : public FarTreeOf<FlatTree> {
public:
    FarMasterTree(const BinnedTable& table, const MasterParams& params, double unit, std::uint64_t key, double near)
        : params_(params),
          unit_{unit * params.inner.unit_of(0), unit * params.inner.unit_of(1)},
          grower_(
              table, params_, [](bool) { return std::unique_ptr<RowScan>(); }, stop_),
          growth_(root_, params_),
          cells_(table, 2, near) {
        cells_.start([this, key](FarTreeRows<Histogram>& rows) { root_ = grower_.root_of(rows, key); },
                     [this] { open({&root_}); });
    }

    ~FarMasterTree() override { stop_.raise(); }

    std::optional<FarMessage> next() override { return cells_.next(); }
    void give(const TreeAnswer& answer) override { cells_.give(answer); }
    FlatTree take() override {
        growth_.finish();
        return flatten(root_, unit_);
    }

private:
    using Master = MasterGrower<Histogram, Criterion>;
    static constexpr std::size_t most_at_once = 64;  // cells, each with a thread
    // The rows of a cell that are smaller than this many histograms are brought here, and all cells below it are split
    // here.
    static constexpr double nodes_of_small_cell = 8.0;

    bool best_first() const { return params_.max_leaf_nodes < unlimited; }

    void open(std::vector<MasterCell*> cells) {
        waiting_.insert(waiting_.end(), cells.begin(), cells.end());
        while (!waiting_.empty() && n_running_ < most_at_once) {
            MasterCell* cell = waiting_.front();
            waiting_.pop_front();
            ++n_running_;
            auto is_split = std::make_shared<bool>(false);
            cells_.start(
                [this, cell, is_split](FarTreeRows<Histogram>& rows) {
                    typename Master::Worker worker(grower_, false);
                    if (best_first() || !grower_.can_split(*cell) || !rows.is_small(cell->count, nodes_of_small_cell)) {
                        *is_split = grower_.split(rows, *cell, worker);
                        return;
                    }
                    const auto near = rows.bring(cell->rows);
                    cell->rows = near->root();
                    grower_.grow_below(*near, *cell, worker);
                },
                [this, cell, is_split] { close(cell, *is_split); });
        }
    }

    void close(MasterCell* cell, bool is_split) {
        --n_running_;
        if (!best_first())
            return open(is_split ? std::vector{cell->left.get(), cell->right.get()} : std::vector<MasterCell*>());
        open(growth_.after(*cell));
    }

    StopFlag stop_;
    const MasterParams params_;
    const double unit_[2];
    Master grower_;
    MasterCell root_;
    std::deque<MasterCell*> waiting_;
    std::size_t n_running_ = 0;
    MasterGrowth growth_;
    FarCells<Histogram> cells_;  // last: its threads end first
};

}  // namespace rankforest
