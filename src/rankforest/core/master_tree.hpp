// TreeRank's master tree: cells are split by LeafRank until nothing is gained.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "flat_tree.hpp"
#include "inner_tree.hpp"
#include "merge.hpp"

namespace rankforest {

template <class Store, class Histogram, class Criterion>
class MasterGrower {
public:
    MasterGrower(const BinnedTable& table, const MasterParams& params, std::int64_t max_weight, StopFlag& stop)
        : table_(table), params_(params), max_weight_(max_weight), stop_(stop) {
        all_features_.resize(table.n_features);
        std::iota(all_features_.begin(), all_features_.end(), 0);
    }

    // rows: all rows of the sample in plane 0.
    MasterCell grow(Store& rows, std::int64_t n_rows, int n_threads, const SignalCheck& signalled, std::uint64_t key) {
        MasterCell root;
        root.rows = {0, n_rows, 0};
        root.key = key;
        root.mass.assign(2, 0.0);
        root.before.assign(2, 0.0);
        for (std::int64_t i = 0; i < n_rows; ++i) {
            const auto tag = rows.tag(rows.row(0, i));
            root.mass[tag.label()] += static_cast<double>(tag.weight());
            root.count += static_cast<double>(tag.count());
        }
        limit_ = params_.top * params_.weight_of(root.mass);
        if (params_.max_leaf_nodes < unlimited) grow_best_first(rows, root);
        else if (n_threads > 1) grow_parallel(rows, root, n_threads, signalled);
        else grow_depth_first(rows, root);
        return root;
    }

private:
    using Grower = InnerGrower<Store, Histogram, Criterion>;
    // What one thread reuses from cell to cell.
    struct Worker {
        Grower grower;
        std::vector<int> features;
        Worker(const MasterGrower& m) : grower(m.table_, m.params_.inner, 2, m.max_weight_, m.stop_) {}
    };

    bool can_split(const MasterCell& cell) const {
        return cell.depth < params_.max_depth && cell.count >= static_cast<double>(params_.min_samples_split) &&
               cell.count >= 2.0 * params_.min_samples_leaf && cell.mass[0] > 0.0 && cell.mass[1] > 0.0 &&
               left_of_line(cell);
    }

    // Whether the cell begins left of the control line: what lies right of it does not matter for the top of the list.
    bool left_of_line(const MasterCell& cell) const {
        return params_.top >= 1.0 || params_.weight_of(cell.before) < limit_;
    }

    // Splits a cell in two with LeafRank; false: it stays a leaf.
    bool split(Store& rows, MasterCell& cell, Worker& worker) {
        if (!can_split(cell)) return false;
        draw_features(all_features_, params_.max_features, child_key(cell.key, 2), worker.features);
        const bool children_terminal = cell.depth + 1 >= params_.max_depth;
        InnerTree inner = worker.grower.grow(rows, cell.rows, cell.mass, cell.count, worker.features,
                                             child_key(cell.key, 3), !children_terminal);
        std::vector<int> leaves;
        std::vector<double> masses, counts;
        for (int i = 0; i < static_cast<int>(inner.nodes.size()); ++i) {
            if (inner.nodes[i].left >= 0) continue;
            leaves.push_back(i);
            masses.insert(masses.end(), inner.mass(i, 2), inner.mass(i, 2) + 2);
            counts.push_back(inner.nodes[i].count);
        }
        const Merge merge =
            merge_leaves(masses, counts, static_cast<double>(params_.min_samples_leaf), params_.inner.constrained());
        if (merge.n_left == 0) return false;
        cell.gain = merge.gain;
        cell.side.assign(leaves.size(), 0);
        for (int i = 0; i < merge.n_left; ++i) cell.side[merge.order[i]] = 1;
        make_children(rows, cell, inner, leaves, children_terminal);
        cell.inner = freeze(std::move(inner), table_);
        return true;
    }

