// Split criteria for trees of ordered labels L_1 < ... < L_k. A criterion is constructed with the masses N_i of the
// node and of the whole sample. It computes the gain of a cut from the masses on its left side (and their sum, if
// known) in O(k). F_m = N_1 + ... + N_m are cumulative masses, n = F_k.
//
// Formulas avoid cancellation: the gain is exactly 0 if a cut separates nothing, and rounding never makes it negative.
// Gains are in units of the node; `priority` is in units of the whole sample.
#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "table.hpp"

namespace rankforest {

// Base class of the criteria.
class OrdinalCriterion {
public:
    using Params = InnerParams;
    static constexpr bool bipartite = false, squared = true;

    // mass(i): the mass of the i-th label.
    template <class MassOf>
    static double mean_label(const std::vector<double>& levels, const MassOf& mass) {
        double sum = 0.0, total = 0.0;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            sum += mass(static_cast<int>(i)) * levels[i];
            total += mass(static_cast<int>(i));
        }
        return sum / total;
    }

protected:
    OrdinalCriterion(const double* node, const double* cell, const std::vector<double>& levels)
        : node_(node),
          levels_(levels),
          n_classes_(static_cast<int>(levels.size())),
          total_(sum(node)),
          share_(total_ / sum(cell)) {}

    double sum(const double* mass) const {
        double total = 0.0;
        for (int i = 0; i < n_classes_; ++i) total += mass[i];
        return total;
    }

    const double* node_;
    const std::vector<double>& levels_;
    const int n_classes_;
    const double total_, share_;
};

// Ranking impurity I = sum_{i<j} (L_j - L_i) N_i N_j = sum_m (L_{m+1} - L_m) F_m (n - F_m) (2008 paper, Definition 2).
// The gain of a cut is the impurity of the pairs that it separates: sum_m (L_{m+1} - L_m) (F_m^left (n - F_m)^right +
// F_m^right (n - F_m)^left).
class RankingImpurity : public OrdinalCriterion {
public:
    static constexpr bool squared = false;

    RankingImpurity(const double* node, const double* cell, const std::vector<double>& levels)
        : OrdinalCriterion(node, cell, levels), scale_(1.0 / (total_ * total_ * (levels.back() - levels.front()))) {}

    double gain(const double* left) const { return gain(left, sum(left)); }
    double gain(const double* left, double left_total) const {
        const double right_total = total_ - left_total;
        double left_below = 0.0, below = 0.0, pairs = 0.0;
        for (int m = 0; m + 1 < n_classes_; ++m) {
            left_below += left[m];
            below += node_[m];
            const double right_below = below - left_below;
            pairs += (levels_[m + 1] - levels_[m]) *
                     (left_below * (right_total - right_below) + right_below * (left_total - left_below));
        }
        return pairs * scale_;
    }
    double priority(double gain) const { return gain * share_ * share_; }

private:
    double scale_;
};

// Gini impurity, nominal or ordinal. The gain n I(T) - n_left I(left) - n_right I(right), with I = sum_c p_c (1 - p_c),
// equals the variance between the sides: sum_c (n c_left - n_left c)^2 / (n n_left n_right).
//
// Cumulative: c runs over the events "at most L_m". This is the ordinal Gini, sum_m F_m (n - F_m) / n^2 (Piccarreta
// 2008). Otherwise c runs over the labels, and their order is ignored.
template <bool cumulative>
class GiniOf : public OrdinalCriterion {
public:
    GiniOf(const double* node, const double* cell, const std::vector<double>& levels)
        : OrdinalCriterion(node, cell, levels) {}

    double gain(const double* left) const { return gain(left, sum(left)); }
    double gain(const double* left, double left_total) const {
        double of_left = 0.0, of_node = 0.0, squares = 0.0;
        for (int m = 0; m < n_classes_ - cumulative; ++m) {
            of_left = cumulative ? of_left + left[m] : left[m];
            of_node = cumulative ? of_node + node_[m] : node_[m];
            const double difference = total_ * of_left - left_total * of_node;
            squares += difference * difference;
        }
        return squares / (total_ * total_ * left_total * (total_ - left_total));
    }
    double priority(double gain) const { return gain * share_; }
};

using OrdinalGini = GiniOf<true>;
using NominalGini = GiniOf<false>;

// Weighted information gain (Singer, Anuar, Ben-Gal 2020): the decrease of the weighted entropy H = - sum_i w_i p_i
// log2 p_i with w_i = |L_i - L_mode| / sum_j |L_j - L_mode|. The mode is that of the node or of the side (the least if
// there are several). The gain can be negative, and a pure node has H = 0.
class WeightedInformationGain : public OrdinalCriterion {
public:
    WeightedInformationGain(const double* node, const double* cell, const std::vector<double>& levels)
        : OrdinalCriterion(node, cell, levels), right_(n_classes_), whole_(entropy(node, total_)) {}

    double gain(const double* left) const { return gain(left, sum(left)); }
    double gain(const double* left, double left_total) const {
        for (int i = 0; i < n_classes_; ++i) right_[i] = node_[i] - left[i];
        const double share = left_total / total_;
        return whole_ - share * entropy(left, left_total) - (1.0 - share) * entropy(right_.data(), total_ - left_total);
    }
    double priority(double gain) const { return gain * share_; }

private:
    double entropy(const double* mass, double total) const {
        const double mode = levels_[std::max_element(mass, mass + n_classes_) - mass];
        double sum = 0.0, distances = 0.0;
        for (int i = 0; i < n_classes_; ++i) {
            const double distance = std::abs(levels_[i] - mode);
            distances += distance;
            if (mass[i] > 0.0 && distance > 0.0) sum -= distance * (mass[i] / total) * std::log2(mass[i] / total);
        }
        return sum / distances;
    }

    mutable std::vector<double> right_;
    double whole_;
};

// Sorts categories by mean label, ties by index; the criteria then compare prefixes of this order.
template <class MassOf>
void sort_by_mean_label(std::vector<int>& items, const std::vector<double>& levels, std::vector<double>& mean,
                        const MassOf& mass) {
    for (const int item : items)
        mean[item] = OrdinalCriterion::mean_label(levels, [&](int i) { return mass(item, i); });
    std::sort(items.begin(), items.end(), [&](int i, int j) { return mean[i] != mean[j] ? mean[i] < mean[j] : i < j; });
}

}  // namespace rankforest
