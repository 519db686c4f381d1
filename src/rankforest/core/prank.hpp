// PRank (Crammer and Singer 2001): one direction and k - 1 thresholds b_1 <= ... <= b_{k-1}, updated at every mistake.
// The direction is a vector of weights, or a sum of kernels at the rows that were predicted wrongly. OAP-BPM
// (Harrington 2003) trains many learners, each on a random share of the examples.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "interrupt.hpp"
#include "random.hpp"

namespace rankforest {

// The stream of examples: several epochs over the rows, each in its own order.
struct PRankParams {
    int n_levels;
    int n_epochs;
    bool shuffle;
    bool average;  // whether to return the mean of the rule over all examples, instead of the last rule
    double share;  // probability that a learner is trained on an example
    std::uint64_t seed;
};

struct Rows2d {
    const double* values;  // [n][q]
    std::int64_t n, q;
    const double* row(std::int64_t i) const { return values + i * q; }
};

// IN: [q][width] columns of some rows, [q] weights. OUT: [width], to which the product of each row and the weights is
// added.
template <int width>
inline void dots(const double* columns, const double* weights, std::int64_t q, double* sums) {
    for (std::int64_t j = 0; j < q; ++j)
        for (int r = 0; r < width; ++r) sums[r] += columns[j * width + r] * weights[j];
}

// A direction as weights. `lag` sums every step times the number of examples before it, to compute the mean.
class WeightDirection {
public:
    explicit WeightDirection(const Rows2d& X) : X_(X), weight_(X.q, 0.0), lag_(X.q, 0.0) {}

    double score(std::int64_t i) const {
        double sum = 0.0;
        dots<1>(X_.row(i), weight_.data(), X_.q, &sum);
        return sum;
    }

    void add(std::int64_t i, int amount, double n_before) {
        const double* x = X_.row(i);
        for (std::int64_t j = 0; j < X_.q; ++j) {
            weight_[j] += amount * x[j];
            lag_[j] += amount * x[j] * n_before;
        }
    }

    // IN: examples seen. OUT: [q] the last weights, or their mean.
    void finish(bool average, double n_seen, double* out) const {
        for (std::int64_t j = 0; j < X_.q; ++j)
            out[j] = average && n_seen > 0.0 ? weight_[j] - lag_[j] / n_seen : weight_[j];
    }

private:
    const Rows2d& X_;
    std::vector<double> weight_, lag_;
};

enum class KernelKind : int { precomputed, rbf, poly };

// rbf: exp(-gamma |a - b|^2); poly: (gamma a.b + coef0)^degree; precomputed: the rows hold the kernel itself.
struct Kernel {
    KernelKind kind;
    double gamma, coef0;
    int degree;

    // IN: [q][width] columns of some rows, [q] a point. OUT: [width] the kernel of each row and the point.
    template <int width>
    void values(const double* columns, const double* point, std::int64_t q, double* out) const {
        double sum[width] = {};
        if (kind == KernelKind::rbf) {
            for (std::int64_t j = 0; j < q; ++j) {
                for (int r = 0; r < width; ++r) {
                    const double step = columns[j * width + r] - point[j];
                    sum[r] += step * step;
                }
            }
            for (int r = 0; r < width; ++r) out[r] = std::exp(-gamma * sum[r]);
            return;
        }
        dots<width>(columns, point, q, sum);
        for (int r = 0; r < width; ++r) {
            const double base = gamma * sum[r] + coef0;
            out[r] = 1.0;
            for (int d = 0; d < degree; ++d) out[r] *= base;
        }
    }
};

// A direction as a sum of kernels: its cost grows with the number of mistakes.
class KernelDirection {
public:
    KernelDirection(const Rows2d& X, const Kernel& kernel) : X_(X), kernel_(kernel), place_(X.n, -1) {}

