// Fixed-point gradients and hessians, and the split criteria of the trees of boosting. The sums of a node are
// (gradient, hessian), in whole numbers of units that a double represents exactly.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "random.hpp"
#include "scan.hpp"
#include "split.hpp"
#include "table.hpp"

namespace rankforest {

// Gradient and hessian of a row, or their sums. Sums of integers are exact: they depend neither on the order of the
// rows nor on threads, and parent - child has no rounding error. The hessian shares its word with the number of rows.
struct GradientPair {
    std::int64_t gradient, hessian_and_count;
};

// Scale of the fixed-point words.
struct GradientUnits {
    double gradient = 1.0, hessian = 1.0;  // units per 1.0: powers of two
    int count_bits = 1;

    // The scale is chosen so that the sum over all n rows fits in the word and is exact as a double.
    GradientUnits() = default;
    GradientUnits(std::int64_t n, double most_gradient, double most_hessian)
        : count_bits(std::bit_width(static_cast<std::uint64_t>(n))) {
        gradient = room(n, most_gradient, 52);
        hessian = room(n, most_hessian, std::min(52, 62 - count_bits));
    }
    GradientPair pack(double g, double h) const {
        return {std::llrint(g * gradient), (std::llrint(h * hessian) << count_bits) | 1};
    }
    double g(const GradientPair& p) const { return static_cast<double>(p.gradient); }
    double h(const GradientPair& p) const { return static_cast<double>(p.hessian_and_count >> count_bits); }
    double count(const GradientPair& p) const {
        return static_cast<double>(p.hessian_and_count & ((std::int64_t{1} << count_bits) - 1));
    }

private:
    static double room(std::int64_t n, double most, int bits) {
        if (!(most > 0.0)) return 1.0;
        int exponent;
        std::frexp(most * static_cast<double>(n), &exponent);  // most * n < 2^exponent
        return std::ldexp(1.0, bits - 1 - exponent);
    }
};

struct GradientTreeParams : TreeParams {
    double min_hessian_leaf = 1e-3;
    double l2 = 1.0;
    double category_smoothing = 10.0;  // added to the hessian of each category when categories are sorted
    // Added to l2 in the gain of a categorical split, for each category of the node after the second. Without it,
    // splits of many categories are overrated, because the categories were sorted by their own Newton steps.
    double category_l2 = 1.0;
    // Whether the gain of a categorical split counts only as far as the differences between the categories are more
    // than chance, see `by_newton_steps`. Unlike category_l2 it tells noise from categories that matter.
    bool category_discount = false;
    bool symmetric = false;  // all nodes of a level share their split, see symmetric_tree.hpp
    GradientUnits units;     // of this round

    GradientTreeParams() { max_leaf_nodes = 16; }
};

// Base class: random keys for the features of a node and for random cuts.
struct GradientCriterion {
    using Params = GradientTreeParams;
    static constexpr bool of_gradients = true, bipartite = false;

    static std::uint64_t feature_key(std::uint64_t node_key) { return child_key(node_key, 2); }
    static std::uint64_t cut_key(std::uint64_t node_key, int feature) { return child_key(node_key, 3 + feature); }
};

// Gain of a split with one Newton step per side: g_left^2 / (h_left + l2) + g_right^2 / (h_right + l2), minus the same
// term for the whole node.
class NewtonGain : public GradientCriterion {
public:
    NewtonGain(const NodeTotals& node, const GradientTreeParams& params) : node_(node), params_(params) {
        l2_ = params.l2 * params.units.hessian;
        const double g = node.mass[0], h = node.mass[1];
        base_ = h + l2_ > 0.0 ? g * g / (h + l2_) : 0.0;
        if (node.rules && node.rules->bounded()) {
            const double unit = params.units.gradient / params.units.hessian;  // a power of two: nothing is rounded
            bounded_ = true;
            low_ = node.rules->low * unit;
            high_ = node.rules->high * unit;
            base_ = h + l2_ > 0.0 ? gain_of_side(g, h + l2_) : 0.0;
        }
    }

    static bool can_split(const GradientTreeParams& params, const double* mass, double count) {
        return count >= static_cast<double>(std::max<std::int64_t>(2, 2 * params.min_samples_leaf)) &&
               mass[1] >= 2.0 * params.min_hessian_leaf * params.units.hessian;
    }

