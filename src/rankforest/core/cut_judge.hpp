// Base class of all split finders: which cuts are allowed, their gain, how categories are split in two, and the side of
// missing values.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "category_chance.hpp"
#include "category_counts.hpp"
#include "criterion.hpp"
#include "histogram.hpp"
#include "ordinal_criterion.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "split.hpp"
#include "table.hpp"

namespace rankforest {

// Whether a criterion works on gradients and hessians, not on two classes or k ordered classes.
template <class Criterion>
constexpr bool of_gradients = requires { Criterion::of_gradients; };

// Moves a cut to the middle of the empty bins after it, up to `last_equal`, the last bin that gives the same split.
// `next` is the next occupied bin; if there is none, the cut is after all bins.
inline int middle_cut(int cut, int next, int last_equal, int n_bins) {
    return next <= n_bins ? cut + (last_equal - cut) / 2 : n_bins;
}

// How far from one half of a node's share of the cell's balanced mass a cut may be, so that both sides keep the least
// share; negative if no cut can be made.
inline double share_reach(double share, double min_mass_leaf) {
    const double least = min_mass_leaf * (1.0 - 1e-12);  // tolerance: an equal share is allowed
    return 0.5 * share * (1.0 + 1e-15) - least;
}

template <class Criterion>
class CutJudge {
protected:
    // Boosted trees have a discount, thresholds of the RankBoost paper have none.
    static constexpr bool discounts_newton_steps = requires(const Criterion& c) { c.lowered(0.0, 1.0); };

    using Params = typename Criterion::Params;

    CutJudge(const BinnedTable& table, const Params& params, int n_sums)
        : table_(table), params_(params), n_sums_(n_sums), left_(n_sums) {}

    // The criterion of a node. Also sets the limits that its cuts must respect.
    Criterion criterion_of(const NodeTotals& node) {
        if constexpr (of_gradients<Criterion>) return Criterion(node, params_);
        else {
            set_limits(node);
            if constexpr (Criterion::bipartite) return Criterion(node.mass, node.cell_mass);
            else return Criterion(node.mass, node.cell_mass, params_.levels);
        }
    }

    // The gain that the first cut must exceed.
    static double to_beat(const Criterion& criterion) {
        if constexpr (of_gradients<Criterion>) return criterion.to_beat();
        else return least_gain;
    }

    bool allowed(const Criterion& criterion, const double* left, double count) const {
        if constexpr (of_gradients<Criterion>) return criterion.allows(left, count);
        else {
            if (!(std::abs(count - limits_.half_count) <= limits_.count_reach)) return false;
            if constexpr (!Criterion::bipartite) return true;
            double share = 0.0;
            for (int k = 0; k < n_sums_; ++k) share += left[k] * class_weight_[k];
            return std::abs(share - limits_.half_share) <= limits_.share_reach;
        }
    }

    // Whether the directions of the features admit a cut. The left side has the lower values of the feature. A cut that
    // splits off only the missing values (parts_values = false) may have any order.
    bool in_order(int feature, bool parts_values, const double* left, const NodeTotals& node,
                  [[maybe_unused]] const Criterion& criterion) const {
        const int direction = parts_values ? params_.direction(feature) : 0;
        if constexpr (of_gradients<Criterion>) {
            return direction == 0 || criterion.in_order(direction, left);
        } else if constexpr (Criterion::bipartite) {
            const double right[2] = {node.mass[0] - left[0], node.mass[1] - left[1]};
            if (direction == 0) return true;
            return direction > 0 ? odds(left) <= odds(right) : odds(left) >= odds(right);
        } else {
            const double low = Criterion::mean_label(params_.levels, [&](int k) { return left[k]; }),
                         high = Criterion::mean_label(params_.levels, [&](int k) { return node.mass[k] - left[k]; });
            const auto inside = [&](double mean) { return node.rules->low <= mean && mean <= node.rules->high; };
            if (node.rules && !(inside(low) && inside(high))) return false;
            return direction == 0 || (direction > 0 ? low <= high : low >= high);
        }
    }

    static double value(const Criterion& criterion, const double* left) {
        if constexpr (!of_gradients<Criterion> && Criterion::bipartite) {
            double gain, over;
            criterion.gain(left[0], left[1], gain, over);
            return gain / over;
        } else {
            return criterion.gain(left);
        }
    }