    double score(std::int64_t i) const {
        const double* x = X_.row(i);
        double sum = 0.0;
        for (std::size_t s = 0; s < rows_.size(); ++s) {
            double value = 0.0;
            if (kernel_.kind == KernelKind::precomputed) value = x[rows_[s]];
            else kernel_.values<1>(x, points_.data() + s * X_.q, X_.q, &value);
            sum += coefficient_[s] * value;
        }
        return sum;
    }

    void add(std::int64_t i, int amount, double n_before) {
        if (place_[i] < 0) {
            place_[i] = static_cast<std::int64_t>(rows_.size());
            rows_.push_back(i);
            coefficient_.push_back(0.0);
            lag_.push_back(0.0);
            // side by side in memory, whatever rows they are
            if (kernel_.kind != KernelKind::precomputed) points_.insert(points_.end(), X_.row(i), X_.row(i) + X_.q);
        }
        coefficient_[place_[i]] += amount;
        lag_[place_[i]] += amount * n_before;
    }

    // OUT: [n] the coefficient of each row.
    void finish(bool average, double n_seen, double* out) const {
        std::fill(out, out + X_.n, 0.0);
        for (std::size_t s = 0; s < rows_.size(); ++s)
            out[rows_[s]] = average && n_seen > 0.0 ? (coefficient_[s] * n_seen - lag_[s]) / n_seen : coefficient_[s];
    }

private:
    const Rows2d& X_;
    Kernel kernel_;
    std::vector<std::int64_t> place_, rows_;  // position of a row among the support vectors, and back
    std::vector<double> coefficient_, lag_, points_;
};

// The order of the rows in one epoch; the same for all learners.
inline void order_rows(const PRankParams& params, int epoch, std::vector<std::uint32_t>& order) {
    std::iota(order.begin(), order.end(), 0u);
    if (!params.shuffle) return;
    Stream stream(child_key(child_key(params.seed, 0), epoch));
    for (std::uint32_t i = 0; i + 1 < order.size(); ++i)
        std::swap(order[i], order[i + stream.below(static_cast<std::uint32_t>(order.size()) - i)]);
}

// IN: X, labels 0 .. k-1. OUT: direction (see `finish`), thresholds [k-1], loss [n_epochs]: the sum of |predicted -
// label| over the examples of an epoch, each predicted before the update.
template <class Direction>
void learn_prank(Direction direction, const std::uint8_t* labels, std::int64_t n, const PRankParams& params,
                 int learner, const StopFlag& stop, double* direction_out, double* thresholds, double* loss) {
    const int n_thresholds = params.n_levels - 1;
    // Thresholds move by 1: they and their sums are whole numbers, exact in doubles, so that their mean keeps the
    // order.
    std::vector<double> b(n_thresholds, 0.0), lag(n_thresholds, 0.0);
    std::vector<std::uint32_t> order(n);
    Stream seen(child_key(child_key(params.seed, 1), learner));
    double n_seen = 0.0;
    for (int epoch = 0; epoch < params.n_epochs; ++epoch) {
        order_rows(params, epoch, order);
        loss[epoch] = 0.0;
        for (const std::uint32_t i : order) {
            stop.check();
            if (static_cast<double>(seen.next() >> 11) * 0x1p-53 >= params.share) continue;
            const double score = direction.score(i);
            const int label = labels[i];
            int predicted = 0;
            while (predicted < n_thresholds && score >= b[predicted]) ++predicted;
            if (predicted != label) {
                loss[epoch] += std::abs(predicted - label);
                int amount = 0;
                for (int r = 0; r < n_thresholds; ++r) {
                    const int side = r < label ? 1 : -1;  // where the score should be: above b_r, or below
                    if ((score - b[r]) * side > 0.0) continue;
                    amount += side;
                    b[r] -= side;
                    lag[r] -= side * n_seen;
                }
                direction.add(i, amount, n_seen);
            }
            n_seen += 1.0;
        }
    }
    direction.finish(params.average, n_seen, direction_out);
    for (int r = 0; r < n_thresholds; ++r)
        thresholds[r] = params.average && n_seen > 0.0 ? (b[r] * n_seen - lag[r]) / n_seen : b[r];
}

// OUT: weights [learners][q], thresholds [learners][k-1], loss [learners][n_epochs].
inline void learn_pranks(const Rows2d& X, const std::uint8_t* labels, const PRankParams& params, int n_learners,
                         int n_threads, const SignalCheck& signalled, double* weights, double* thresholds,
                         double* loss) {
    StopFlag stop;
    parallel_for(n_learners, n_threads, stop, signalled, [&](std::int64_t learner, int) {
        learn_prank(WeightDirection(X), labels, X.n, params, static_cast<int>(learner), stop, weights + learner * X.q,
                    thresholds + learner * (params.n_levels - 1), loss + learner * params.n_epochs);
    });
}

// OUT: coefficients [n], thresholds [k-1], loss [n_epochs].
inline void learn_kernel_prank(const Rows2d& X, const std::uint8_t* labels, const Kernel& kernel,
                               const PRankParams& params, const SignalCheck& signalled, double* coefficients,
                               double* thresholds, double* loss) {
    StopFlag stop;
    parallel_for(1, 1, stop, signalled, [&](std::int64_t, int) {
        learn_prank(KernelDirection(X, kernel), labels, X.n, params, 0, stop, coefficients, thresholds, loss);
    });
}

// Rows of a block that is scored together. The last block is padded with zeros: every row takes the same instructions,
// so its score is the same bit for bit, whatever the other rows are.
constexpr int rows_at_once = 16;

// score_block(columns, scores) for every block; IN: [q][rows_at_once] columns, OUT: [rows_at_once] scores, 0 before.
template <class ScoreBlock>
void score_rows(const Rows2d& X, const SignalCheck& signalled, double* scores, const ScoreBlock& score_block) {
    const std::int64_t blocks_per_task = 64, n_blocks = (X.n + rows_at_once - 1) / rows_at_once;
    StopFlag stop;
    parallel_for((n_blocks + blocks_per_task - 1) / blocks_per_task, 1, stop, signalled, [&](std::int64_t task, int) {
        std::vector<double> columns(X.q * rows_at_once);
        for (std::int64_t b = task * blocks_per_task; b < std::min(n_blocks, (task + 1) * blocks_per_task); ++b) {
            const std::int64_t begin = b * rows_at_once, size = std::min<std::int64_t>(rows_at_once, X.n - begin);
            std::fill(columns.begin(), columns.end(), 0.0);
            for (std::int64_t r = 0; r < size; ++r)
                for (std::int64_t j = 0; j < X.q; ++j) columns[j * rows_at_once + r] = X.row(begin + r)[j];
            double found[rows_at_once] = {};
            score_block(columns.data(), found);
            std::copy(found, found + size, scores + begin);
        }
    });
}

// IN: [q] weights. OUT: [n] scores.
inline void score_by_weights(const Rows2d& X, const double* weights, const SignalCheck& signalled, double* scores) {
    score_rows(X, signalled, scores,
               [&](const double* columns, double* found) { dots<rows_at_once>(columns, weights, X.q, found); });
}

// IN: points of the support and their coefficients. OUT: [n] scores.
inline void score_by_kernel(const Rows2d& X, const Rows2d& points, const double* coefficients, const Kernel& kernel,
                            const SignalCheck& signalled, double* scores) {
    score_rows(X, signalled, scores, [&](const double* columns, double* found) {
        double values[rows_at_once];
        for (std::int64_t s = 0; s < points.n; ++s) {
            kernel.values<rows_at_once>(columns, points.row(s), X.q, values);
            for (int r = 0; r < rows_at_once; ++r) found[r] += coefficients[s] * values[r];
        }
    });
}

}  // namespace rankforest