    void make_children(Store& rows, MasterCell& cell, const InnerTree& inner, const std::vector<int>& leaves,
                       bool children_terminal) {
        for (auto* child : {&cell.left, &cell.right}) {
            *child = std::make_unique<MasterCell>();
            (*child)->depth = cell.depth + 1;
            (*child)->mass.assign(2, 0.0);
        }
        cell.left->key = child_key(cell.key, 0);
        cell.right->key = child_key(cell.key, 1);
        std::vector<Segment> segments;
        std::int64_t n_left = 0;
        for (const int wanted : {1, 0}) {
            MasterCell& child = wanted ? *cell.left : *cell.right;
            for (std::size_t i = 0; i < leaves.size(); ++i) {
                if (cell.side[i] != wanted) continue;
                const InnerNode& leaf = inner.nodes[leaves[i]];
                child.mass[0] += inner.mass(leaves[i], 2)[0];
                child.mass[1] += inner.mass(leaves[i], 2)[1];
                child.count += leaf.count;
                segments.push_back(leaf.rows);
                if (wanted) n_left += leaf.rows.size();
            }
        }
        cell.left->before = cell.right->before = cell.before;
        for (int k = 0; k < 2; ++k) cell.right->before[k] += cell.left->mass[k];
        if (children_terminal) return;
        const int plane = rows.gather(segments, cell.rows.begin);
        cell.left->rows = {cell.rows.begin, cell.rows.begin + n_left, plane};
        cell.right->rows = {cell.rows.begin + n_left, cell.rows.end, plane};
    }

    void grow_depth_first(Store& rows, MasterCell& root) {
        Worker worker(*this);
        std::vector<MasterCell*> open = {&root};
        while (!open.empty()) {
            MasterCell* cell = open.back();
            open.pop_back();
            stop_.check();
            if (!split(rows, *cell, worker)) continue;
            open.push_back(cell->right.get());
            open.push_back(cell->left.get());
        }
    }

    // Cells are disjoint runs of rows and own their random keys, so any order and any thread gives the same tree.
    void grow_parallel(Store& rows, MasterCell& root, int n_threads, const SignalCheck& signalled) {
        std::mutex mutex;
        std::condition_variable changed;
        std::deque<MasterCell*> open = {&root};
        int busy = 0;
        run_workers(n_threads, stop_, signalled, [&](int) {
            Worker worker(*this);
            std::unique_lock lock(mutex);
            for (;;) {
                while (!changed.wait_for(lock, std::chrono::milliseconds(50),
                                         [&] { return !open.empty() || busy == 0 || stop_.raised(); })) {}
                stop_.check();
                if (open.empty()) break;  // and nobody is busy: all cells are final
                MasterCell* cell = open.front();
                open.pop_front();
                ++busy;
                lock.unlock();
                bool is_split = false;
                try {
                    is_split = split(rows, *cell, worker);
                } catch (...) {
                    lock.lock();
                    --busy;
                    stop_.raise();
                    changed.notify_all();
                    throw;
                }
                lock.lock();
                --busy;
                if (is_split) {
                    open.push_back(cell->left.get());
                    open.push_back(cell->right.get());
                }
                changed.notify_all();
            }
        });
    }

    // Every cell on the frontier is already split; the split with the largest gain of AUC is kept next.
    void grow_best_first(Store& rows, MasterCell& root) {
        Worker worker(*this);
        const std::vector<double> total = root.mass;
        std::vector<MasterCell*> frontier;
        if (params_.max_leaf_nodes > 1 && split(rows, root, worker)) frontier.push_back(&root);
        int leaves = 1;
        while (!frontier.empty() && leaves < params_.max_leaf_nodes) {
            auto best = std::max_element(
                frontier.begin(), frontier.end(),
                [&](const MasterCell* a, const MasterCell* b) { return a->lambda(total) < b->lambda(total); });
            MasterCell* cell = *best;
            frontier.erase(best);
            ++leaves;
            stop_.check();
            for (auto* child : {cell->left.get(), cell->right.get()})
                if (leaves < params_.max_leaf_nodes && split(rows, *child, worker)) frontier.push_back(child);
        }
        for (MasterCell* cell : frontier) {
            cell->left.reset();
            cell->right.reset();
            cell->inner = FrozenInner();
        }
    }

    const BinnedTable& table_;
    const MasterParams& params_;
    const std::int64_t max_weight_;
    StopFlag& stop_;
    double limit_ = 0.0;  // mass left of the control line
    std::vector<int> all_features_;
};

}  // namespace rankforest
