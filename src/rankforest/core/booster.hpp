// One booster: each round fits a tree to the gradients of the current scores.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <vector>

#include "boost.hpp"
#include "held_out_auc.hpp"
#include "indexed_rows.hpp"
#include "row_walk.hpp"
#include "symmetric_tree.hpp"

namespace rankforest {

class BoosterBase {
public:
    virtual ~BoosterBase() = default;

    // Takes trees as its first rounds.
    virtual void begin_with(std::vector<BoostedTree> first) = 0;
    // Runs rounds until there are `n_rounds`; the threads share the rows of each tree.
    virtual void advance_to(int n_rounds, int n_threads, const StopFlag& stop) = 0;
    // Scores of the held-out rows after a round.
    virtual std::vector<double> held_out_score(int n_rounds) const = 0;
    // Nobody will ask for held-out scores of earlier rounds; if somebody does, it takes longer.
    virtual void forget_scores_before(int round) = 0;

    double start = 0.0;
    std::vector<BoostedTree> trees;
    std::vector<double> curve, fitted;  // see Boosters
};

template <class T>
std::vector<T> values_of(const T* values, const std::vector<std::uint32_t>& rows) {
    std::vector<T> found;
    for (const auto i : rows) found.push_back(values[i]);
    return found;
}

inline std::vector<std::uint32_t> rows_where(const std::uint8_t* held_out, std::int64_t n, bool wanted) {
    std::vector<std::uint32_t> rows;
    for (std::int64_t i = 0; i < n; ++i)
        if ((held_out[i] != 0) == wanted) rows.push_back(static_cast<std::uint32_t>(i));
    return rows;
}

using FreeTrees = Grower<GradientHistogram, NewtonGain>;
using Thresholds = Grower<GradientHistogram, PairAdvantage>;  // trees of one split
using SymmetricTrees = SymmetricGrower;

template <class Code, class TreeGrower>
class Booster : public BoosterBase {
public:
    Booster(const Training& training, const std::uint8_t* held_out, const BoostParams& params,
            const CodeLayouts* layouts)
        : table_(training.table),
          params_(params),
          tree_(params.tree),
          train_(rows_where(held_out, table_.n_rows, false)),
          held_out_(rows_where(held_out, table_.n_rows, true)),
          loss_(params.loss,
                {train_.data(), static_cast<std::int64_t>(train_.size()), training.labels, training.weights}),
          auc_(values_of(training.labels, held_out_),
               training.weights ? values_of(training.weights, held_out_) : std::vector<double>(held_out_.size(), 1.0)),
          score_(table_.n_rows, loss_.start()),
          held_out_score_(held_out_.size(), loss_.start()),
          gradient_(table_.n_rows),
          hessian_(table_.n_rows),
          pairs_(table_.n_rows),
          grower_(make_grower()),
          rows_(table_, pairs_.data(), layouts) {
        if constexpr (thresholds) {  // one split, any feature
            static_cast<TreeParams&>(tree_) = TreeParams();
            tree_.max_leaf_nodes = 2;
        }
        features_.resize(table_.n_features);
        std::iota(features_.begin(), features_.end(), 0);
        n_shards_ = static_cast<int>(training.shards.size());
        if (n_shards_ > 0) shard_of_.resize(table_.n_rows);
        for (int s = 0; s < n_shards_; ++s)
            for (const auto i : training.shards[s]) shard_of_[i] = s;
        start = loss_.start();
        if (held_out_.empty()) fitted.assign(table_.n_rows, 0.0);
        set_least_pair(training);
    }

    void begin_with(std::vector<BoostedTree> first) override {
        for (auto& tree : first) {
            walk(tree, train_, [&](std::size_t i, double value) { raise(train_[i], value); });
            finish_round(std::move(tree));
        }
    }

