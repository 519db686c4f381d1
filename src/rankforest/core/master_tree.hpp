// TreeRank's master tree: LeafRank splits the cells until no split increases the AUC or a limit is reached.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <numeric>
#include <tuple>
#include <vector>

#include "flat_tree.hpp"
#include "grower.hpp"
#include "many_trees.hpp"
#include "merge.hpp"
#include "task_queue.hpp"

namespace rankforest {

// Cells with more rows than this are split one after the other, each by all threads.
constexpr std::int64_t rows_of_large_cell = 1 << 15;

// The cell on the frontier whose split gains most.
inline std::vector<MasterCell*>::iterator best_of(std::vector<MasterCell*>& frontier,
                                                  const std::vector<double>& total) {
    return std::max_element(frontier.begin(), frontier.end(), [&](const MasterCell* a, const MasterCell* b) {
        return a->lambda(total) < b->lambda(total);
    });
}

// Draws the features of a cell (F_T) among those that its path allows.
inline void draw_cell_features(const MasterParams& params, const std::vector<int>& all, const MasterCell& cell,
                               std::vector<int>& features) {
    const std::uint64_t key = child_key(cell.key, 2);
    const Constraints& constraints = params.inner.constraints;
    if (!constraints.limits_paths()) return draw_features(all, params.max_features, key, features);
    std::vector<std::uint8_t> allowed;
    constraints.allow(cell.path, static_cast<int>(all.size()), allowed);
    std::vector<int> pool;
    for (const int feature : all)
        if (allowed[feature]) pool.push_back(feature);
    draw_features(pool, params.max_features, key, features);
}

// Cells that were split but whose split is not kept become leaves again.
inline void close_cells(const std::vector<MasterCell*>& frontier) {
    for (MasterCell* cell : frontier) {
        cell->left.reset();
        cell->right.reset();
        cell->inner = FrozenInner();
    }
}

template <class Histogram, class Criterion>
class MasterGrower {
public:
    MasterGrower(const BinnedTable& table, const MasterParams& params, const MakeScan& make_scan, StopFlag& stop)
        : table_(table), params_(params), make_scan_(make_scan), stop_(stop) {
        all_features_.resize(table.n_features);
        std::iota(all_features_.begin(), all_features_.end(), 0);
    }

    // `rows` and `alone` hold the same rows. With `rows`, all threads share the work on one cell; with `alone`, each
    // thread works on its own cell. If the rows are not copied, the descendants of smaller cells are grown on copies.
    MasterCell grow(const TreeRows<Histogram>& of_tree, const SignalCheck& signalled, std::uint64_t key) {
        RowHolder<Histogram>&rows = of_tree.rows, &alone = of_tree.alone;
        const int n_threads = of_tree.n_threads;
        MasterCell root = root_of(rows, key);
        Worker worker(*this, true);
        if (params_.max_leaf_nodes < unlimited) {
            grow_best_first(rows, root, worker);
        } else if (of_tree.copy_cell) {
            const auto cells = grow_depth_first(rows, {&root}, worker, of_tree.most_copied);
            const auto grow_copied = [&](std::int64_t i, int) {
                const CellRows<Histogram> copied = of_tree.copy_cell(cells[i]->rows);
                Worker own(*this, copied.make_scan(false));
                cells[i]->rows = copied.rows->root();
                grow_depth_first(*copied.rows, {cells[i]}, own, 0);
            };
            const auto n = static_cast<std::int64_t>(cells.size());
            if (n_threads > 1) parallel_for(n, n_threads, stop_, signalled, grow_copied);
            else
                for (std::int64_t i = 0; i < n; ++i) grow_copied(i, 0);
        } else {
            std::vector<MasterCell*> open = {&root};
            if (n_threads > 1) open = grow_depth_first(rows, open, worker, rows_of_large_cell);
            if (n_threads > 1 && !open.empty()) grow_parallel(alone, open, n_threads, signalled);
            else grow_depth_first(rows, open, worker, 0);
        }
        return root;
    }

    // The cell of all rows.
    MasterCell root_of(RowHolder<Histogram>& rows, std::uint64_t key) {
        MasterCell root;
        root.rows = rows.root();
        root.key = key;
        root.mass.assign(2, 0.0);
        root.before.assign(2, 0.0);
        root.path = params_.path;
        root.count = rows.totals(root.rows, root.mass.data());
        limit_ = params_.top * params_.weight_of(root.mass);
        return root;
    }

    // Buffers that one thread reuses for all its cells.
    struct Worker {
        Grower<Histogram, Criterion> grower;
        std::unique_ptr<RowScan> scan;
        std::vector<int> features;
        Worker(const MasterGrower& m, bool shared) : Worker(m, m.make_scan_(shared)) {}
        Worker(const MasterGrower& m, std::unique_ptr<RowScan> own_scan)
            : grower(m.table_, m.params_.inner, 2, m.stop_), scan(std::move(own_scan)) {}
    };