    // The side of missing values if the node has none: the heavier side.
    bool unseen_go_left(const Split& best, const NodeTotals& node) const {
        if constexpr (of_gradients<Criterion>) {
            return Criterion::unseen_go_left(best.left_count, node.count);
        } else {
            double left = 0.0, all = 0.0;
            for (int k = 0; k < n_sums_; ++k) {
                left += best.left_mass[k] * params_.unit_of(k);
                all += node.mass[k] * params_.unit_of(k);
            }
            return 2.0 * left >= all;
        }
    }

    void keep_numeric(int feature, int position, double gain, std::int64_t cut, bool missing_left, Split& best) const {
        if (cut == 0 || gain <= best.gain || table_.categorical[feature]) return;
        best.feature = feature;
        best.position = position;
        best.gain = gain;
        best.cut = static_cast<int>(cut);
        best.left_codes.clear();
        best.missing_left = missing_left;
    }

    // Weighted sum and mass of the observed values of a feature, from the means of its bins.
    template <class Histogram>
    void weigh_values(const Histogram& histogram, const HistogramShape& shape, int position, double& sum,
                      double& mass) {
        const double* means = table_.bin_means + table_.mean_offsets[shape.features[position]];
        sum = mass = 0.0;
        for (int code = 1; code <= shape.n_bins[position]; ++code) {
            histogram.read(shape, position, code, left_.data());
            double weight = 0.0;
            for (int k = 0; k < n_sums_; ++k) weight += left_[k] * params_.unit_of(k);
            sum += weight * means[code - 1];
            mass += weight;
        }
    }

    void clear_categories(int n_codes) {
        masses_.assign(n_codes * n_sums_, 0.0);
        counts_.assign(n_codes, 0.0);
        place_.resize(n_codes);
    }

    // Calls use(feature) for every categorical one of the features, after its categories in the rows were read.
    template <class Store, class Use>
    void for_categories_of(const Store& rows, const Segment& segment, const std::vector<int>& features,
                           const Use& use) {
        constexpr bool together = std::is_same_v<typename Store::Tag, CountTag>;
        if constexpr (together) category_counts_.count(rows, segment, features, table_);
        for (const int feature : features) {
            if (!table_.categorical[feature]) continue;
            if constexpr (together) read_categories(category_counts_.next(), table_.n_bins[feature] + 1);
            else count_categories(rows, segment, feature);
            use(feature);
        }
    }

    template <class Histogram>
    void read_categories(const Histogram& histogram, const HistogramShape& shape, int position) {
        const int n_codes = shape.n_bins[position] + 1;
        clear_categories(n_codes);
        for (int code = 0; code < n_codes; ++code)
            counts_[code] = histogram.read(shape, position, code, masses_.data() + code * n_sums_);
    }

    // Sorts the categories that were read and keeps the best prefix as the left side. With `only`, one prefix is drawn
    // at random. Then the categories are shuffled instead of sorted by the labels, unless the criterion smooths the
    // order: otherwise a feature with many categories would memorise the rows and win every node.
    template <class Draw = std::nullptr_t>
    bool split_categories(int feature, const NodeTotals& node, const Criterion& of_numbers, Split& best,
                          const Draw& only = nullptr) {
        constexpr bool draws = !std::is_same_v<Draw, std::nullptr_t>;
        if (params_.constraints.is_ordered(feature)) return split_ordered(feature, node, of_numbers, best, only);
        const int n_codes = static_cast<int>(counts_.size());
        order_.resize(n_codes);
        std::size_t n_present = 0;
        for (int code = 0; code < n_codes; ++code) {  // branchless: which categories occur is unpredictable
            order_[n_present] = code;
            n_present += counts_[code] > 0.0;
        }
        if (n_present < 2) return false;
        order_.resize(n_present);
        std::size_t drawn = 0;
        double discount = 1.0;
        if constexpr (draws && !of_gradients<Criterion>) {
            for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[only(i)]);
        } else {
            discount = category_discount();
            if (discount == 0.0) return false;
            sort_categories(of_numbers);
        }
        if constexpr (draws) drawn = 1 + only(order_.size() - 1);
        const Criterion& criterion = for_categories(of_numbers);
        std::fill(left_.begin(), left_.end(), 0.0);
        double count = 0.0;
        std::size_t best_prefix = 0;
        for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
            for (int k = 0; k < n_sums_; ++k) left_[k] += masses_[order_[i] * n_sums_ + k];
            count += counts_[order_[i]];
            if (drawn > i + 1) continue;
            if (drawn > 0 && drawn < i + 1) break;
            if (!allowed(criterion, left_.data(), count)) continue;
            if (params_.constrained() && !in_order(feature, false, left_.data(), node, criterion)) continue;
            double gain = value(criterion, left_.data());
            if (discount < 1.0) gain = discounted(of_numbers, gain, discount);
            if (gain <= best.gain) continue;
            best.gain = gain;
            best_prefix = i + 1;
            best.left_mass = left_;
            best.left_count = count;
        }
        if (best_prefix == 0) return false;
        best.feature = feature;
        best.cut = 0;
        // Categories absent from the node go to the side of the missing values. If the node has no missing values,
        // these go to the heavier side.
        const bool seen = counts_[0] > 0.0;
        best.missing_left = !seen && unseen_go_left(best, node);
        best.left_codes.assign((n_codes + 63) / 64, 0);
        for (std::size_t i = 0; i < best_prefix; ++i) {
            if (order_[i] == 0) best.missing_left = true;
            best.left_codes[order_[i] >> 6] |= std::uint64_t{1} << (order_[i] & 63);
        }
        for (int code = 0; code < n_codes; ++code)
            if (counts_[code] == 0.0 && best.missing_left)
                best.left_codes[code >> 6] |= std::uint64_t{1} << (code & 63);
        return true;
    }

    const BinnedTable& table_;
    const Params& params_;
    int n_sums_;
    CutLimits limits_{};
    std::vector<double> class_weight_, left_, masses_, counts_, place_;
    std::vector<int> order_;
    CategoryCounts category_counts_;

