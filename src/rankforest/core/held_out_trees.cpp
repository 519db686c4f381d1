// Shares the cells of trees that are divided by held-out rows between threads.
#include "held_out_trees.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <numeric>

#include "class_histogram.hpp"
#include "master_growth.hpp"
#include "packed_histogram.hpp"
#include "task_queue.hpp"

namespace rankforest {
namespace {

// One tree while it grows.
struct HeldOutTree {
    HeldOutTree(const BinnedTable& table, const std::uint8_t* labels, HeldOutSample&& sample, std::uint64_t key)
        : params(std::move(sample.params)),
          rows{labels, {}, 1, {sample.unit * params.inner.unit_of(0), sample.unit * params.inner.unit_of(1)}},
          growth(root, params) {
        if (!sample.masses.empty()) rows.masses.assign(table.n_rows, 0);
        for (std::size_t i = 0; i < sample.masses.size(); ++i) {
            rows.masses[sample.rows[i]] = sample.masses[i];
            rows.max_mass = std::max(rows.max_mass, sample.masses[i]);
        }
        root.listed = std::move(sample.rows);
        root.key = key;
        root.mass.assign(2, 0.0);
        root.before.assign(2, 0.0);
        root.path = params.path;
        root.count = static_cast<double>(root.listed.size());
        for (const std::int32_t row : root.listed) root.mass[labels[row]] += static_cast<double>(rows.mass(row));
        limit = params.top * params.weight_of(root.mass);
    }

    bool can_divide(const MasterCell& cell) const {
        return cell.depth < params.max_depth && cell.mass[0] > 0.0 && cell.mass[1] > 0.0 &&
               (params.top >= 1.0 || params.weight_of(cell.before) < limit);
    }

    // Cuts a cell in two, given its inner tree and which rows go left; false if it stays a leaf.
    bool cut(MasterCell& cell, PrunedInner&& pruned, const std::vector<std::uint8_t>& left) const {
        std::unique_ptr<MasterCell> child[2];
        for (const int side : {0, 1}) {
            child[side] = std::make_unique<MasterCell>();
            child[side]->depth = cell.depth + 1;
            child[side]->key = child_key(cell.key, side);
            child[side]->mass.assign(2, 0.0);
            child[side]->before = cell.before;
        }
        for (std::size_t i = 0; i < left.size(); ++i) {
            const std::int32_t row = cell.listed[i];
            MasterCell& to = *child[1 - left[i]];
            to.listed.push_back(row);
            to.mass[rows.labels[row]] += static_cast<double>(rows.mass(row));
        }
        for (auto& to : child) {
            to->count = static_cast<double>(to->listed.size());
            if (static_cast<std::int64_t>(to->listed.size()) < params.min_samples_leaf) return false;
        }
        const double pairs = cell.mass[0] * cell.mass[1];
        const double gain = child[0]->mass[1] * cell.mass[0] - child[0]->mass[0] * cell.mass[1];
        if (gain <= least_gain * pairs) return false;
        for (const int k : {0, 1}) child[1]->before[k] += child[0]->mass[k];
        cell.gain = gain / pairs;
        cell.inner = std::move(pruned.inner);
        cell.side = std::move(pruned.side);
        cell.left = std::move(child[0]);
        cell.right = std::move(child[1]);
        if (params.inner.constraints.limits_paths()) cell.pass_path();
        return true;
    }

    MasterParams params;
    RowMasses rows;
    MasterCell root;
    MasterGrowth growth;
    double limit = 0.0;  // mass left of the control line
};

template <class Code, class Histogram, class Criterion>
class HeldOutGrower {
public:
    HeldOutGrower(const BinnedTable& table, const HeldOutParams& params,
                  std::vector<std::unique_ptr<HeldOutTree>>& trees)
        : table_(table), params_(params), trees_(trees), features_(table.n_features) {
        std::iota(features_.begin(), features_.end(), 0);
    }

    void grow(int n_threads, const SignalCheck& signalled) {
        std::deque<Task> tasks;
        double work = 0.0;
        for (const auto& tree : trees_) {
            most_rows_ = std::max(most_rows_, static_cast<std::int64_t>(tree->root.listed.size()));
            work += tree->root.count * table_.n_features;
            tasks.push_back({tree.get(), &tree->root, nullptr, 0});
        }
        // a few milliseconds of work: starting threads does not pay
        run_tasks(
            std::move(tasks), work < 2000.0 ? 0 : n_threads, stop_, signalled, [] { return Worker(); },
            [&](Task& task, Worker& worker) { return run(task, worker); });
        for (const auto& tree : trees_) tree->growth.finish();
    }

private:
    using Division = HeldOutDivision<Code, Histogram, Criterion>;
    using Trees = typename Division::Trees;