    // The Newton step of a leaf.
    static double step(const GradientTreeParams& params, const double* mass) {
        const double h = mass[1] / params.units.hessian + params.l2;
        return h > 0.0 ? -(mass[0] / params.units.gradient) / h : 0.0;
    }

    // The least gain of a split: more than the rounding error.
    double to_beat() const {
        const GradientUnits& units = params_.units;
        return base_ * (1.0 + 1e-12) + 1e-9 * units.gradient * units.gradient / units.hessian;
    }
    double least_hessian() const { return std::max(params_.min_hessian_leaf * params_.units.hessian, 1.0); }
    double least_count() const { return static_cast<double>(std::max<std::int64_t>(params_.min_samples_leaf, 1)); }
    double l2() const { return l2_; }

    bool allows(const double* left, double count) const {
        return !(count < least_count() || node_.count - count < least_count() || left[1] < least_hessian() ||
                 node_.mass[1] - left[1] < least_hessian());
    }
    double gain(const double* left) const {
        const double right[2] = {node_.mass[0] - left[0], node_.mass[1] - left[1]};
        if (bounded_) return gain_of_side(left[0], left[1] + l2_) + gain_of_side(right[0], right[1] + l2_);
        return newton_gain<double>(left[0], left[1] + l2_, right[0], right[1] + l2_);
    }
    double priority(double gain) const { return gain - base_; }
    // The gain, if of what it is more than without a cut only this part counts.
    double lowered(double gain, double kept) const { return base_ + kept * (gain - base_); }

    // Whether the steps of the two sides of a cut have the order that the direction of its feature demands.
    bool in_order(int direction, const double* left) const {
        const double low = bounded_step(left[0], left[1] + l2_),
                     high = bounded_step(node_.mass[0] - left[0], node_.mass[1] - left[1] + l2_);
        return direction > 0 ? low <= high : low >= high;
    }
    // Whether all steps are free, so that the vector kernels apply.
    bool bounded() const { return bounded_; }

    // Categories are sorted by their smoothed Newton steps.
    double place(const double* mass) const {
        return mass[0] / (mass[1] + params_.category_smoothing * params_.units.hessian + 1.0);
    }
    NewtonGain for_categories(std::size_t n_seen) const {
        NewtonGain criterion = *this;
        criterion.l2_ = (params_.l2 + params_.category_l2 * static_cast<double>(n_seen - 2)) * params_.units.hessian;
        return criterion;
    }
    static bool unseen_go_left(double left_count, double count) { return 2.0 * left_count >= count; }

private:
    // In units of the gradient over units of the hessian; h with l2.
    double bounded_step(double g, double h) const { return bounded_ ? std::clamp(-g / h, low_, high_) : -g / h; }
    // Decrease of the loss, times two, by a step within the bounds; g^2 / h if the step is free.
    double gain_of_side(double g, double h) const {
        const double step = bounded_step(g, h);
        return -step * (2.0 * g + h * step);
    }

    NodeTotals node_;
    const GradientTreeParams& params_;
    double l2_, base_;
    bool bounded_ = false;  // by monotone constraints on features of the path
    double low_ = 0.0, high_ = 0.0;
};

// |r| of the RankBoost paper (Freund, Iyer, Schapire, Singer 2003): r = sum over pairs of D(i, j) (h(x_i) - h(x_j)),
// for a weak ranker h that is 0 on the left and 1 on the right. The weight D of a pair is the product of the weights of
// its positive and its negative. The gradients of the exponential loss are proportional to these weights, with the sign
// of the class, so r is a sum of gradients.
class PairAdvantage : public GradientCriterion {
public:
    PairAdvantage(const NodeTotals&, const GradientTreeParams&) {}

    static bool can_split(const GradientTreeParams&, const double*, double) { return true; }
    double to_beat() const { return 0.0; }
    bool allows(const double*, double) const { return true; }
    double gain(const double* left) const { return std::abs(left[0]); }
    double priority(double gain) const { return gain; }
    // The step of the right side has the sign of r.
    static bool in_order(int direction, const double* left) { return direction > 0 ? left[0] >= 0.0 : left[0] <= 0.0; }
    static bool bounded() { return false; }
    // Categories with more weight on negatives go left: no other set of categories has a greater |r|.
    double place(const double* mass) const { return -mass[0]; }
    const PairAdvantage& for_categories(std::size_t) const { return *this; }
    static bool unseen_go_left(double, double) { return true; }
};

}  // namespace rankforest
