// Grows a symmetric tree (oblivious decision table): all nodes of a level share the feature, the cut, the side of
// missing values and the set of categories. The gain of a split is the sum of its Newton gains in all nodes. Such a
// tree has few parameters for its number of leaves, and a row finds its leaf without a walk.
//
//     level -> histograms of its nodes -> gains of each cut, summed over the nodes -> rows moved
//
// A node may have an empty side. Only l2 limits the steps of small leaves: min_samples_leaf does not apply, because one
// small node would forbid a split to all others.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "category_chance.hpp"
#include "gradient_criterion.hpp"
#include "gradient_histogram.hpp"
#include "group_scan.hpp"
#include "grower.hpp"
#include "random.hpp"
#include "row_holder.hpp"
#include "table.hpp"

namespace rankforest {

class SymmetricGrower {
public:
    static constexpr int most_levels = 10;

    SymmetricGrower(const BinnedTable& table, const GradientTreeParams& params)
        : table_(table), params_(params), goes_left_(std::size_t{1} << (8 * table.code_bytes)) {}

    // A complete tree, its nodes level by level. It ends at the level where no split has a gain.
    GrownTree grow(RowHolder<GradientHistogram>& rows, const std::vector<int>& features, std::uint64_t key) {
        rows_ = &rows;
        tree_ = GrownTree();
        draw_features(features, params_.max_features, GradientCriterion::feature_key(key), drawn_);
        shape_.set(table_, drawn_);
        l2_ = least_l2(params_) * params_.units.hessian;
        rows.ask_ahead(rows.root(), shape_, 0, 0.0);
        double sums[2];
        const double count = rows.totals(rows.root(), sums);
        add_node(0, rows.root(), count, sums);
        level_.clear();
        level_.push_back({0, nullptr});
        if (count >= 2.0) level_[0].histogram = histogram_of(rows.root());
        const int depth = n_levels();
        for (int d = 0; d < depth; ++d) {
            const Split split = best_split(child_key(key, 3 + d));
            if (!split.valid()) break;
            apply(split, d, d + 1 < depth);
        }
        for (auto& node : level_) release(std::move(node.histogram));
        return std::move(tree_);
    }

    // The Newton step of a leaf; 0 for an empty one.
    static double step(const GradientTreeParams& params, const double* mass) {
        const double h = mass[1] / params.units.hessian + least_l2(params);
        return mass[0] != 0.0 ? -(mass[0] / params.units.gradient) / h : 0.0;
    }

private:
    using HistogramPtr = std::unique_ptr<GradientHistogram>;
    struct Open {
        int node;
        HistogramPtr histogram;  // null for nodes of fewer than two rows: they do not vote
    };

    // A leaf may have almost no hessian, so its step needs a limit also if l2 is 0.
    static double least_l2(const GradientTreeParams& params) { return std::max(params.l2, params.min_hessian_leaf); }

    int n_levels() const {
        const int by_leaves = std::bit_width(static_cast<unsigned>(std::max(params_.max_leaf_nodes, 1))) - 1;
        return std::min({params_.max_depth, by_leaves, most_levels});
    }

    void add_node(int depth, const Segment& rows, double count, const double* mass) {
        GrownNode node;
        node.depth = depth;
        node.rows = rows;
        node.count = count;
        tree_.nodes.push_back(std::move(node));
        tree_.masses.insert(tree_.masses.end(), mass, mass + 2);
    }

    HistogramPtr acquire() {
        if (free_.empty()) return std::make_unique<GradientHistogram>();
        HistogramPtr histogram = std::move(free_.back());
        free_.pop_back();
        return histogram;
    }
    void release(HistogramPtr histogram) {
        if (histogram) free_.push_back(std::move(histogram));
    }
    HistogramPtr histogram_of(const Segment& rows) {
        HistogramPtr histogram = acquire();
        rows_->histogram(rows, shape_, 0, *histogram);
        return histogram;
    }

    // ---- the best split of the level