    void advance_to(int n_rounds, int n_threads, const StopFlag& stop) override {
        const auto team = n_threads > 1 ? std::make_unique<Team>(n_threads) : nullptr;  // ends with the call
        set_team(team.get());
        while (static_cast<int>(trees.size()) < n_rounds) {
            stop.check();
            round();
        }
        set_team(nullptr);
        kept_.push_back({n_rounds, held_out_score_});
    }

    std::vector<double> held_out_score(int n_rounds) const override {
        const auto from =
            std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& k) { return k.round <= n_rounds; });
        std::vector<double> score = from != kept_.rend() ? from->score : std::vector<double>(held_out_.size(), start);
        for (int r = from != kept_.rend() ? from->round : 0; r < n_rounds; ++r)
            walk(trees[r], held_out_, [&](std::size_t i, double value) { score[i] += value; });
        return score;
    }

    void forget_scores_before(int round) override {
        while (kept_.size() > 1 && kept_[1].round <= round) kept_.erase(kept_.begin());
    }

private:
    static constexpr bool thresholds = std::is_same_v<TreeGrower, Thresholds>;
    static constexpr bool symmetric = std::is_same_v<TreeGrower, SymmetricTrees>;

    TreeGrower make_grower() const {
        if constexpr (symmetric) return TreeGrower(table_, tree_);
        else return TreeGrower(table_, tree_, 2, never_stopped_);
    }

    void set_team(Team* team) {
        team_ = team;
        rows_.set_team(team);
    }

    const Code* codes(std::uint32_t row) const {
        return static_cast<const Code*>(table_.codes) + static_cast<std::int64_t>(row) * table_.n_features;
    }

    void set_least_pair(const Training& training) {
        double least[2] = {1.0, 1.0}, mass[2] = {0.0, 0.0};
        for (const auto i : train_) {
            const double w = training.weights ? training.weights[i] : 1.0;
            const int k = training.labels[i];
            least[k] = mass[k] > 0.0 ? std::min(least[k], w) : w;
            mass[k] += w;
        }
        least_pair_ = least[0] * least[1] / (mass[0] * mass[1]);
    }

    void round() {
        const std::uint64_t key = child_key(mix(params_.seed), trees.size());
        loss_.derive(score_.data(), gradient_.data(), hessian_.data());
        double most_gradient = 0.0, most_hessian = 0.0;
        for (const auto i : train_) {
            most_gradient = std::max(most_gradient, std::abs(gradient_[i]));
            most_hessian = std::max(most_hessian, hessian_[i]);
        }
        tree_.units = GradientUnits(static_cast<std::int64_t>(train_.size()), most_gradient, most_hessian);
        draw(child_key(key, 0));
        draw_features(features_, params_.tree_features, child_key(key, 2), of_tree_);
        for (const auto i : drawn_) pairs_[i] = tree_.units.pack(gradient_[i], hessian_[i]);
        BoostedTree tree = n_shards_ > 0 ? grow_from_shards(child_key(key, 1)) : grow(child_key(key, 1));
        walk(tree, left_out_, [&](std::size_t i, double value) { raise(left_out_[i], value); });
        finish_round(std::move(tree));
    }

    void finish_round(BoostedTree tree) {
        walk(tree, held_out_, [&](std::size_t i, double value) { held_out_score_[i] += value; });
        if (!held_out_.empty()) curve.push_back(auc_(held_out_score_.data()));
        trees.push_back(std::move(tree));
    }

    BoostedTree grow(std::uint64_t key) {
        rows_.begin(std::move(drawn_), tree_.units);
        BoostedTree tree = grow_from(rows_, key);
        for (std::size_t leaf = 0; leaf < tree.value.size(); ++leaf)
            for (std::int64_t i = tree.leaf_rows[leaf].begin; i < tree.leaf_rows[leaf].end; ++i)
                raise(rows_.order()[i], tree.value[leaf]);
        drawn_ = rows_.take_order();
        tree.leaf_rows = {};
        return tree;
    }

    BoostedTree grow_from_shards(std::uint64_t key) {
        std::vector<std::vector<std::uint32_t>> of_shard(n_shards_);
        for (const auto i : drawn_) of_shard[shard_of_[i]].push_back(i);
        std::vector<std::unique_ptr<RowHolder<GradientHistogram>>> shards;
        for (auto& rows : of_shard) {
            auto shard = std::make_unique<IndexedRows<Code>>(table_, pairs_.data());
            shard->begin(std::move(rows), tree_.units);
            shards.push_back(std::move(shard));
        }
        Shards<GradientHistogram> rows(std::move(shards), 2);
        BoostedTree tree = grow_from(rows, key);
        walk(tree, drawn_, [&](std::size_t i, double value) { raise(drawn_[i], value); });
        tree.leaf_rows = {};
        return tree;
    }

    BoostedTree grow_from(RowHolder<GradientHistogram>& rows, std::uint64_t key) {
        const GrownTree grown = grown_from(rows, key);
        BoostedTree tree(grown, [&](int node) {
            const double* mass = grown.mass(node, 2);
            if constexpr (thresholds) return 0.0;
            else if constexpr (symmetric) return params_.learning_rate * SymmetricTrees::step(tree_, mass);
            else return params_.learning_rate * NewtonGain::step(tree_, mass);
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

    // Updates the score of a training row. `fitted` sums the trees without the start value, because adding the start
    // first would change the last bit.
    void raise(std::uint32_t row, double value) {
        score_[row] += value;
        if (!fitted.empty()) fitted[row] += value;
    }

    // Calls use(i, value of row i) for rows that the tree was not trained on.
    template <class Use>
    void walk(const BoostedTree& tree, const std::vector<std::uint32_t>& rows, const Use& use) const {
        const auto n = static_cast<std::int64_t>(rows.size());
        const RowWalk row_walk(tree, table_);
        const auto part = [&](int, std::int64_t begin, std::int64_t end) {
            row_walk(begin, end, [&](std::int64_t i) { return codes(rows[i]); }, use);
        };
        if (is_shared(team_, n * 16)) team_->share(0, n, part);
        else part(0, 0, n);
    }

    // Draws the subsample of a tree: each row independently, by a hash of its number, so the size is only approximate.
    void draw(std::uint64_t key) {
        left_out_.clear();
        if (params_.subsample >= 1.0) {
            drawn_ = train_;
            return;
        }
        const auto below = static_cast<std::uint64_t>(std::ldexp(params_.subsample, 53));
        drawn_.resize(train_.size());
        left_out_.resize(train_.size());
        std::size_t n_in = 0, n_out = 0;
        for (const auto i : train_) {
            const bool in = (mix(key + 0x9e3779b97f4a7c15ULL * i) >> 11) < below;
            drawn_[n_in] = left_out_[n_out] = i;
            n_in += in;
            n_out += !in;
        }
        drawn_.resize(n_in);
        left_out_.resize(n_out);
    }

    const BinnedTable& table_;
    const BoostParams params_;
    GradientTreeParams tree_;
    const std::vector<std::uint32_t> train_, held_out_;
    RankLoss loss_;
    HeldOutAuc auc_;
    std::vector<double> score_, held_out_score_, gradient_, hessian_;
    std::vector<GradientPair> pairs_;
    Team* team_ = nullptr;
    const StopFlag never_stopped_;  // boosting checks for Ctrl-C between rounds
    TreeGrower grower_;
    IndexedRows<Code> rows_;
    std::vector<int> features_, of_tree_, shard_of_;  // of_tree_: features drawn for the tree
    int n_shards_ = 0;
    double least_pair_ = 0.0;  // least weight of a pair before the first round
    std::vector<std::uint32_t> drawn_, left_out_;
    struct Kept {
        int round;
        std::vector<double> score;
    };
    std::vector<Kept> kept_;  // held-out scores after earlier rounds
};

}  // namespace rankforest
