// Rows of one place as a booster sees them: their scores, their gradients, and those that are drawn for a tree.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "boosted_tree.hpp"
#include "indexed_rows.hpp"
#include "random.hpp"
#include "rank_loss.hpp"
#include "row_walk.hpp"

namespace rankforest {

// Greatest derivatives of the training rows, without their signs.
struct Extremes {
    double gradient = 0.0, hessian = 0.0;
    void add(const Extremes& other) {
        gradient = std::max(gradient, other.gradient);
        hessian = std::max(hessian, other.hessian);
    }
};

// What a round asks of the rows of a booster, wherever they are.
class RowsOfBooster {
public:
    virtual ~RowsOfBooster() = default;

    // Derives the loss at the current scores.
    virtual Extremes derive() = 0;
    // Draws the rows of a tree, which its grower then asks for histograms.
    virtual RowHolder<GradientHistogram>& draw(const GradientUnits& units, std::uint64_t key) = 0;
};

inline std::vector<std::uint32_t> rows_where(const std::uint8_t* held_out, std::int64_t n, bool wanted) {
    std::vector<std::uint32_t> rows;
    for (std::int64_t i = 0; i < n; ++i)
        if ((held_out[i] != 0) == wanted) rows.push_back(static_cast<std::uint32_t>(i));
    return rows;
}

// Derives the loss for all rows of the list: calls use(row, derivatives).
template <class Use>
Extremes derive_all(const LossSums& sums, const LossRows& rows, const double* score, const Use& use) {
    Extremes most;
    Derivatives found[rows_derived_at_once];
    for (std::int64_t first = 0; first < rows.n; first += rows_derived_at_once) {
        const int n = static_cast<int>(std::min<std::int64_t>(rows_derived_at_once, rows.n - first));
        derive(sums, rows, first, n, score, found);
        for (int k = 0; k < n; ++k) {
            most.add({std::abs(found[k].gradient), found[k].hessian});
            use(rows.rows[first + k], found[k]);
        }
    }
    return most;
}

// A table, or a part of one that begins at first_row of the whole; the arrays belong to the caller.
struct LabelledRows {
    BinnedTable table;
    const std::uint8_t* labels;
    const double* weights;         // null: 1
    const std::uint8_t* held_out;  // != 0: not in the training set of the booster
    std::int64_t first_row = 0;
};

template <class Code>
class BoosterRows {
public:
    BoosterRows(const LabelledRows& rows, const CodeLayouts* layouts)
        : table_(rows.table),
          labels_(rows.labels),
          weights_(rows.weights),
          first_row_(rows.first_row),
          train_(rows_where(rows.held_out, table_.n_rows, false)),
          held_out_(rows_where(rows.held_out, table_.n_rows, true)),
          pairs_(table_.n_rows),
          holder_(table_, pairs_.data(), layouts) {}
    BoosterRows(const BoosterRows&) = delete;

    LossRows training_rows() const {
        return {train_.data(), static_cast<std::int64_t>(train_.size()), labels_, weights_};
    }
    const std::vector<std::uint32_t>& held_out() const { return held_out_; }
    const double* score() const { return score_.data(); }
    IndexedRows<Code>& holder() { return holder_; }

    // The threads of the team share the rows; null: one thread.
    void set_team(Team* team) {
        team_ = team;
        holder_.set_team(team);
    }

    // Score of every row before the first round. With `fitted` the sum of the trees is kept without it as well: adding
    // the start first would change the last bit.
    void start_at(double start, bool fitted) {
        score_.assign(table_.n_rows, start);
        if (fitted) fitted_.assign(table_.n_rows, 0.0);
    }
    const std::vector<double>& fitted() const { return fitted_; }