    Split best_split(std::uint64_t key) {
        voters_.clear();
        base_ = 0.0;
        for (const auto& open : level_) {
            if (!open.histogram) continue;
            const double* mass = tree_.mass(open.node, 2);
            base_ += mass[0] * mass[0] / (mass[1] + l2_);
            voters_.push_back(&open);
        }
        const GradientUnits& units = params_.units;
        Split best;  // the least gain of a split is more than the rounding error, as in NewtonGain
        const double to_beat = base_ * (1.0 + 1e-12) + 1e-9 * units.gradient * units.gradient / units.hessian;
        best.gain = to_beat;
        for (int first = 0; first < shape_.size(); first += FeatureGroup::lanes) scan_group(first, key, best);
        if (!best.valid()) return best;
        best.priority = (best.gain - base_) / static_cast<double>(level_.size());
        return best;
    }

    // Features first .. first + 3 of the histograms: the numeric ones together, then each categorical one.
    void scan_group(int first, std::uint64_t key, Split& best) {
        const int last = std::min(first + FeatureGroup::lanes, shape_.size());
        int n_bins = 0;
        bool missing = false;
        for (int p = first; p < last; ++p) {
            if (table_.categorical[shape_.features[p]]) continue;
            n_bins = std::max(n_bins, shape_.n_bins[p]);
            missing |= any_rows(p, 0);
        }
        if (n_bins > 0) {
            sum_gains(first, n_bins, false, gain_[0]);
            if (missing) sum_gains(first, n_bins, true, gain_[1]);
        }
        for (int p = first; p < last; ++p) {
            if (table_.categorical[shape_.features[p]]) scan_categories(p, key, best);
            else keep_best_cut(p, key, best);
        }
    }

    bool any_rows(int position, int code) const {
        return std::any_of(voters_.begin(), voters_.end(),
                           [&](const Open* open) { return !open->histogram->empty(shape_, position, code); });
    }

    void sum_gains(int first, int n_bins, bool missing_left, std::vector<double>& gain) {
        gain.assign(static_cast<std::size_t>(n_bins) * FeatureGroup::lanes, 0.0);
        for (const Open* open : voters_) {
            const double* mass = tree_.mass(open->node, 2);
            add_gains({open->histogram->column(shape_, first), n_bins, params_.units.count_bits, missing_left, mass[0],
                       mass[1], l2_},
                      gain.data());
        }
    }

    void keep_best_cut(int position, std::uint64_t key, Split& best) {
        const int feature = shape_.features[position], lane = FeatureGroup::lane_of[position % FeatureGroup::lanes];
        int low = 1, high = shape_.n_bins[position];
        if (params_.random_cuts) {
            low = high = draw_code(position, GradientCriterion::cut_key(key, feature));
            if (low == 0) return;
        }
        for (const bool missing_left : {false, true}) {
            if (missing_left && !any_rows(position, 0)) break;
            const double* gain = gain_[missing_left].data() + lane;
            for (int cut = low; cut <= high; ++cut) {
                if (!(gain[(cut - 1) * FeatureGroup::lanes] > best.gain)) continue;
                best = Split();
                best.feature = feature;
                best.position = position;
                best.gain = gain[(cut - 1) * FeatureGroup::lanes];
                best.cut = cut;
                best.missing_left = missing_left;
            }
        }
    }

    // A random cut between the least and the greatest code of the level; 0 if there is none.
    int draw_code(int position, std::uint64_t key) const {
        int low = 1, high = shape_.n_bins[position];
        while (low < high && !any_rows(position, low)) ++low;
        while (high > low && !any_rows(position, high)) --high;
        if (low < high) return low + static_cast<int>(Stream(key).below(static_cast<std::uint32_t>(high - low)));
        return any_rows(position, 0) ? shape_.n_bins[position] : 0;  // missing values against all others
    }

