// Spreads the values of terminals over the features that lead to them.
#include "shapley.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "joint_walk.hpp"
#include "pair_walk.hpp"
#include "shapley_weights.hpp"

namespace rankforest {
namespace {

constexpr std::int64_t most_rows = 512;  // that walk together

using Features = std::vector<std::int32_t>;
using RowsX = JointWalk::Rows<JointWalk::RowX>;
using RowsZ = JointWalk::Rows<JointWalk::RowZ>;

// The distinct patterns of a list of rows, in the order in which they appear.
class Patterns {
public:
    // The number of a pattern; a new one gets the next number.
    std::int32_t number(std::uint64_t fails) {
        std::size_t at = (fails * 0x9E3779B97F4A7C15u) >> shift_;
        while (slots_[at] >= 0 && found_[slots_[at]] != fails) at = (at + 1) & (slots_.size() - 1);
        if (slots_[at] < 0) {
            slots_[at] = static_cast<std::int32_t>(found_.size());
            found_.push_back(fails);
            used_.push_back(at);
        }
        return slots_[at];
    }
    void clear(std::int64_t n_rows) {
        for (const std::size_t at : used_) slots_[at] = -1;
        used_.clear();
        found_.clear();
        const std::size_t needed = std::bit_ceil(static_cast<std::size_t>(2 * n_rows + 2));
        if (needed > slots_.size()) slots_.assign(needed, -1);
        shift_ = 64 - std::countr_zero(slots_.size());
    }
    const std::vector<std::uint64_t>& found() const { return found_; }

private:
    std::vector<std::int32_t> slots_;
    std::vector<std::size_t> used_;
    std::vector<std::uint64_t> found_;
    int shift_ = 0;
};

// Patterns of Z with their weights, in the order of the numbers of features that they fail: those of one number are in
// a row, so that a loop over them knows it, and weights of the Shapley value, which depend on it, are found once.
class PatternsBySize {
public:
    void set(const std::vector<std::uint64_t>& fails, const std::vector<double>& weight, std::size_t n_features) {
        first_.assign(n_features + 2, 0);
        size_.resize(fails.size());
        for (std::size_t i = 0; i < fails.size(); ++i) {
            size_[i] = std::popcount(fails[i]);
            ++first_[static_cast<std::size_t>(size_[i]) + 1];
        }
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        fails_.resize(fails.size());
        weight_.resize(fails.size());
        passing_.resize(fails.size());
        features_.resize(fails.size() * n_features);
        next_.assign(first_.begin(), first_.end());
        for (std::size_t i = 0; i < fails.size(); ++i) {
            const std::size_t at = next_[static_cast<std::size_t>(size_[i])]++;
            fails_[at] = fails[i];
            weight_[at] = weight[i];
            std::uint8_t* to = features_.data() + at * n_features;
            for (std::uint64_t bits = fails[i]; bits; bits &= bits - 1)
                *to++ = static_cast<std::uint8_t>(std::countr_zero(bits));
        }
    }

    // Adds value * (Shapley value of each feature of the path) for a row x that fails some of them, and all of Z.
    void add_values(std::uint64_t by_x, double value, const ShapleyWeights& weights, double* to) {
        const std::size_t k = first_.size() - 2;
        const int b = std::popcount(by_x);
        double of_x_fails = 0.0;
        for (std::size_t a = 0; a <= k; ++a) {
            if (first_[a] == first_[a + 1]) continue;
            std::size_t n = 0;
            for (std::size_t i = first_[a]; i < first_[a + 1]; ++i) {
                passing_[n] = i;
                n += (fails_[i] & by_x) == 0;
            }
            if (n == 0) continue;
            const double from_x = value * weights.few_from_x(static_cast<int>(a), b);
            double mass = 0.0;
            for (std::size_t i = 0; i < n; ++i) {
                const double weight = weight_[passing_[i]], share = weight * from_x;
                const std::uint8_t* const features = features_.data() + passing_[i] * k;
                mass += weight;
                for (std::size_t j = 0; j < a; ++j) to[features[j]] += share;
            }
            of_x_fails += mass * value * weights.few_from_z(static_cast<int>(a), b);
        }
        for (; by_x; by_x &= by_x - 1) to[std::countr_zero(by_x)] += of_x_fails;
    }

private:
    std::vector<std::size_t> first_, next_, passing_;  // of each number of features: its first pattern
    std::vector<int> size_;
    std::vector<std::uint64_t> fails_;
    std::vector<double> weight_;
    std::vector<std::uint8_t> features_;  // that each pattern fails
};

// The Shapley values of some rows of X; every thread has its own.
class Spread {
public:
    Spread(const TreeSum& trees, std::int64_t n_features, const Background& background, bool interactions,
           const ShapleyWeights& weights)
        : trees_(trees), n_features_(n_features), background_(background), pairs_(interactions), weights_(weights) {}