private:
    template <class Store>
    void count_categories(const Store& rows, const Segment& segment, int feature) {
        clear_categories(table_.n_bins[feature] + 1);
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const int code = reinterpret_cast<const typename Store::Code*>(row)[feature];
            const auto tag = rows.tag(row);
            masses_[code * n_sums_ + tag.label()] += static_cast<double>(tag.weight());
            counts_[code] += static_cast<double>(tag.count());
        }
    }

    // Of two classes, each cell a word.
    void read_categories(const std::uint64_t* cells, int n_codes) {
        masses_.resize(2 * n_codes);
        counts_.resize(n_codes);
        place_.resize(n_codes);
        for (int code = 0; code < n_codes; ++code) {
            masses_[2 * code] = static_cast<double>(static_cast<std::uint32_t>(cells[code]));
            masses_[2 * code + 1] = static_cast<double>(static_cast<std::uint32_t>(cells[code] >> 32));
            counts_[code] = masses_[2 * code] + masses_[2 * code + 1];
        }
    }

    // Categories that have an order are cut like numbers: the lower ones go left, and the missing values to the better
    // side. Categories absent from the node are on the side of their neighbours in the order.
    template <class Draw>
    bool split_ordered(int feature, const NodeTotals& node, const Criterion& criterion, Split& best, const Draw& only) {
        const auto& order = params_.constraints.order[feature];
        order_.clear();  // places in the order that occur
        for (std::size_t place = 0; place < order.size(); ++place)
            if (counts_[order[place]] > 0.0) order_.push_back(static_cast<int>(place));
        const bool missing = counts_[0] > 0.0;
        if (order_.size() + missing < 2) return false;
        std::size_t drawn = 0;
        if constexpr (!std::is_same_v<Draw, std::nullptr_t>)
            drawn = order_.size() < 2 ? order_.size() : 1 + only(order_.size() - 1);
        int best_place = -1;
        for (const bool missing_left : {false, true}) {
            if (missing_left && !missing) break;
            std::fill(left_.begin(), left_.end(), 0.0);
            double count = 0.0;
            const auto join = [&](int code) {
                for (int k = 0; k < n_sums_; ++k) left_[k] += masses_[code * n_sums_ + k];
                count += counts_[code];
            };
            if (missing_left) join(0);
            for (std::size_t i = 0; i < order_.size(); ++i) {
                join(order[order_[i]]);
                const bool parts_values = i + 1 < order_.size();
                if (!parts_values && (missing_left || !missing)) break;  // nothing is left on the right
                if ((drawn > 0 && drawn != i + 1) || !allowed(criterion, left_.data(), count)) continue;
                if (!in_order(feature, parts_values, left_.data(), node, criterion)) continue;
                const double gain = value(criterion, left_.data());
                if (gain <= best.gain) continue;
                best.gain = gain;
                best.left_mass = left_;
                best.left_count = count;
                best.missing_left = missing_left;
                best_place = parts_values ? order_[i] : static_cast<int>(order.size()) - 1;
            }
        }
        if (best_place < 0) return false;
        best.feature = feature;
        best.cut = 0;
        if (!missing) best.missing_left = unseen_go_left(best, node);
        best.left_codes.assign((counts_.size() + 63) / 64, 0);
        const auto put_left = [&](int code) { best.left_codes[code >> 6] |= std::uint64_t{1} << (code & 63); };
        for (int place = 0; place <= best_place; ++place) put_left(order[place]);
        if (best.missing_left) put_left(0);
        return true;
    }

    void set_limits(const NodeTotals& node) {
        if constexpr (!of_gradients<Criterion>) {
            limits_.half_count = 0.5 * node.count;
            limits_.count_reach = 0.5 * node.count - static_cast<double>(params_.min_samples_leaf);
            if constexpr (Criterion::bipartite) {
                class_weight_.resize(n_sums_);
                double share = 0.0;
                for (int k = 0; k < n_sums_; ++k) {
                    class_weight_[k] = 1.0 / (n_sums_ * node.cell_mass[k]);
                    share += node.mass[k] * class_weight_[k];
                }
                limits_.weight0 = class_weight_[0];
                limits_.weight1 = class_weight_[1];
                limits_.half_share = 0.5 * share;
                limits_.share_reach = share_reach(share, params_.min_mass_leaf);
                limits_.none = params_.min_samples_leaf <= 1 && params_.min_mass_leaf == 0.0;
            }
        }
    }

    // Of a gain, the discount lowers what is more than without a cut.
    static double discounted(const Criterion& criterion, double gain, double discount) {
        if constexpr (discounts_newton_steps) return criterion.lowered(gain, discount);
        else return gain * discount;
    }

    // Factor of the gains of a feature whose categories are sorted by the labels: how much of the differences between
    // the categories is more than chance. `order_` is still sorted by code.
    double category_discount() const {
        const double n_surplus = surplus_categories(order_.size());
        if constexpr (of_gradients<Criterion>) {
            if (!discounts_newton_steps || !params_.category_discount || n_surplus <= 0.0) return 1.0;
            return by_newton_steps(order_, n_surplus, params_.units.gradient, params_.units.hessian,
                                   [&](int code) { return masses_.data() + code * n_sums_; });
        } else {
            if (n_surplus <= 0.0) return 1.0;
            double count = 0.0, weight = 0.0, sum = 0.0, squares = 0.0, between = 0.0;
            for (const int code : order_) {
                double own_weight = 0.0, own_sum = 0.0;
                for (int k = 0; k < n_sums_; ++k) {
                    const double mass = masses_[code * n_sums_ + k] * params_.unit_of(k), label = label_value(k);
                    own_weight += mass;
                    own_sum += mass * label;
                    squares += mass * label * label;
                }
                count += counts_[code];
                weight += own_weight;
                sum += own_sum;
                between += own_sum * own_sum / own_weight;
            }
            const double base = sum * sum / weight, chi_square = count * (between - base) / (squares - base);
            // two standard deviations above the mean everything counts as chance
            const double by_chance = (n_surplus + 2.0 * std::sqrt(2.0 * n_surplus)) * params_.label_noise;
            const double kept = above_chance(chi_square, by_chance);
            return Criterion::squared ? kept : std::sqrt(kept);
        }
    }

    // The value of the k-th label: its number (two classes) or its level, from 0.
    double label_value(int k) const {
        if constexpr (!of_gradients<Criterion> && !Criterion::bipartite) return params_.levels[k] - params_.levels[0];
        else return k;
    }

    // Sorts by beta/alpha (two classes), by mean label (ordered classes) or by the criterion's own key; ties by code.
    void sort_categories(const Criterion& criterion) {
        const auto mass = [&](int code, int k) { return masses_[code * n_sums_ + k]; };
        if constexpr (of_gradients<Criterion>) {
            for (const int code : order_) place_[code] = criterion.place(masses_.data() + code * n_sums_);
            std::sort(order_.begin(), order_.end(),
                      [&](int a, int b) { return place_[a] != place_[b] ? place_[a] < place_[b] : a < b; });
        } else if constexpr (Criterion::bipartite) {
            concavify(order_, mass);
        } else {
            sort_by_mean_label(order_, params_.levels, place_, mass);
        }
    }

    // The criterion for a cut of `order_.size()` categories.
    decltype(auto) for_categories(const Criterion& of_numbers) const {
        if constexpr (of_gradients<Criterion>) return of_numbers.for_categories(order_.size());
        else return (of_numbers);
    }
};

}  // namespace rankforest
