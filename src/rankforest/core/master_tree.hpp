// TreeRank's master tree: cells are split by LeafRank until nothing is gained, then frozen into flat arrays.
#pragma once
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "inner_tree.hpp"
#include "merge.hpp"

namespace rankforest {

// The frozen model. Inner nodes form a decision DAG: the inner leaves of a master node point straight at the first
// inner node of the child's split, or at a terminal. Child >= 0 is a node (always a later one), child < 0 is the
// terminal ~child. A terminal is the finest cell of the tree: the inner leaf through which rows enter a master leaf.
struct FlatTree {
    // inner nodes
    std::vector<std::int32_t> feature, left, right, set_offset, owner;
    std::vector<double> threshold, node_mass, left_mass;  // masses of the node and of its left side: negatives, positives
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;  // categorical: bit c of the node's words is "code c goes left"
    // terminals
    std::vector<std::int32_t> terminal_cell;  // index of the master leaf
    std::vector<double> terminal_mass, terminal_count;
    // master nodes in preorder, left (better) first
    std::vector<std::int32_t> cell_parent, cell_left, cell_right, cell_depth, cell_entry;
    std::vector<double> cell_mass, cell_count, cell_gain;  // gain = Lambda of the cell's split
};

struct MasterCell {
    Segment rows;
    int depth = 0;
    std::uint64_t key = 0;
    std::vector<double> mass;
    double count = 0.0;
    // set by the split
    FrozenInner inner;
    std::vector<std::uint8_t> side;  // per leaf of the inner tree: 1 = goes to the left (better) child
    double gain = 0.0;               // beta - alpha of the left child, in shares of the cell
    std::unique_ptr<MasterCell> left, right;

    bool is_split() const { return left != nullptr; }
    // The gain in AUC times two, Lambda, in shares of the whole table.
    double lambda(const std::vector<double>& total) const { return gain * (mass[0] / total[0]) * (mass[1] / total[1]); }
};

template <class Store, class Histogram, class Criterion>
class MasterGrower {
public:
    MasterGrower(const BinnedTable& table, const MasterParams& params, std::int64_t max_weight, StopFlag& stop)
        : table_(table), params_(params), max_weight_(max_weight), stop_(stop) {
        all_features_.resize(table.n_features);
        std::iota(all_features_.begin(), all_features_.end(), 0);
    }

    // rows: all rows of the sample in plane 0. unit: what one fixed-point unit of mass weighs.
    FlatTree grow(Store& rows, std::int64_t n_rows, int n_threads, const SignalCheck& signalled, std::uint64_t key, double unit) {
        MasterCell root;
        root.rows = {0, n_rows, 0};
        root.key = key;
        root.mass.assign(2, 0.0);
        for (std::int64_t i = 0; i < n_rows; ++i) {
            const auto tag = rows.tag(rows.row(0, i));
            root.mass[tag.label()] += static_cast<double>(tag.weight());
            root.count += static_cast<double>(tag.count());
        }
        if (params_.max_leaf_nodes < unlimited) grow_best_first(rows, root);
        else if (n_threads > 1) grow_parallel(rows, root, n_threads, signalled);
        else grow_depth_first(rows, root);
        return flatten(root, unit);
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
               cell.count >= 2.0 * params_.min_samples_leaf && cell.mass[0] > 0.0 && cell.mass[1] > 0.0;
    }

    // Splits a cell in two with LeafRank; false: it stays a leaf.
    bool split(Store& rows, MasterCell& cell, Worker& worker) {
        if (!can_split(cell)) return false;
        draw_features(all_features_, params_.max_features, child_key(cell.key, 2), worker.features);
        const bool children_terminal = cell.depth + 1 >= params_.max_depth;
        InnerTree inner = worker.grower.grow(rows, cell.rows, cell.mass, cell.count, worker.features, child_key(cell.key, 3), !children_terminal);
        std::vector<int> leaves;
        std::vector<double> masses, counts;
        for (int i = 0; i < static_cast<int>(inner.nodes.size()); ++i) {
            if (inner.nodes[i].left >= 0) continue;
            leaves.push_back(i);
            masses.insert(masses.end(), inner.mass(i, 2), inner.mass(i, 2) + 2);
            counts.push_back(inner.nodes[i].count);
        }
        const Merge merge = merge_leaves(masses, counts, static_cast<double>(params_.min_samples_leaf));
        if (merge.n_left == 0) return false;
        cell.gain = merge.gain;
        cell.side.assign(leaves.size(), 0);
        for (int i = 0; i < merge.n_left; ++i) cell.side[merge.order[i]] = 1;
        make_children(rows, cell, inner, leaves, children_terminal);
        cell.inner = freeze(std::move(inner), table_);
        return true;
    }