    // To divide a cell; with a division, to grow the tree without one of its folds.
    struct Task {
        HeldOutTree* tree;
        MasterCell* cell;
        std::shared_ptr<Division> division;
        int fold;
    };

    // Buffers of one thread; trees whose masses have other units have other parameters.
    using Worker = std::vector<std::pair<std::vector<double>, std::unique_ptr<Trees>>>;

    Trees& trees_of(const HeldOutTree& tree, Worker& worker) {
        for (auto& [unit, trees] : worker)
            if (unit == tree.params.inner.class_unit) return *trees;
        worker.emplace_back(tree.params.inner.class_unit,
                            std::make_unique<Trees>(table_, tree.params, stop_, most_rows_));
        return *worker.back().second;
    }

    std::vector<Task> run(Task& task, Worker& worker) {
        HeldOutTree& tree = *task.tree;
        if (task.division) {
            if (!task.division->grow_without(task.fold, trees_of(tree, worker))) return {};
            return close(tree, *task.cell, *task.division);
        }
        MasterCell& cell = *task.cell;
        if (!tree.can_divide(cell)) return next(tree, cell);
        std::vector<int> features;
        draw_cell_features(tree.params, features_, cell, features);
        if (features.empty()) return next(tree, cell);
        const auto division = std::make_shared<Division>(table_, params_, tree.rows, cell.listed, cell.key,
                                                         std::move(features), cell.path);
        Trees& trees = trees_of(tree, worker);
        if (!division->grow_whole(trees)) return next(tree, cell);
        if (cell.count * table_.n_features > work_of_large_cell) {
            std::vector<Task> folds;
            for (int fold = 0; fold < division->n_folds(); ++fold) folds.push_back({&tree, &cell, division, fold});
            return folds;
        }
        for (int fold = 0; fold < division->n_folds(); ++fold) division->grow_without(fold, trees);
        return close(tree, cell, *division);
    }

    std::vector<Task> close(HeldOutTree& tree, MasterCell& cell, Division& division) {
        if (auto pruned = division.divide(cell.mass)) tree.cut(cell, std::move(*pruned), division.sides());
        return next(tree, cell);
    }

    std::vector<Task> next(HeldOutTree& tree, MasterCell& cell) {
        cell.listed = {};
        std::vector<Task> tasks;
        for (MasterCell* open : tree.growth.after(cell)) tasks.push_back({&tree, open, nullptr, 0});
        return tasks;
    }

    static constexpr double work_of_large_cell = 1 << 15;  // rows times features

    const BinnedTable& table_;
    const HeldOutParams& params_;
    std::vector<std::unique_ptr<HeldOutTree>>& trees_;
    std::vector<int> features_;
    std::int64_t most_rows_ = 0;
    StopFlag stop_;
};

template <class Code, class Histogram>
void grow_with(const BinnedTable& table, const HeldOutParams& held_out,
               std::vector<std::unique_ptr<HeldOutTree>>& trees, int n_threads, const SignalCheck& signalled) {
    if (trees.front()->params.inner.criterion == CriterionKind::gini)
        HeldOutGrower<Code, Histogram, CostSensitiveGini>(table, held_out, trees).grow(n_threads, signalled);
    else HeldOutGrower<Code, Histogram, AucGain>(table, held_out, trees).grow(n_threads, signalled);
}

}  // namespace

std::vector<FlatTree> grow_held_out(const BinnedTable& table, const std::uint8_t* labels,
                                    std::vector<HeldOutSample>&& samples, const HeldOutParams& held_out,
                                    std::uint64_t root_key, int n_threads, const SignalCheck& signalled) {
    std::vector<std::unique_ptr<HeldOutTree>> trees;
    bool weighted = false;
    for (auto& sample : samples) {
        weighted |= !sample.masses.empty();
        trees.push_back(std::make_unique<HeldOutTree>(table, labels, std::move(sample), root_key));
    }
    if (trees.empty()) return {};
    if (table.code_bytes == 1) {
        if (weighted) grow_with<std::uint8_t, MassHistogram>(table, held_out, trees, n_threads, signalled);
        else grow_with<std::uint8_t, PackedHistogram>(table, held_out, trees, n_threads, signalled);
    } else {
        if (weighted) grow_with<std::uint16_t, MassHistogram>(table, held_out, trees, n_threads, signalled);
        else grow_with<std::uint16_t, PackedHistogram>(table, held_out, trees, n_threads, signalled);
    }
    std::vector<FlatTree> flat;
    for (const auto& tree : trees) flat.push_back(flatten(tree->root, tree->rows.unit));
    return flat;
}

}  // namespace rankforest