    bool can_split(const MasterCell& cell) const {
        return cell.depth < params_.max_depth && cell.count >= 2.0 * params_.min_samples_leaf && cell.mass[0] > 0.0 &&
               cell.mass[1] > 0.0 && left_of_line(cell);
    }

    // Whether the cell starts left of the control line. Cells to its right do not affect the top of the list.
    bool left_of_line(const MasterCell& cell) const {
        return params_.top >= 1.0 || params_.weight_of(cell.before) < limit_;
    }

    // Splits a cell in two with LeafRank; false if it stays a leaf.
    bool split(RowHolder<Histogram>& rows, MasterCell& cell, Worker& worker) {
        if (!can_split(cell)) return false;
        draw_cell_features(params_, all_features_, cell, worker.features);
        if (worker.features.empty()) return false;
        const bool children_terminal = cell.depth + 1 >= params_.max_depth;
        GrownTree inner =
            worker.grower.grow(rows, worker.scan.get(), cell.rows, cell.mass.data(), cell.count, worker.features,
                               child_key(cell.key, 3), !children_terminal, nullptr, cell.path);
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
        if (params_.inner.constraints.limits_paths()) cell.pass_path();
        return true;
    }

    // Splits a cell and its descendants, whose rows are in `rows`.
    void grow_below(RowHolder<Histogram>& rows, MasterCell& cell, Worker& worker) {
        grow_depth_first(rows, {&cell}, worker, 0);
    }

private:
    void make_children(RowHolder<Histogram>& rows, MasterCell& cell, const GrownTree& inner,
                       const std::vector<int>& leaves, bool children_terminal) {
        std::vector<Segment> segments[2];
        for (const int is_left : {1, 0}) {
            auto& child = is_left ? cell.left : cell.right;
            child = std::make_unique<MasterCell>();
            child->depth = cell.depth + 1;
            child->key = child_key(cell.key, 1 - is_left);
            child->mass.assign(2, 0.0);
            for (std::size_t i = 0; i < leaves.size(); ++i) {
                if (cell.side[i] != is_left) continue;
                const GrownNode& leaf = inner.nodes[leaves[i]];
                for (int k = 0; k < 2; ++k) child->mass[k] += inner.mass(leaves[i], 2)[k];
                child->count += leaf.count;
                segments[is_left].push_back(leaf.rows);
            }
        }
        cell.left->before = cell.right->before = cell.before;
        for (int k = 0; k < 2; ++k) cell.right->before[k] += cell.left->mass[k];
        if (children_terminal) return;
        std::tie(cell.left->rows, cell.right->rows) = rows.gather(cell.rows, segments[1], segments[0]);
    }

    // Splits the open cells and their descendants if they have at least `least_rows` rows; returns the smaller ones.
    std::vector<MasterCell*> grow_depth_first(RowHolder<Histogram>& rows, std::vector<MasterCell*> open, Worker& worker,
                                              std::int64_t least_rows) {
        std::vector<MasterCell*> smaller;
        while (!open.empty()) {
            MasterCell* cell = open.back();
            open.pop_back();
            if (cell->rows.size() < least_rows) {
                smaller.push_back(cell);
                continue;
            }
            stop_.check();
            if (!split(rows, *cell, worker)) continue;
            open.push_back(cell->right.get());
            open.push_back(cell->left.get());
        }
        return smaller;
    }

    // Cells are disjoint runs of rows with their own random keys, so the tree does not depend on the order or on the
    // threads.
    void grow_parallel(RowHolder<Histogram>& rows, const std::vector<MasterCell*>& cells, int n_threads,
                       const SignalCheck& signalled) {
        run_tasks(
            std::deque<MasterCell*>(cells.begin(), cells.end()), n_threads, stop_, signalled,
            [&] { return Worker(*this, false); },
            [&](MasterCell* cell, Worker& worker) {
                if (!split(rows, *cell, worker)) return std::vector<MasterCell*>();
                return std::vector<MasterCell*>{cell->left.get(), cell->right.get()};
            });
    }

    // Every cell on the frontier already has its split. The split with the largest gain of AUC is kept next.
    void grow_best_first(RowHolder<Histogram>& rows, MasterCell& root, Worker& worker) {
        const std::vector<double> total = root.mass;
        std::vector<MasterCell*> frontier;
        if (params_.max_leaf_nodes > 1 && split(rows, root, worker)) frontier.push_back(&root);
        int leaves = 1;
        while (!frontier.empty() && leaves < params_.max_leaf_nodes) {
            const auto best = best_of(frontier, total);
            MasterCell* cell = *best;
            frontier.erase(best);
            ++leaves;
            stop_.check();
            for (auto* child : {cell->left.get(), cell->right.get()})
                if (leaves < params_.max_leaf_nodes && split(rows, *child, worker)) frontier.push_back(child);
        }
        close_cells(frontier);
    }

    const BinnedTable& table_;
    const MasterParams& params_;
    const MakeScan make_scan_;
    StopFlag& stop_;
    double limit_ = 0.0;  // mass left of the control line
    std::vector<int> all_features_;
};

}  // namespace rankforest