    // Sorts the categories by their smoothed Newton steps in the whole level; prefixes are the cuts. The order is
    // fitted once for all nodes, so the discount for many categories is shared between them.
    void scan_categories(int position, std::uint64_t key, Split& best) {
        const int feature = shape_.features[position], n_codes = shape_.n_bins[position] + 1;
        place_.resize(n_codes);
        order_.clear();
        counts_.assign(n_codes, 0.0);
        sums_.assign(2 * n_codes, 0.0);
        for (int code = 0; code < n_codes; ++code) {
            double* sums = sums_.data() + 2 * code;
            for (const Open* open : voters_) counts_[code] += open->histogram->add_to(shape_, position, code, sums);
            if (counts_[code] == 0.0) continue;
            order_.push_back(code);
            place_[code] = sums[0] / (sums[1] + params_.category_smoothing * params_.units.hessian + 1.0);
        }
        if (order_.size() < 2) return;
        const double kept = kept_gain();
        if (kept == 0.0) return;
        std::sort(order_.begin(), order_.end(),
                  [&](int a, int b) { return place_[a] != place_[b] ? place_[a] < place_[b] : a < b; });
        const std::size_t n_prefixes = order_.size() - 1;
        const double more = params_.category_l2 * static_cast<double>(n_prefixes - 1) * params_.units.hessian /
                            static_cast<double>(voters_.size());
        prefix_gain_.assign(n_prefixes, 0.0);
        for (const Open* open : voters_) {
            const double* mass = tree_.mass(open->node, 2);
            double left[2] = {0.0, 0.0};
            for (std::size_t i = 0; i < n_prefixes; ++i) {
                open->histogram->add_to(shape_, position, order_[i], left);
                prefix_gain_[i] += newton_gain<double>(left[0], left[1] + (l2_ + more), mass[0] - left[0],
                                                       mass[1] - left[1] + (l2_ + more));
            }
        }
        std::size_t low = 0, high = n_prefixes - 1;
        if (params_.random_cuts)
            low = high = Stream(GradientCriterion::cut_key(key, feature)).below(static_cast<std::uint32_t>(n_prefixes));
        for (std::size_t i = low; i <= high; ++i) {
            const double gain = kept < 1.0 ? base_ + kept * (prefix_gain_[i] - base_) : prefix_gain_[i];
            if (gain > best.gain) keep_prefix(position, i + 1, gain, best);
        }
    }

    // How much of the gains of a categorical feature is more than chance, in the whole level.
    double kept_gain() const {
        const double n_surplus = surplus_categories(order_.size());
        if (!params_.category_discount || n_surplus <= 0.0) return 1.0;
        return by_newton_steps(order_, n_surplus, params_.units.gradient, params_.units.hessian,
                               [&](int code) { return sums_.data() + 2 * code; });
    }

    // Categories absent from the level go to the side of the missing values; without missing values, to the side with
    // more rows.
    void keep_prefix(int position, std::size_t size, double gain, Split& best) {
        best = Split();
        best.feature = shape_.features[position];
        best.position = position;
        best.gain = gain;
        double count = 0.0, left_count = 0.0;
        for (std::size_t i = 0; i < order_.size(); ++i) {
            count += counts_[order_[i]];
            if (i < size) left_count += counts_[order_[i]];
        }
        const int n_codes = static_cast<int>(counts_.size());
        best.left_codes.assign((n_codes + 63) / 64, 0);
        const auto put_left = [&](int code) { best.left_codes[code >> 6] |= std::uint64_t{1} << (code & 63); };
        for (std::size_t i = 0; i < size; ++i) put_left(order_[i]);
        best.missing_left = counts_[0] > 0.0 ? (best.left_codes[0] & 1) != 0 : 2.0 * left_count >= count;
        for (int code = 0; code < n_codes; ++code)
            if (counts_[code] == 0.0 && best.missing_left) put_left(code);
    }

    // ---- the next level

    // Sums of a node on the left of the split; returns its rows there.
    double left_of(const Open& open, const Split& split, double* sums) const {
        const int n_codes = shape_.n_bins[split.position] + 1;
        double count = 0.0;
        sums[0] = sums[1] = 0.0;
        for (int code = 0; code < n_codes; ++code)
            if (goes_left_[code]) count += open.histogram->add_to(shape_, split.position, code, sums);
        return count;
    }

