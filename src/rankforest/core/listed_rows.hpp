// Rows of a tree that stay in the table, for tables too large to be copied: a node is a run of an array of row numbers.
// Histograms are built from copies of a few thousand rows at a time.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "multiplicities.hpp"
#include "row_holder.hpp"
#include "rows.hpp"
#include "table.hpp"
#include "team.hpp"

namespace rankforest {

template <class Code, class Histogram>
class ListedRows final : public RowHolder<Histogram> {
public:
    using Tag = typename Histogram::Tag;
    using Store = RowStore<Code, Tag>;

    // weights: mass of each row of the table, or null if each counts one. times: how often each row is drawn.
    ListedRows(const BinnedTable& table, const std::uint8_t* labels, const std::int64_t* weights, Multiplicities times,
               int n_classes, Team* team = nullptr)
        : codes_(static_cast<const Code*>(table.codes)),
          n_features_(table.n_features),
          labels_(labels),
          weights_(weights),
          n_classes_(n_classes),
          team_(team),
          times_(std::move(times)) {
        const auto n = static_cast<std::uint32_t>(table.n_rows);
        std::uint32_t drawn = 0;
        for (std::uint32_t row = 0; row < n; ++row) drawn += times_[row] > 0;
        order_.reserve(drawn);
        for (std::uint32_t row = 0; row < n; ++row) {
            if (times_[row] == 0) continue;
            order_.push_back(row);
            max_weight_ = std::max(max_weight_, weight(row));
        }
        spare_.resize(order_.size());
    }

    Segment root() const override { return {0, static_cast<std::int64_t>(order_.size()), 0}; }

    double totals(const Segment& node, double* mass) const override {
        std::vector<std::int64_t> sums(n_classes_, 0);  // of whole numbers, so exact in any order
        std::int64_t count = 0;
        for (std::int64_t i = node.begin; i < node.end; ++i) {
            sums[labels_[order_[i]]] += weight(order_[i]);
            count += times_[order_[i]];
        }
        for (int k = 0; k < n_classes_; ++k) mass[k] = static_cast<double>(sums[k]);
        return static_cast<double>(count);
    }

    void histogram(const Segment& node, const HistogramShape& shape, std::int64_t weight, Histogram& out) override {
        const auto build = [&](const Segment& part, Histogram& to) { build_in_chunks(part, shape, weight, to); };
        if (is_shared(team_, node.size() * shape.size())) build_shared(*team_, node, parts_, out, build);
        else build(node, out);
    }

    // Stable partition: both sides keep the order of the rows.
    std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) override {
        const std::int64_t n_left = is_shared(team_, node.size() * 4) ? split_shared(node, feature, goes_left)
                                                                      : split_alone(node, feature, goes_left);
        const std::int64_t middle = node.begin + n_left;
        return {{node.begin, middle, 0}, {middle, node.end, 0}};
    }

    std::pair<Segment, Segment> gather(const Segment& cell, const std::vector<Segment>& left,
                                       const std::vector<Segment>& right) override {
        std::int64_t at = cell.begin, middle = cell.begin;
        for (const auto* side : {&left, &right}) {
            for (const Segment& s : *side) {
                std::copy(order_.begin() + s.begin, order_.begin() + s.end, spare_.begin() + at);
                at += s.size();
            }
            if (side == &left) middle = at;
        }
        std::copy(spare_.begin() + cell.begin, spare_.begin() + cell.end, order_.begin() + cell.begin);
        return {{cell.begin, middle, 0}, {middle, cell.end, 0}};
    }

    // Copies the rows of a node to the start of a store.
    void copy_to(Store& store, const Segment& node) const {
        constexpr std::int64_t ahead = 16;
        for (std::int64_t i = node.begin; i < node.end; ++i) {
            if (i + ahead < node.end) __builtin_prefetch(codes_of(order_[i + ahead]));
            const std::uint32_t row = order_[i];
            Tag tag = Tag::make(labels_[row], weight(row));
            if constexpr (requires { tag.multiplicity; }) tag.multiplicity = static_cast<std::int32_t>(times_[row]);
            store.put(0, i - node.begin, codes_of(row), n_features_, tag);
        }
    }

    std::int64_t max_weight() const { return max_weight_; }

private:
    static constexpr std::int64_t chunk_rows = 1 << 15;

    void build_in_chunks(const Segment& node, const HistogramShape& shape, std::int64_t weight, Histogram& out) const {
        Store store(std::min(node.size(), chunk_rows), n_features_);
        std::unique_ptr<Histogram> part;
        for (std::int64_t begin = node.begin;; begin += chunk_rows) {
            const Segment chunk{begin, std::min(begin + chunk_rows, node.end), 0};
            copy_to(store, chunk);
            const bool first = begin == node.begin;
            if (!first && !part) part = std::make_unique<Histogram>(n_classes_);
            Histogram& to = first ? out : *part;
            to.build(store, {0, chunk.size(), 0}, shape, weight, max_weight_);
            if (!first) out.add(*part);
            if (chunk.end == node.end) return;
        }
    }

    std::int64_t split_alone(const Segment& node, int feature, const std::uint8_t* goes_left) {
        std::int64_t n_left = 0, n_right = 0;
        std::uint32_t *const order = order_.data() + node.begin, *const spare = spare_.data() + node.begin;
        for (std::int64_t i = 0; i < node.size(); ++i) {
            const std::uint32_t row = order[i];
            const std::int64_t left = goes_left[codes_of(row)[feature]];
            order[n_left] = row;  // branchless: both are written, one is kept
            spare[n_right] = row;
            n_left += left;
            n_right += 1 - left;
        }
        std::copy(spare, spare + n_right, order + n_left);
        return n_left;
    }

    // Each thread partitions its part; then the parts are joined.
    std::int64_t split_shared(const Segment& node, int feature, const std::uint8_t* goes_left) {
        const int n = team_->size();
        std::vector<std::int64_t> left(n + 1, 0), right(n + 1, 0);
        team_->share(node.begin, node.end, [&](int member, std::int64_t begin, std::int64_t end) {
            left[member + 1] = split_alone({begin, end, 0}, feature, goes_left);
            right[member + 1] = end - begin - left[member + 1];
        });
        for (int member = 0; member < n; ++member) {
            left[member + 1] += left[member];
            right[member + 1] += right[member];
        }
        team_->share(node.begin, node.end, [&](int member, std::int64_t begin, std::int64_t end) {
            const auto middle = order_.begin() + begin + (left[member + 1] - left[member]);
            std::copy(order_.begin() + begin, middle, spare_.begin() + node.begin + left[member]);
            std::copy(middle, order_.begin() + end, spare_.begin() + node.begin + left[n] + right[member]);
        });
        team_->share(node.begin, node.end, [&](int, std::int64_t begin, std::int64_t end) {
            std::copy(spare_.begin() + begin, spare_.begin() + end, order_.begin() + begin);
        });
        return left[n];
    }

    const Code* codes_of(std::uint32_t row) const { return codes_ + static_cast<std::int64_t>(row) * n_features_; }
    std::int64_t weight(std::uint32_t row) const {
        return static_cast<std::int64_t>(times_[row]) * (weights_ ? weights_[row] : 1);
    }

    const Code* const codes_;
    const int n_features_;
    const std::uint8_t* const labels_;
    const std::int64_t* const weights_;
    const int n_classes_;
    Team* const team_;
    std::int64_t max_weight_ = 1;
    const Multiplicities times_;
    std::vector<std::uint32_t> order_, spare_;
    std::vector<Histogram> parts_;
};

}  // namespace rankforest
