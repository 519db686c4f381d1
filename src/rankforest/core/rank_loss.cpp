// Gradients of the ranking losses.
#include "rank_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "exponential.hpp"
#include "vector.hpp"

namespace rankforest {
namespace {

// Grid of scores. Linear interpolation with step d has an error of at most d^2/8 times the second derivative, which is
// below 0.1 for the logistic function.
constexpr double finest_step = 1.0 / 32.0;
constexpr int most_cells = 512;

constexpr int block = 256;  // rows whose scores are gathered at once

RANKFOREST_CLONES void exponentials(double* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = exponential(x[i]);
}

RANKFOREST_CLONES void logistics(double* x, int n) {
    for (int i = 0; i < n; ++i) x[i] = 1.0 / (1.0 + exponential(-x[i]));
}

// out[a] = sum over b of mass[b] * table[a - b + n - 1].
RANKFOREST_CLONES void convolve(const double* mass, const double* table, int n, double* out) {
    std::fill(out, out + n, 0.0);
    for (int b = 0; b < n; ++b) {
        const double m = mass[b];
        if (m == 0.0) continue;
        const double* t = table + (n - 1 - b);
        for (int a = 0; a < n; ++a) out[a] += m * t[a];
    }
}

}  // namespace

RankLoss::RankLoss(LossKind kind, const LossRows& rows) : kind_(kind), rows_(rows) {
    for (std::int64_t r = 0; r < rows.n; ++r) mass_[rows.labels[rows.rows[r]]] += rows.weight(rows.rows[r]);
    scale_ = static_cast<double>(rows.n) / (mass_[0] + mass_[1]);
    if (kind == LossKind::log_loss) start_ = std::log(mass_[1] / mass_[0]);
    cell_.resize(rows.n);
    place_.resize(rows.n);
}

void RankLoss::derive(const double* score, double* gradient, double* hessian) {
    switch (kind_) {
        case LossKind::logistic: return derive_logistic(score, gradient, hessian);
        case LossKind::exponential: return derive_exponential(score, gradient, hessian);
        case LossKind::log_loss: return derive_log_loss(score, gradient, hessian);
    }
}

void RankLoss::derive_log_loss(const double* score, double* gradient, double* hessian) const {
    double p[block];
    for (std::int64_t first = 0; first < rows_.n; first += block) {
        const int n = static_cast<int>(std::min<std::int64_t>(block, rows_.n - first));
        const std::uint32_t* rows = rows_.rows + first;
        for (int k = 0; k < n; ++k) p[k] = within_exponents(score[rows[k]]);
        logistics(p, n);
        for (int k = 0; k < n; ++k) {
            const std::uint32_t i = rows[k];
            const double w = scale_ * rows_.weight(i);
            gradient[i] = w * (p[k] - rows_.labels[i]);
            hessian[i] = w * p[k] * (1.0 - p[k]);
        }
    }
}

// A sum over pairs is the product of a sum over positives and a sum over negatives. Each class is divided by its own
// sum, which keeps the scale of the gradients from round to round, as RankBoost normalises its weights.
void RankLoss::derive_exponential(const double* score, double* gradient, double* hessian) {
    double shift[2] = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()},
           sum[2] = {0.0, 0.0};
    const auto exponent = [&](std::uint32_t i) { return rows_.labels[i] ? -score[i] : score[i]; };
    for (std::int64_t r = 0; r < rows_.n; ++r) {
        const std::uint32_t i = rows_.rows[r];
        shift[rows_.labels[i]] = std::max(shift[rows_.labels[i]], exponent(i));
    }
    double e[block];
    for (std::int64_t first = 0; first < rows_.n; first += block) {
        const int n = static_cast<int>(std::min<std::int64_t>(block, rows_.n - first));
        const std::uint32_t* rows = rows_.rows + first;
        for (int j = 0; j < n; ++j) e[j] = within_exponents(exponent(rows[j]) - shift[rows_.labels[rows[j]]]);
        exponentials(e, n);
        for (int j = 0; j < n; ++j) {
            hessian[rows[j]] = rows_.weight(rows[j]) * e[j];
            sum[rows_.labels[rows[j]]] += hessian[rows[j]];
        }
    }
    for (std::int64_t r = 0; r < rows_.n; ++r) {
        const std::uint32_t i = rows_.rows[r];
        const int k = rows_.labels[i];
        hessian[i] *= 0.5 * static_cast<double>(rows_.n) / sum[k];
        gradient[i] = k ? -hessian[i] : hessian[i];
    }
}

void RankLoss::derive_logistic(const double* score, double* gradient, double* hessian) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::int64_t r = 0; r < rows_.n; ++r) {
        low = std::min(low, score[rows_.rows[r]]);
        high = std::max(high, score[rows_.rows[r]]);
    }
    const int n = std::clamp(static_cast<int>(std::ceil((high - low) / finest_step)) + 1, 2, most_cells);
    const double step = high > low ? (high - low) / (n - 1) : 1.0, per_step = 1.0 / step;
    for (const int k : {0, 1}) {
        mass_at_[k].assign(n, 0.0);
        gradient_at_[k].resize(n);
        hessian_at_[k].resize(n);
    }
    for (std::int64_t r = 0; r < rows_.n; ++r) {  // each row is divided between its two grid points
        const std::uint32_t i = rows_.rows[r];
        const double at = (score[i] - low) * per_step;
        const int cell = std::min(static_cast<int>(at), n - 2);
        const double w = rows_.weight(i), share = w * (at - cell);
        double* mass = mass_at_[rows_.labels[i]].data() + cell;
        mass[0] += w - share;
        mass[1] += share;
        cell_[r] = cell;
        place_[r] = at - cell;
    }
    // entry k + n - 1: the score of the negative is k steps above that of the positive
    first_.resize(2 * n - 1);
    second_.resize(2 * n - 1);
    std::vector<double> logistic(n);
    for (int k = 0; k < n; ++k) logistic[k] = within_exponents(k * step);
    logistics(logistic.data(), n);
    for (int k = 0; k < n; ++k) {
        const double p = logistic[k];
        first_[n - 1 + k] = p;
        first_[n - 1 - k] = 1.0 - p;
        second_[n - 1 + k] = second_[n - 1 - k] = p * (1.0 - p);
    }
    convolve(mass_at_[1].data(), first_.data(), n, gradient_at_[0].data());
    convolve(mass_at_[1].data(), second_.data(), n, hessian_at_[0].data());
    convolve(mass_at_[0].data(), first_.data(), n, gradient_at_[1].data());
    convolve(mass_at_[0].data(), second_.data(), n, hessian_at_[1].data());
    // for a positive, score differences have the opposite sign
    for (int a = 0; a < n; ++a) gradient_at_[1][a] = mass_[0] - gradient_at_[1][a];
    const double whole = 0.5 * static_cast<double>(rows_.n) / (mass_[0] * mass_[1]);
    for (std::int64_t r = 0; r < rows_.n; ++r) {
        const std::uint32_t i = rows_.rows[r];
        const int k = rows_.labels[i];
        const double w = whole * rows_.weight(i), right = place_[r], left = 1.0 - right;
        const double* g = gradient_at_[k].data() + cell_[r];
        const double* h = hessian_at_[k].data() + cell_[r];
        gradient[i] = (k ? -w : w) * (left * g[0] + right * g[1]);
        hessian[i] = w * (left * h[0] + right * h[1]);
    }
}

}  // namespace rankforest