    // Rows first .. first + n - 1 of X.
    void rows(const double* X, std::int64_t first, std::int64_t n, double* values, const StopFlag& stop) {
        const std::int64_t width = pairs_ ? n_features_ * n_features_ : n_features_;
        double* const out = values + first * width;
        const double* const own = X + first * n_features_;
        const Forest& forest = trees_.forest();
        for (std::size_t t = 0; t < forest.size(); ++t) {
            stop.check();

            if (!background_.pair_weight && JointWalk::suits(forest[t])) together(t, own, n, out);
            else one_by_one(t, own, first, n, out, stop);
        }
        if (pairs_)
            for (std::int64_t i = 0; i < n; ++i) rest_to_diagonal(out + i * width);
    }

private:
    void together(std::size_t tree, const double* X, std::int64_t n, double* out) {
        const double* const value = trees_.values(tree);
        for (std::int64_t j = 0; j < background_.n; j += JointWalk::most_z) {
            const std::int64_t m = std::min<std::int64_t>(JointWalk::most_z, background_.n - j);
            walk_(trees_.forest()[tree], X, n, background_.values + j * n_features_, m,
                  [&](std::int32_t label, const Features& features, RowsX x, RowsZ z) {
                      if (value[label] != 0.0) spread(value[label], features, x, z, background_.weight + j, out);
                  });
        }
    }

    // Rows with the same pattern get the same: it is found once for each pattern of X, from the patterns of Z.
    void spread(double value, const Features& features, RowsX x, RowsZ z, const double* weight, double* out) {
        of_z_.clear(z.n);
        weight_.clear();
        for (std::int64_t i = 0; i < z.n; ++i) {
            const auto k = static_cast<std::size_t>(of_z_.number(z.rows[i].fails));
            if (k == weight_.size()) weight_.push_back(0.0);
            weight_[k] += weight[z.rows[i].row];
        }
        of_x_.clear(x.n);
        share_.clear();
        const std::size_t k = features.size(), width = pairs_ ? k * k : k;
        if (!pairs_) by_size_.set(of_z_.found(), weight_, k);
        for (std::int64_t i = 0; i < x.n; ++i) {
            const std::uint64_t fails = x.rows[i].fails;
            const auto pattern = static_cast<std::size_t>(of_x_.number(fails));
            if (pattern * width == share_.size()) {
                share_.resize(share_.size() + width, 0.0);
                double* const to = share_.data() + pattern * width;
                if (!pairs_) by_size_.add_values(fails, value, weights_, to);
                else
                    for (std::size_t j = 0; j < weight_.size(); ++j)
                        add_interactions(fails, of_z_.found()[j], value * weight_[j], k, to);
            }
            scatter(share_.data() + pattern * width, features, x.rows[i].row, out);
        }
    }

    // One terminal of a pair: `by_z` is what z fails and x has, `by_x` what x fails and z has.
    void add_interactions(std::uint64_t by_x, std::uint64_t by_z, double value, std::size_t k, double* to) const {
        if (by_x & by_z) return;
        const int a = std::popcount(by_z), b = std::popcount(by_x);
        if (a > 0) add_to_each(by_z, value * weights_.from_x(a, b), k + 1, to);
        if (b > 0) add_to_each(by_x, value * weights_.from_z(a, b), k + 1, to);
        if (a > 1) add_to_pairs(by_z, by_z, 0.5 * value * weights_.both_from_x(a, b), k, to);
        if (b > 1) add_to_pairs(by_x, by_x, 0.5 * value * weights_.both_from_z(a, b), k, to);
        if (a > 0 && b > 0) {
            const double half = 0.5 * value * weights_.one_from_each(a, b);
            add_to_pairs(by_z, by_x, half, k, to);
            add_to_pairs(by_x, by_z, half, k, to);
        }
    }
    static void add_to_each(std::uint64_t bits, double value, std::size_t step, double* to) {
        for (; bits; bits &= bits - 1) to[static_cast<std::size_t>(std::countr_zero(bits)) * step] += value;
    }
    static void add_to_pairs(std::uint64_t one, std::uint64_t other, double value, std::size_t k, double* to) {
        for (; one; one &= one - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(one));
            add_to_each(other & ~(std::uint64_t{1} << i), value, 1, to + i * k);
        }
    }