    // Until the rows of a tree are drawn, their 16 bytes hold derivatives instead of units.
    Extremes derive(const LossSums& sums) {
        return derive_all(sums, training_rows(), score_.data(), [&](std::uint32_t i, const Derivatives& d) {
            pairs_[i] = {std::bit_cast<std::int64_t>(d.gradient), std::bit_cast<std::int64_t>(d.hessian)};
        });
    }

    // Draws the subsample of a tree: each row independently, by a hash of its number, so the size is only approximate.
    void draw(const GradientUnits& units, double subsample, std::uint64_t key) {
        std::vector<std::uint32_t> drawn = holder_.take_order();
        left_out_.clear();
        if (subsample >= 1.0) drawn = train_;
        else draw_some(subsample, key, drawn);
        for (const auto i : drawn)
            pairs_[i] = units.pack(std::bit_cast<double>(pairs_[i].gradient),
                                   std::bit_cast<double>(pairs_[i].hessian_and_count));
        holder_.begin(std::move(drawn), units);
    }

    // Adds the tree that was grown on the drawn rows to the scores; leaf_rows are its leaves' segments of the holder.
    void add_grown(const BoostedTree& tree, const std::vector<Segment>& leaf_rows) {
        for (std::size_t leaf = 0; leaf < leaf_rows.size(); ++leaf)
            for (std::int64_t i = leaf_rows[leaf].begin; i < leaf_rows[leaf].end; ++i)
                raise(holder_.order()[i], tree.value[leaf]);
        walk(tree, left_out_, [&](std::size_t i, double value) { raise(left_out_[i], value); });
    }

    // Adds any tree to the scores.
    void add(const BoostedTree& tree) {
        walk(tree, train_, [&](std::size_t i, double value) { raise(train_[i], value); });
    }

    void add_to_held_out(const BoostedTree& tree, std::vector<double>& score) const {
        walk(tree, held_out_, [&](std::size_t i, double value) { score[i] += value; });
    }

private:
    void raise(std::uint32_t row, double value) {
        score_[row] += value;
        if (!fitted_.empty()) fitted_[row] += value;
    }

    // Calls use(i, value of row rows[i]).
    template <class Use>
    void walk(const BoostedTree& tree, const std::vector<std::uint32_t>& rows, const Use& use) const {
        const auto n = static_cast<std::int64_t>(rows.size());
        const RowWalk row_walk(tree, table_);
        const auto* codes = static_cast<const Code*>(table_.codes);
        const std::int64_t q = table_.n_features;
        const auto part = [&](int, std::int64_t begin, std::int64_t end) {
            row_walk(
                begin, end, [&](std::int64_t i) { return codes + rows[i] * q; },
                [&](std::int64_t i, std::uint32_t leaf) { use(i, tree.value[leaf]); });
        };
        if (is_shared(team_, n * 16)) team_->share(0, n, part);
        else part(0, 0, n);
    }

    void draw_some(double subsample, std::uint64_t key, std::vector<std::uint32_t>& drawn) {
        const auto below = static_cast<std::uint64_t>(std::ldexp(subsample, 53));
        drawn.resize(train_.size());
        left_out_.resize(train_.size());
        std::size_t n_in = 0, n_out = 0;
        for (const auto i : train_) {
            const auto number = static_cast<std::uint64_t>(first_row_ + i);
            const bool in = (mix(key + 0x9e3779b97f4a7c15ULL * number) >> 11) < below;
            drawn[n_in] = left_out_[n_out] = i;
            n_in += in;
            n_out += !in;
        }
        drawn.resize(n_in);
        left_out_.resize(n_out);
    }

    const BinnedTable table_;
    const std::uint8_t* const labels_;
    const double* const weights_;
    const std::int64_t first_row_;
    const std::vector<std::uint32_t> train_, held_out_;
    std::vector<double> score_, fitted_;
    std::vector<GradientPair> pairs_;
    std::vector<std::uint32_t> left_out_;  // training rows that were not drawn for the tree
    IndexedRows<Code> holder_;
    Team* team_ = nullptr;
};

}  // namespace rankforest
