// One round of a booster: the tree that is fitted to the gradients of the current scores.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "boost.hpp"
#include "booster_rows.hpp"
#include "symmetric_tree.hpp"

namespace rankforest {

using FreeTrees = Grower<GradientHistogram, NewtonGain>;
using Thresholds = Grower<GradientHistogram, PairAdvantage>;  // trees of one split
using SymmetricTrees = SymmetricGrower;

class BoostingRound {
public:
    virtual ~BoostingRound() = default;
    virtual BoostedTree grow(RowsOfBooster& rows, int round) = 0;
};

// Least weight of a pair before the first round.
inline double least_pair(const LossRows& rows) {
    double least[2] = {1.0, 1.0}, mass[2] = {0.0, 0.0};
    for (std::int64_t r = 0; r < rows.n; ++r) {
        const std::uint32_t i = rows.rows[r];
        const double w = rows.weight(i);
        const int k = rows.labels[i];
        least[k] = mass[k] > 0.0 ? std::min(least[k], w) : w;
        mass[k] += w;
    }
    return least[0] * least[1] / (mass[0] * mass[1]);
}

template <class TreeGrower>
class RoundOf final : public BoostingRound {
public:
    // rows: the training rows; only their number and their weights are read, here.
    RoundOf(const BinnedTable& table, const BoostParams& params, const LossRows& rows)
        : table_(table),
          params_(params),
          tree_(params.tree),
          n_rows_(rows.n),
          least_pair_(thresholds ? least_pair(rows) : 0.0),
          grower_(make_grower()),
          features_(table.n_features) {
        if constexpr (thresholds) {  // one split, any feature
            static_cast<TreeParams&>(tree_) = TreeParams();
            tree_.constraints = params.tree.constraints;
            tree_.max_leaf_nodes = 2;
        }
        std::iota(features_.begin(), features_.end(), 0);
    }

    BoostedTree grow(RowsOfBooster& rows, int round) override {
        const std::uint64_t key = child_key(mix(params_.seed), round);
        const Extremes most = rows.derive();
        tree_.units = GradientUnits(n_rows_, most.gradient, most.hessian);
        draw_features(features_, params_.tree_features, child_key(key, 2), of_tree_);
        return grow_from(rows.draw(tree_.units, child_key(key, 0)), child_key(key, 1));
    }

private:
    static constexpr bool thresholds = std::is_same_v<TreeGrower, Thresholds>;
    static constexpr bool symmetric = std::is_same_v<TreeGrower, SymmetricTrees>;

    TreeGrower make_grower() const {
        if constexpr (symmetric) return TreeGrower(table_, tree_);
        else return TreeGrower(table_, tree_, 2, never_stopped_);
    }

    BoostedTree grow_from(RowHolder<GradientHistogram>& rows, std::uint64_t key) {
        const GrownTree grown = grown_from(rows, key);
        BoostedTree tree(grown, [&](int node) {
            const double* mass = grown.mass(node, 2);
            if constexpr (thresholds) return 0.0;
            else if constexpr (symmetric) return params_.learning_rate * SymmetricTrees::step(tree_, mass);
            else if (grown.rules.empty()) return params_.learning_rate * NewtonGain::step(tree_, mass);
            else
                return params_.learning_rate *
                       std::clamp(NewtonGain::step(tree_, mass), grown.rules[node].low, grown.rules[node].high);
        });
        if constexpr (thresholds) set_threshold_step(grown, tree);
        else
            for (auto& gain : tree.gain)
                gain *= 0.5 * tree_.units.hessian / (tree_.units.gradient * tree_.units.gradient);
        return tree;
    }

    GrownTree grown_from(RowHolder<GradientHistogram>& rows, std::uint64_t key) {
        if constexpr (symmetric) {
            return grower_.grow(rows, of_tree_, key);
        } else {
            grower_.ask_ahead(rows, rows.root(), of_tree_, key);
            double sums[2];
            const double count = rows.totals(rows.root(), sums);
            return grower_.grow(rows, nullptr, rows.root(), sums, count, of_tree_, key, true);
        }
    }

    // Rows on the right get the step 1/2 log((1 + r) / (1 - r)) of the paper's third method, rows on the left get 0.
    // The least weight of a pair is added to both terms and keeps the step finite.
    void set_threshold_step(const GrownTree& grown, BoostedTree& tree) const {
        if (tree.nodes.empty()) return;
        const double whole = 0.5 * grown.nodes[0].count * tree_.units.gradient;
        const double r = grown.nodes[0].split.left_mass[0] / whole;  // r of all rows is 0: left and right cancel
        tree.gain[0] = std::abs(r);
        tree.value[1] = params_.learning_rate * (0.5 * std::log((1.0 + r + least_pair_) / (1.0 - r + least_pair_)));
    }

    const BinnedTable table_;
    const BoostParams params_;
    GradientTreeParams tree_;
    const std::int64_t n_rows_;
    const double least_pair_;
    const StopFlag never_stopped_;  // boosting checks for Ctrl-C between rounds
    TreeGrower grower_;
    std::vector<int> features_, of_tree_;  // of_tree_: features drawn for the tree
};

// The table may be without rows: the grower reads only its bins.
inline std::unique_ptr<BoostingRound> make_round(const BinnedTable& table, const BoostParams& params,
                                                 const LossRows& rows) {
    if (params.threshold) return std::make_unique<RoundOf<Thresholds>>(table, params, rows);
    if (params.tree.symmetric) return std::make_unique<RoundOf<SymmetricTrees>>(table, params, rows);
    return std::make_unique<RoundOf<FreeTrees>>(table, params, rows);
}

}  // namespace rankforest