    void scatter(const double* share, const Features& features, std::int32_t row, double* out) const {
        const std::size_t k = features.size();
        if (!pairs_) {
            double* const to = out + row * n_features_;
            for (std::size_t i = 0; i < k; ++i) to[features[i]] += share[i];
            return;
        }
        double* const to = out + row * n_features_ * n_features_;
        for (std::size_t i = 0; i < k; ++i)
            for (std::size_t j = 0; j < k; ++j) to[features[i] * n_features_ + features[j]] += share[i * k + j];
    }

    void one_by_one(std::size_t tree, const double* X, std::int64_t first, std::int64_t n, double* out,
                    const StopFlag& stop) {
        const double* const value = trees_.values(tree);
        const std::int64_t m = background_.n, width = pairs_ ? n_features_ * n_features_ : n_features_;
        PairWalk walk(trees_.forest()[tree], background_.values, m, weights_);
        for (std::int64_t i = 0; i < n; ++i) {
            stop.check();
            double* const to = out + i * width;
            const double* const weight =
                background_.pair_weight ? background_.pair_weight + (first + i) * m : background_.weight;
            walk.pairs_of(X + i * n_features_, [&](std::int64_t j) {
                if (!pairs_) return walk.add_values(value, weight[j], to);
                walk.each_terminal([&](std::int32_t label, const Features& of_x, const Features& of_z) {
                    add_terminal(of_x, of_z, value[label] * weight[j], to);
                });
            });
        }
    }

    void add_terminal(const Features& of_x, const Features& of_z, double value, double* to) const {
        const int a = static_cast<int>(of_x.size()), b = static_cast<int>(of_z.size());
        const std::int64_t step = pairs_ ? n_features_ + 1 : 1;
        for (const auto i : of_x) to[i * step] += value * weights_.from_x(a, b);
        for (const auto i : of_z) to[i * step] += value * weights_.from_z(a, b);
        if (!pairs_) return;
        const auto add = [&](const auto& ones, const auto& others, double half) {
            for (const auto i : ones)
                for (const auto j : others)
                    if (i != j) to[i * n_features_ + j] += half;
        };
        if (a > 1) add(of_x, of_x, 0.5 * value * weights_.both_from_x(a, b));
        if (b > 1) add(of_z, of_z, 0.5 * value * weights_.both_from_z(a, b));
        if (a > 0 && b > 0) {
            const double half = 0.5 * value * weights_.one_from_each(a, b);
            add(of_x, of_z, half);
            add(of_z, of_x, half);
        }
    }

    // The diagonal holds Shapley values at first.
    void rest_to_diagonal(double* matrix) const {
        for (std::int64_t i = 0; i < n_features_; ++i) {
            double others = 0.0;
            for (std::int64_t j = 0; j < n_features_; ++j)
                if (j != i) others += matrix[i * n_features_ + j];
            matrix[i * n_features_ + i] -= others;
        }
    }

    const TreeSum& trees_;
    const std::int64_t n_features_;
    const Background& background_;
    const bool pairs_;
    const ShapleyWeights& weights_;
    JointWalk walk_;
    Patterns of_x_, of_z_;
    PatternsBySize by_size_;
    std::vector<double> weight_, share_;
};

}  // namespace

void shapley_values(const TreeSum& trees, const RawRows& X, const Background& background, bool interactions,
                    double* values) {
    if (X.n == 0 || background.n == 0) return;
    const ShapleyWeights weights;
    const int n_threads = std::max(1, X.n_threads);
    const std::int64_t rows = std::clamp<std::int64_t>((X.n + n_threads - 1) / n_threads, 1, most_rows);
    StopFlag stop;
    parallel_for((X.n + rows - 1) / rows, n_threads, stop, X.signalled, [&](std::int64_t i, int) {
        Spread(trees, X.n_features, background, interactions, weights)
            .rows(X.values, i * rows, std::min(rows, X.n - i * rows), values, stop);
    });
}

}  // namespace rankforest