    void apply(Split split, int depth, bool more) {
        if (split.left_codes.empty() && !any_rows(split.position, 0)) {
            split.missing_left = false;
            split.missing_left = heavier_left(split);
        }
        split.sides(table_.n_bins[split.feature] + 1, goes_left_.data());
        std::vector<std::pair<Segment, Segment>> parts;
        for (const auto& open : level_) {
            parts.push_back(rows_->split(node_of(open).rows, split.feature, goes_left_.data()));
            if (!open.histogram && node_of(open).count > 0.0) rows_->ask_totals_ahead(parts.back().first);
        }
        std::vector<Open> next;
        for (std::size_t i = 0; i < level_.size(); ++i) {
            const Open& open = level_[i];
            const int left = static_cast<int>(tree_.nodes.size());
            double sums[2] = {0.0, 0.0}, count = 0.0;
            if (open.histogram) count = left_of(open, split, sums);
            else if (node_of(open).count > 0.0) count = rows_->totals(parts[i].first, sums);
            const double* mass = tree_.mass(open.node, 2);
            const double right[2] = {mass[0] - sums[0], mass[1] - sums[1]};
            const double right_count = tree_.nodes[open.node].count - count;
            GrownNode& node = tree_.nodes[open.node];
            node.split = split;
            node.left = left;
            node.right = left + 1;
            add_node(depth + 1, parts[i].first, count, sums);
            add_node(depth + 1, parts[i].second, right_count, right);
            next.push_back({left, nullptr});
            next.push_back({left + 1, nullptr});
        }
        if (more && rows_->is_far())
            for (std::size_t i = 0; i < next.size(); i += 2) ask_ahead(next[i], next[i + 1]);
        for (std::size_t i = 0; i < level_.size(); ++i) {
            if (more) open_children(std::move(level_[i].histogram), next[2 * i], next[2 * i + 1]);
            else release(std::move(level_[i].histogram));
        }
        level_ = std::move(next);
    }

    // Whether the left side of a numeric split has at least half of the rows of the level.
    bool heavier_left(const Split& split) const {
        double left = 0.0, all = 0.0, sums[2];
        for (const Open* open : voters_) {
            left += open->histogram->sum(shape_, split.position, 1, split.cut, sums);
            all += tree_.nodes[open->node].count;
        }
        return 2.0 * left >= all;
    }

    const GrownNode& node_of(const Open& open) const { return tree_.nodes[open.node]; }
    bool subtracts(const Open& large) const {
        return GradientHistogram::pays_to_subtract(static_cast<std::int64_t>(node_of(large).count), shape_);
    }

    // Says which histograms open_children() will ask for.
    void ask_ahead(const Open& left, const Open& right) {
        const bool left_larger = node_of(left).count > node_of(right).count;
        const Open &large = left_larger ? left : right, &small = left_larger ? right : left;
        if (node_of(large).count < 2.0 || node_of(small).count == 0.0) return;
        rows_->ask_ahead(node_of(small).rows, shape_, 0, 0.0);
        if (!subtracts(large)) rows_->ask_ahead(node_of(large).rows, shape_, 0, 0.0);
    }

    // Histograms of two children: of the smaller one from its rows, of the other by subtraction.
    void open_children(HistogramPtr parent, Open& left, Open& right) {
        const bool left_larger = node_of(left).count > node_of(right).count;
        Open &large = left_larger ? left : right, &small = left_larger ? right : left;
        if (node_of(large).count < 2.0) return release(std::move(parent));
        if (node_of(small).count == 0.0) {
            large.histogram = std::move(parent);
            return;
        }
        HistogramPtr of_small = histogram_of(node_of(small).rows);
        if (subtracts(large)) {
            parent->subtract(*of_small, 0);
            large.histogram = std::move(parent);
        } else {
            release(std::move(parent));
            large.histogram = histogram_of(node_of(large).rows);
        }
        if (node_of(small).count >= 2.0) small.histogram = std::move(of_small);
        else release(std::move(of_small));
    }

    const BinnedTable& table_;
    const GradientTreeParams& params_;
    std::vector<std::uint8_t> goes_left_;

    RowHolder<GradientHistogram>* rows_ = nullptr;
    GrownTree tree_;
    HistogramShape shape_;
    double l2_ = 0.0;    // in units of the hessian
    double base_ = 0.0;  // gain of the level without a split
    std::vector<Open> level_;
    std::vector<const Open*> voters_;                          // nodes of the level with at least two rows
    std::vector<double> gain_[2];                              // of all cuts: missing values right, left
    std::vector<double> prefix_gain_, place_, counts_, sums_;  // of a categorical feature
    std::vector<int> order_, drawn_;
    std::vector<HistogramPtr> free_;
};

}  // namespace rankforest
