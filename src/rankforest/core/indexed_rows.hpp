// Rows that are not copied: a node is a run of an array of row numbers. Boosting uses the same table in every round
// with new gradients and new samples, so moving the rows would not pay.
#pragma once
#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "code_layouts.hpp"
#include "gradient_histogram.hpp"
#include "row_holder.hpp"
#include "table.hpp"

namespace rankforest {

template <class CodeT>
class IndexedRows final : public RowHolder<GradientHistogram> {
public:
    using Code = CodeT;

    // pairs: gradient and hessian of each row of the table.
    IndexedRows(const BinnedTable& table, const GradientPair* pairs, const CodeLayouts* layouts = nullptr)
        : codes_(static_cast<const Code*>(table.codes)),
          n_rows_(table.n_rows),
          n_features_(table.n_features),
          pairs_(pairs),
          joint_(layouts ? layouts->joint.get() : nullptr),
          by_column_(layouts && !layouts->by_column.empty() ? reinterpret_cast<const Code*>(layouts->by_column.data())
                                                            : nullptr) {}

    // The threads of the team share the rows of large nodes; null: one thread.
    void set_team(Team* team) { team_ = team; }

    // Starts a tree on the rows of `order`, ascending. Splits reorder them: the rows of a leaf are order()[begin ..
    // end).
    void begin(std::vector<std::uint32_t> order, const GradientUnits& units) {
        order_ = std::move(order);
        units_ = units;
        spare_.resize(order_.size());
    }
    const std::vector<std::uint32_t>& order() const { return order_; }
    std::vector<std::uint32_t> take_order() { return std::move(order_); }

    // ---- interface of the histogram
    const GradientUnits& units() const { return units_; }
    const Code* codes(std::int64_t i) const { return codes_of(order_[i]); }
    const GradientPair* pair(std::int64_t i) const { return pairs_ + order_[i]; }
    void prefetch(std::int64_t i) const {
        __builtin_prefetch(codes(i));
        __builtin_prefetch(pair(i));
    }

    const std::uint8_t* joint_codes(std::int64_t i) const { return joint_->codes(order_[i]); }
    void prefetch_joint(std::int64_t i) const {
        __builtin_prefetch(joint_codes(i));
        __builtin_prefetch(pair(i));
    }

    GradientPair sum(const Segment& node) const {
        GradientPair all{};
        for (std::int64_t i = node.begin; i < node.end; ++i) {
            all.gradient += pair(i)->gradient;
            all.hessian_and_count += pair(i)->hessian_and_count;
        }
        return all;
    }

    // ---- interface of the grower
    Segment root() const override { return {0, static_cast<std::int64_t>(order_.size()), 0}; }

    double totals(const Segment& node, double* sums) const override {
        const GradientPair all = sum(node);
        sums[0] = units_.g(all);
        sums[1] = units_.h(all);
        return units_.count(all);
    }

    void histogram(const Segment& node, const HistogramShape& shape, std::int64_t weight,
                   GradientHistogram& out) override {
        const bool joint = joint_ && shape.all && joint_->pays(node.size());
        const auto build = [&](const Segment& part, GradientHistogram& to) {
            if (joint) to.build_joint(*this, part, shape, *joint_);
            else to.build(*this, part, shape, weight, 1);
        };
        if (is_shared(team_, node.size() * shape.size())) build_shared(*team_, node, parts_, out, build);
        else build(node, out);
    }

    // Stable partition: rows stay in memory order on both sides.
    std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) override {
        const bool shared = is_shared(team_, node.size() * 4);
        const auto apply = [&](const auto& code_of) {
            return shared ? split_shared(node, code_of, goes_left) : split_alone(node, code_of, goes_left);
        };
        const Code* column = by_column_ ? by_column_ + feature * n_rows_ : nullptr;
        const std::int64_t n_left = column ? apply([column](std::uint32_t row) { return column[row]; })
                                           : apply([&](std::uint32_t row) { return codes_of(row)[feature]; });
        return {{node.begin, node.begin + n_left, 0}, {node.begin + n_left, node.end, 0}};
    }

    // Not used: only master trees gather cells.
    std::pair<Segment, Segment> gather(const Segment&, const std::vector<Segment>&,
                                       const std::vector<Segment>&) override {
        throw std::logic_error("boosted trees have no cells to gather");
    }

private:
    template <class CodeOf>
    std::int64_t split_alone(const Segment& node, const CodeOf& code_of, const std::uint8_t* goes_left) {
        std::int64_t n_left = 0, n_right = 0;
        std::uint32_t* const order = order_.data() + node.begin;
        for (std::int64_t i = 0; i < node.size(); ++i) {
            const std::uint32_t row = order[i];
            const std::int64_t left = goes_left[code_of(row)];
            order[n_left] = row;  // branchless: both are written, one is kept
            spare_[n_right] = row;
            n_left += left;
            n_right += 1 - left;
        }
        std::copy(spare_.begin(), spare_.begin() + n_right, order + n_left);
        return n_left;
    }

    // Each thread partitions its part; then the parts are joined.
    template <class CodeOf>
    std::int64_t split_shared(const Segment& node, const CodeOf& code_of, const std::uint8_t* goes_left) {
        std::vector<std::int64_t> left(team_->size() + 1, 0), right(team_->size() + 1, 0);
        team_->share(node.begin, node.end, [&](int member, std::int64_t begin, std::int64_t end) {
            std::int64_t front = begin, back = end;  // left rows from the front, right rows from the back, reversed
            for (std::int64_t i = begin; i < end; ++i) {
                const std::uint32_t row = order_[i];
                const std::int64_t goes = goes_left[code_of(row)];
                spare_[goes ? front : back - 1] = row;
                front += goes;
                back -= 1 - goes;
            }
            left[member + 1] = front - begin;
            right[member + 1] = end - back;
        });
        for (int member = 0; member < team_->size(); ++member) {
            left[member + 1] += left[member];
            right[member + 1] += right[member];
        }
        const std::int64_t n_left = left.back();
        team_->share(node.begin, node.end, [&](int member, std::int64_t begin, std::int64_t end) {
            const std::int64_t middle = begin + left[member + 1] - left[member];
            std::copy(spare_.begin() + begin, spare_.begin() + middle, order_.begin() + node.begin + left[member]);
            std::reverse_copy(spare_.begin() + middle, spare_.begin() + end,
                              order_.begin() + node.begin + n_left + right[member]);
        });
        return n_left;
    }

    const Code* codes_of(std::uint32_t row) const { return codes_ + static_cast<std::int64_t>(row) * n_features_; }

    const Code* codes_;
    const std::int64_t n_rows_, n_features_;
    const GradientPair* pairs_;
    const JointColumns* const joint_;
    const Code* const by_column_;
    Team* team_ = nullptr;
    GradientUnits units_;
    std::vector<std::uint32_t> order_, spare_;
    std::vector<GradientHistogram> parts_;
};

}  // namespace rankforest
