// A booster whose rows are in partitions. Its trees are grown here, from sums over the partitions; whoever has the
// partitions answers its questions.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "boost.hpp"
#include "booster.hpp"
#include "booster_question.hpp"
#include "boosting_round.hpp"
#include "exchange.hpp"

namespace rankforest {

// words: sums over all partitions, for questions of the first kind. parts: answers to questions of the second kind, in
// the order of the rows of the whole table.
struct BoosterAnswer {
    std::vector<std::uint64_t> words;
    std::vector<std::vector<std::uint8_t>> parts;
};

using BoosterExchange = Exchange<BoosterQuestion, BoosterAnswer>;

// The drawn rows of a tree. Splits and histograms that are not urgent wait for the next question. The plane of a
// segment is the number of the node.
class FarRows final : public RowHolder<GradientHistogram> {
public:
    explicit FarRows(const BinnedTable& table) : table_(table) {}

    // question: how to draw the rows.
    void begin(BoosterQuestion question, BoosterExchange& exchange) {
        next_ = std::move(question);
        exchange_ = &exchange;
        n_splits_ = 0;
        n_words_.clear();
        totals_.clear();
        histograms_.clear();
        next_.totals_of.push_back(0);
    }
    // Splits that were never sent, because no histogram of their children was needed.
    const BoosterQuestion& unsent() const { return next_; }

    bool is_far() const override { return true; }

    void ask_ahead(const Segment& node, const HistogramShape& shape, std::int64_t, double) override {
        next_.histogram_of.push_back(node.plane);
        next_.features.insert(next_.features.end(), shape.features.begin(), shape.features.end());
        next_.n_features.push_back(shape.size());
        n_words_.push_back(2 * shape.group_offset.back());
    }
    void ask_totals_ahead(const Segment& node) override { next_.totals_of.push_back(node.plane); }

    Segment root() const override { return {0, 0, 0}; }

    double totals(const Segment& node, double* sums) const override {
        if (!totals_.contains(node.plane)) {
            if (std::count(next_.totals_of.begin(), next_.totals_of.end(), node.plane) == 0)
                next_.totals_of.push_back(node.plane);
            ask();
        }
        const GradientPair& all = totals_.at(node.plane);
        sums[0] = next_.units.g(all);
        sums[1] = next_.units.h(all);
        return next_.units.count(all);
    }

    void histogram(const Segment& node, const HistogramShape& shape, std::int64_t, GradientHistogram& out) override {
        auto found = histograms_.find(node.plane);
        if (found == histograms_.end()) {
            const auto& asked = next_.histogram_of;
            if (std::count(asked.begin(), asked.end(), node.plane) == 0) ask_ahead(node, shape, 0, 0.0);
            ask();
            found = histograms_.find(node.plane);
        }
        out.put(found->second.data(), shape, next_.units);
        histograms_.erase(found);
    }

    std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) override {
        next_.split_node.push_back(node.plane);
        next_.split_feature.push_back(feature);
        next_.goes_left.insert(next_.goes_left.end(), goes_left, goes_left + table_.n_bins[feature] + 1);
        const int left = 2 * n_splits_++ + 1;
        return {{0, 0, left}, {0, 0, left + 1}};
    }

    std::pair<Segment, Segment> gather(const Segment&, const std::vector<Segment>&,
                                       const std::vector<Segment>&) override {
        throw std::logic_error("boosted trees have no cells to gather");
    }

private:
    // Sends everything that waits, and keeps the answers.
    void ask() const {
        const BoosterAnswer answer = exchange_->ask(next_);
        std::size_t n = 2 * next_.totals_of.size();
        for (const auto words : n_words_) n += words;
        if (answer.words.size() != n) throw std::invalid_argument("the answer has a wrong number of words");
        const std::uint64_t* words = answer.words.data();
        for (const auto node : next_.totals_of) {
            totals_[node] = {static_cast<std::int64_t>(words[0]), static_cast<std::int64_t>(words[1])};
            words += 2;
        }
        for (std::size_t h = 0; h < n_words_.size(); ++h) {
            histograms_[next_.histogram_of[h]].assign(words, words + n_words_[h]);
            words += n_words_[h];
        }
        next_.first_split = n_splits_;
        for (auto* sent : {&next_.split_node, &next_.split_feature, &next_.totals_of, &next_.histogram_of,
                           &next_.features, &next_.n_features})
            sent->clear();
        next_.goes_left.clear();
        n_words_.clear();
    }

    const BinnedTable table_;
    BoosterExchange* exchange_ = nullptr;
    int n_splits_ = 0;
    // totals() is const for holders that count rows; here it asks
    mutable BoosterQuestion next_;
    mutable std::vector<std::int64_t> n_words_;
    mutable std::map<int, GradientPair> totals_;
    mutable std::map<int, std::vector<std::uint64_t>> histograms_;
};

