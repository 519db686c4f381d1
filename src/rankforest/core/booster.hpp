// A booster whose rows are in this process.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "boost.hpp"
#include "booster_rows.hpp"
#include "boosting_round.hpp"
#include "held_out_auc.hpp"

namespace rankforest {

class BoosterBase {
public:
    virtual ~BoosterBase() = default;

    // Runs rounds until there are `n_rounds`; the threads share the rows of each tree.
    virtual void advance_to(int n_rounds, int n_threads, const StopFlag& stop) = 0;
    // Takes trees as its next rounds instead of growing them.
    virtual void resume(std::vector<BoostedTree> grown) = 0;
    // Scores of the held-out rows after a round.
    virtual std::vector<double> held_out_score(int n_rounds) const = 0;
    // Nobody will ask for held-out scores of earlier rounds; if somebody does, it takes longer.
    virtual void forget_scores_before(int round) = 0;
    virtual const std::vector<double>& fitted() const = 0;  // see Boosters

    double start = 0.0;
    std::vector<BoostedTree> trees;
    std::vector<double> curve;  // see Boosters
};

template <class T>
std::vector<T> values_of(const T* values, const std::vector<std::uint32_t>& rows) {
    std::vector<T> found;
    for (const auto i : rows) found.push_back(values[i]);
    return found;
}

inline HeldOutAuc auc_of(const LabelledRows& rows, const std::vector<std::uint32_t>& held_out) {
    return HeldOutAuc(values_of(rows.labels, held_out),
                      rows.weights ? values_of(rows.weights, held_out) : std::vector<double>(held_out.size(), 1.0));
}

template <class Code>
class Booster final : public BoosterBase, RowsOfBooster {
public:
    Booster(const LabelledRows& rows, const BoostParams& params, const CodeLayouts* layouts)
        : subsample_(params.subsample),
          rows_(rows, layouts),
          loss_(params.loss, rows_.training_rows()),
          auc_(auc_of(rows, rows_.held_out())),
          held_out_score_(rows_.held_out().size(), loss_.start()),
          round_(make_round(rows.table, params, rows_.training_rows())) {
        start = loss_.start();
        rows_.start_at(start, rows_.held_out().empty());
    }

    void advance_to(int n_rounds, int n_threads, const StopFlag& stop) override {
        const auto team = n_threads > 1 ? std::make_unique<Team>(n_threads) : nullptr;  // ends with the call
        rows_.set_team(team.get());
        while (static_cast<int>(trees.size()) < n_rounds) {
            stop.check();
            BoostedTree tree = round_->grow(*this, static_cast<int>(trees.size()));
            rows_.add_grown(tree, tree.leaf_rows);
            tree.leaf_rows = {};
            end_round(std::move(tree));
        }
        rows_.set_team(nullptr);
        kept_.push_back({n_rounds, held_out_score_});
    }

    void resume(std::vector<BoostedTree> grown) override {
        for (auto& tree : grown) {
            rows_.add(tree);
            end_round(std::move(tree));
        }
    }

    std::vector<double> held_out_score(int n_rounds) const override {
        const auto from =
            std::find_if(kept_.rbegin(), kept_.rend(), [&](const auto& k) { return k.round <= n_rounds; });
        std::vector<double> score =
            from != kept_.rend() ? from->score : std::vector<double>(rows_.held_out().size(), start);
        for (int r = from != kept_.rend() ? from->round : 0; r < n_rounds; ++r) rows_.add_to_held_out(trees[r], score);
        return score;
    }

    void forget_scores_before(int round) override {
        while (kept_.size() > 1 && kept_[1].round <= round) kept_.erase(kept_.begin());
    }

    const std::vector<double>& fitted() const override { return rows_.fitted(); }

private:
    void end_round(BoostedTree tree) {
        rows_.add_to_held_out(tree, held_out_score_);
        if (!rows_.held_out().empty()) curve.push_back(auc_(held_out_score_.data()));
        trees.push_back(std::move(tree));
    }

    Extremes derive() override { return rows_.derive(loss_.at(rows_.score())); }

    RowHolder<GradientHistogram>& draw(const GradientUnits& units, std::uint64_t key) override {
        rows_.draw(units, subsample_, key);
        return rows_.holder();
    }

    const double subsample_;
    BoosterRows<Code> rows_;
    RankLoss loss_;
    HeldOutAuc auc_;
    std::vector<double> held_out_score_;
    std::unique_ptr<BoostingRound> round_;
    struct Kept {
        int round;
        std::vector<double> score;
    };
    std::vector<Kept> kept_;  // held-out scores after earlier rounds
};

}  // namespace rankforest