    void make_children(Store& rows, MasterCell& cell, const InnerTree& inner, const std::vector<int>& leaves, bool children_terminal) {
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
                while (!changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return !open.empty() || busy == 0 || stop_.raised(); })) {}
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
            auto best = std::max_element(frontier.begin(), frontier.end(), [&](const MasterCell* a, const MasterCell* b) {
                return a->lambda(total) < b->lambda(total);
            });
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

    FlatTree flatten(const MasterCell& root, double unit) const {
        FlatTree flat;
        const std::vector<double> total = root.mass;
        struct Item { const MasterCell* cell; int parent; bool is_left; };
        std::vector<Item> stack = {{&root, -1, true}};
        std::vector<const MasterCell*> cells;
        while (!stack.empty()) {
            const Item item = stack.back();
            stack.pop_back();
            const int index = static_cast<int>(cells.size());
            cells.push_back(item.cell);
            flat.cell_parent.push_back(item.parent);
            flat.cell_left.push_back(-1);
            flat.cell_right.push_back(-1);
            if (item.parent >= 0) (item.is_left ? flat.cell_left : flat.cell_right)[item.parent] = index;
            flat.cell_depth.push_back(item.cell->depth);
            flat.cell_mass.push_back(item.cell->mass[0] * unit);
            flat.cell_mass.push_back(item.cell->mass[1] * unit);
            flat.cell_count.push_back(item.cell->count);
            flat.cell_gain.push_back(item.cell->is_split() ? item.cell->lambda(total) : 0.0);
            if (!item.cell->is_split()) continue;
            stack.push_back({item.cell->right.get(), index, false});
            stack.push_back({item.cell->left.get(), index, true});
        }
        // first inner node of each split cell
        std::int32_t next = 0;
        for (const MasterCell* cell : cells) {
            flat.cell_entry.push_back(cell->is_split() ? next : -1);
            if (cell->is_split()) next += static_cast<std::int32_t>(cell->inner.nodes.size() - cell->side.size());
        }
        if (!root.is_split()) {
            add_terminal(flat, 0, root.mass.data(), root.count, unit);
            return flat;
        }
        for (std::size_t c = 0; c < cells.size(); ++c)
            if (cells[c]->is_split()) flatten_inner(flat, *cells[c], static_cast<int>(c), unit);
        return flat;
    }

    static void add_terminal(FlatTree& flat, int cell, const double* mass, double count, double unit) {
        flat.terminal_cell.push_back(cell);
        flat.terminal_mass.push_back(mass[0] * unit);
        flat.terminal_mass.push_back(mass[1] * unit);
        flat.terminal_count.push_back(count);
    }

    void flatten_inner(FlatTree& flat, const MasterCell& cell, int index, double unit) const {
        const FrozenInner& inner = cell.inner;
        const int n = static_cast<int>(inner.nodes.size());
        std::vector<std::int32_t> target(n);
        std::int32_t next = flat.cell_entry[index];
        std::size_t leaf = 0;
        for (int i = 0; i < n; ++i) {
            if (inner.nodes[i].left >= 0) {
                target[i] = next++;
                continue;
            }
            const int child = cell.side[leaf++] ? flat.cell_left[index] : flat.cell_right[index];
            target[i] = flat.cell_entry[child];
            if (target[i] >= 0) continue;
            target[i] = ~static_cast<std::int32_t>(flat.terminal_cell.size());
            add_terminal(flat, child, inner.mass(i), inner.counts[i], unit);
        }
        const auto first_set = static_cast<std::int32_t>(flat.sets.size());
        flat.sets.insert(flat.sets.end(), inner.sets.begin(), inner.sets.end());
        for (int i = 0; i < n; ++i) {
            const FrozenInner::Node& node = inner.nodes[i];
            if (node.left < 0) continue;
            flat.feature.push_back(node.feature);
            flat.threshold.push_back(node.threshold);
            flat.left.push_back(target[node.left]);
            flat.right.push_back(target[node.right]);
            flat.owner.push_back(index);
            flat.missing_left.push_back(node.missing_left);
            flat.set_offset.push_back(node.set_offset >= 0 ? first_set + node.set_offset : -1);
            for (int k = 0; k < 2; ++k) {
                flat.node_mass.push_back(inner.mass(i)[k] * unit);
                flat.left_mass.push_back(inner.mass(node.left)[k] * unit);
            }
        }
    }

    const BinnedTable& table_;
    const MasterParams& params_;
    const std::int64_t max_weight_;
    StopFlag& stop_;
    std::vector<int> all_features_;
};

}  // namespace rankforest