class FarBooster final : RowsOfBooster {
public:
    // rows.table has bins but no rows; the other arrays are those of all n rows.
    FarBooster(const LabelledRows& rows, std::int64_t n, const BoostParams& params)
        : subsample_(params.subsample),
          train_(rows_where(rows.held_out, n, false)),
          held_out_(rows_where(rows.held_out, n, true)),
          loss_(params.loss, {train_.data(), static_cast<std::int64_t>(train_.size()), rows.labels, rows.weights}),
          auc_(auc_of(rows, held_out_)),
          round_(make_round(rows.table, params, loss_.rows())),
          rows_(rows.table),
          score_(loss_.pairwise() ? n : static_cast<std::int64_t>(held_out_.size()), loss_.start()) {
        if (!loss_.pairwise()) train_ = {};  // the loss has summed them up
    }

    double start() const { return loss_.start(); }

    // Runs rounds until there are `n_rounds`; asks questions.
    void advance_to(int n_rounds, BoosterExchange& exchange) {
        exchange_ = &exchange;
        while (static_cast<int>(trees.size()) < n_rounds) {
            const std::size_t round = trees.size();
            const bool given = round < given_.size();
            BoostedTree tree = given ? given_[round] : round_->grow(*this, static_cast<int>(round));
            end_round(tree);
            tree.leaf_rows = {};
            trees.push_back(std::move(tree));
        }
    }

    // Takes trees as its first rounds.
    void resume(std::vector<BoostedTree> first) { given_ = std::move(first); }

    std::vector<BoostedTree> trees;
    std::vector<double> curve;  // AUC on held-out rows after each round; empty without such rows

private:
    // A pairwise loss needs the scores of all rows. They are kept here, and the partitions say in which leaves rows
    // are. The other one needs the scores of held-out rows only.
    Extremes derive() override {
        if (loss_.pairwise())
            return derive_all(loss_.at(score_.data()), loss_.rows(), score_.data(),
                              [](std::uint32_t, const Derivatives&) {});
        if (trees.empty() && !asked_) {
            BoosterQuestion question = ending();
            most_ = extremes_of(exchange_->ask(std::move(question)));
            asked_ = true;
        }
        return most_;
    }

    RowHolder<GradientHistogram>& draw(const GradientUnits& units, std::uint64_t key) override {
        BoosterQuestion question;
        question.round = static_cast<std::int32_t>(trees.size());
        question.sums = loss_.at(score_.data());
        question.units = units;
        question.key = key;
        question.subsample = subsample_;
        rows_.begin(std::move(question), *exchange_);
        return rows_;
    }

    BoosterQuestion ending() {
        BoosterQuestion question;
        question.ends = true;
        question.round = static_cast<std::int32_t>(trees.size());
        question.extremes = !loss_.pairwise();
        if (question.extremes) question.sums = loss_.at(nullptr);
        return question;
    }

    void end_round(const BoostedTree& tree) {
        BoosterQuestion question = ending();
        question.has_tree = true;
        question.tree = tree;
        question.tree.leaf_rows = {};
        question.leaves_of = loss_.pairwise()    ? AskedRows::all
                             : held_out_.empty() ? AskedRows::none
                                                 : AskedRows::held_out;
        for (const auto& leaf : tree.leaf_rows) question.leaf_node.push_back(leaf.plane);
        const auto& unsent = rows_.unsent();
        question.first_split = unsent.first_split;
        question.split_node = unsent.split_node;
        question.split_feature = unsent.split_feature;
        question.goes_left = unsent.goes_left;
        const BoosterAnswer answer = exchange_->ask(std::move(question));
        most_ = extremes_of(answer);
        add_leaves(tree, answer);
        if (held_out_.empty()) return;
        if (loss_.pairwise()) curve.push_back(auc_(values_of(score_.data(), held_out_).data()));
        else curve.push_back(auc_(score_.data()));
    }

    static Extremes extremes_of(const BoosterAnswer& answer) {
        Extremes most;
        for (const auto& part : answer.parts) {
            Extremes of_part;
            if (part.size() < sizeof of_part) throw std::invalid_argument("the answer is too short");
            std::memcpy(&of_part, part.data(), sizeof of_part);
            most.add(of_part);
        }
        return most;
    }

    void add_leaves(const BoostedTree& tree, const BoosterAnswer& answer) {
        if (score_.empty()) return;
        const std::size_t bytes = leaf_bytes(tree.value.size());
        std::size_t row = 0;
        for (const auto& part : answer.parts) {
            const std::size_t n = (part.size() - sizeof(Extremes)) / bytes;
            if (n > score_.size() - row) throw std::invalid_argument("the answer has too many rows");
            for (std::size_t i = 0; i < n; ++i) {
                std::uint32_t leaf = 0;
                std::memcpy(&leaf, part.data() + sizeof(Extremes) + i * bytes, bytes);
                score_[row++] += tree.value.at(leaf);
            }
        }
        if (row != score_.size()) throw std::invalid_argument("the answer has too few rows");
    }

    const double subsample_;
    std::vector<std::uint32_t> train_;
    const std::vector<std::uint32_t> held_out_;
    RankLoss loss_;
    HeldOutAuc auc_;
    std::unique_ptr<BoostingRound> round_;
    FarRows rows_;
    std::vector<double> score_;  // of all rows, or of the held-out rows
    std::vector<BoostedTree> given_;
    Extremes most_;
    bool asked_ = false;
    BoosterExchange* exchange_ = nullptr;
};

}  // namespace rankforest
