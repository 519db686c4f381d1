// The state of a booster on the rows of one partition, and its answers.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "booster_question.hpp"
#include "booster_rows.hpp"

namespace rankforest {

class BoosterPart {
public:
    virtual ~BoosterPart() = default;

    // Whether the state is the one before this question, or the one after it: then the question is only answered again.
    virtual bool knows(const BoosterQuestion& question) const = 0;
    // Changes the state as the question says, without an answer.
    virtual void follow(const BoosterQuestion& question) = 0;
    // Words of a question of the first kind, after follow().
    virtual std::vector<std::uint64_t> words(const BoosterQuestion& question) = 0;
    // Bytes of a question of the second kind, after follow(): extremes, then the leaves.
    virtual std::vector<std::uint8_t> leaves(const BoosterQuestion& question) = 0;
};

template <class Code>
class BoosterPartOf final : public BoosterPart {
public:
    BoosterPartOf(const LabelledRows& rows, double start) : table_(rows.table), rows_(rows, nullptr) {
        rows_.start_at(start, false);
    }

    bool knows(const BoosterQuestion& q) const override {
        if (q.ends) {
            if (!q.has_tree) return n_trees_ == 0 && !drawn_;
            return q.round == n_trees_ || (q.round == n_trees_ - 1 && !drawn_);
        }
        return q.round == n_trees_ && n_splits() >= q.first_split && (drawn_ || q.first_split == 0);
    }

    void follow(const BoosterQuestion& q) override {
        if (!q.ends) return grow(q);
        if (!q.has_tree || q.round != n_trees_) return;
        if (drawn_ && n_splits() >= q.first_split) {
            split(q);
            std::vector<Segment> leaf_rows;
            for (const auto node : q.leaf_node) leaf_rows.push_back(nodes_.at(node));
            rows_.add_grown(q.tree, leaf_rows);
        } else {
            rows_.add(q.tree);
        }
        ++n_trees_;
        drawn_ = derived_ = false;
        nodes_.clear();
    }

    std::vector<std::uint64_t> words(const BoosterQuestion& q) override {
        std::vector<std::uint64_t> found;
        for (const auto node : q.totals_of) {
            const GradientPair all = rows_.holder().sum(nodes_.at(node));
            found.push_back(static_cast<std::uint64_t>(all.gradient));
            found.push_back(static_cast<std::uint64_t>(all.hessian_and_count));
        }
        auto feature = q.features.begin();
        for (std::size_t h = 0; h < q.histogram_of.size(); ++h) {
            shape_.set(table_, std::vector<int>(feature, feature + q.n_features[h]));
            feature += q.n_features[h];
            rows_.holder().histogram(nodes_.at(q.histogram_of[h]), shape_, 0, histogram_);
            histogram_.take(words_);
            found.insert(found.end(), words_.begin(), words_.end());
        }
        return found;
    }

    std::vector<std::uint8_t> leaves(const BoosterQuestion& q) override {
        Extremes most;
        if (q.extremes) {
            most = rows_.derive(q.sums);
            derived_ = true;
        }
        std::vector<std::uint8_t> found(sizeof most);
        std::memcpy(found.data(), &most, sizeof most);
        if (q.leaves_of == AskedRows::none) return found;
        const bool all = q.leaves_of == AskedRows::all;
        const auto& rows = rows_.held_out();
        const auto* codes = static_cast<const Code*>(table_.codes);
        const std::int64_t n = all ? table_.n_rows : static_cast<std::int64_t>(rows.size()), q_ = table_.n_features;
        const int bytes = leaf_bytes(q.tree.value.size());
        found.resize(sizeof most + n * bytes);
        RowWalk(q.tree, table_)(
            0, n, [&](std::int64_t i) { return codes + (all ? i : rows[i]) * q_; },
            [&](std::int64_t i, std::uint32_t leaf) {
                std::memcpy(found.data() + sizeof most + i * bytes, &leaf, bytes);  // little-endian
            });
        return found;
    }

private:
    int n_splits() const { return nodes_.empty() ? 0 : (static_cast<int>(nodes_.size()) - 1) / 2; }

    void grow(const BoosterQuestion& q) {
        if (!drawn_) {
            if (!derived_) rows_.derive(q.sums);
            rows_.draw(q.units, q.subsample, q.key);
            nodes_.assign(1, rows_.holder().root());
            drawn_ = true;
        }
        split(q);
    }

    // Makes the splits that are new.
    void split(const BoosterQuestion& q) {
        const std::uint8_t* goes_left = q.goes_left.data();
        for (std::size_t s = 0; s < q.split_node.size(); ++s) {
            const int feature = q.split_feature[s];
            if (q.first_split + static_cast<int>(s) == n_splits()) {
                const auto [left, right] = rows_.holder().split(nodes_.at(q.split_node[s]), feature, goes_left);
                nodes_.push_back(left);
                nodes_.push_back(right);
            }
            goes_left += table_.n_bins[feature] + 1;
        }
    }

    const BinnedTable table_;
    BoosterRows<Code> rows_;
    int n_trees_ = 0;
    bool derived_ = false;        // the loss is derived at the current scores
    bool drawn_ = false;          // the rows of the next tree are drawn
    std::vector<Segment> nodes_;  // of that tree
    HistogramShape shape_;
    GradientHistogram histogram_;
    HistogramWords words_;
};

inline std::unique_ptr<BoosterPart> make_part(const LabelledRows& rows, double start) {
    if (rows.table.code_bytes == 1) return std::make_unique<BoosterPartOf<std::uint8_t>>(rows, start);
    return std::make_unique<BoosterPartOf<std::uint16_t>>(rows, start);
}

}  // namespace rankforest
