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

double exponent(const LossRows& rows, std::uint32_t i, const double* score) {
    return rows.labels[i] ? -score[i] : score[i];
}

// exp(exponent - the greatest one of the class) of n rows.
void shifted_exponentials(const LossSums& sums, const LossRows& rows, std::int64_t first, int n, const double* score,
                          double* e) {
    const std::uint32_t* i = rows.rows + first;
    for (int k = 0; k < n; ++k) e[k] = within_exponents(exponent(rows, i[k], score) - sums.shift[rows.labels[i[k]]]);
    exponentials(e, n);
}

// Calls use(first, n) for one block of rows after the other.
template <class Use>
void in_blocks(std::int64_t n, const Use& use) {
    for (std::int64_t first = 0; first < n; first += rows_derived_at_once)
        use(first, static_cast<int>(std::min<std::int64_t>(rows_derived_at_once, n - first)));
}

void derive_log_loss(const LossSums& sums, const LossRows& rows, std::int64_t first, int n, const double* score,
                     Derivatives* out) {
    double p[rows_derived_at_once];
    const std::uint32_t* i = rows.rows + first;
    for (int k = 0; k < n; ++k) p[k] = within_exponents(score[i[k]]);
    logistics(p, n);
    for (int k = 0; k < n; ++k) {
        const double w = sums.factor[rows.labels[i[k]]] * rows.weight(i[k]);
        out[k] = {w * (p[k] - rows.labels[i[k]]), w * p[k] * (1.0 - p[k])};
    }
}

// A sum over pairs is the product of a sum over positives and a sum over negatives. Each class is divided by its own
// sum, which keeps the scale of the gradients from round to round, as RankBoost normalises its weights.
void derive_exponential(const LossSums& sums, const LossRows& rows, std::int64_t first, int n, const double* score,
                        Derivatives* out) {
    double e[rows_derived_at_once];
    shifted_exponentials(sums, rows, first, n, score, e);
    for (int k = 0; k < n; ++k) {
        const std::uint32_t i = rows.rows[first + k];
        const double h = rows.weight(i) * e[k] * sums.factor[rows.labels[i]];
        out[k] = {rows.labels[i] ? -h : h, h};
    }
}

void derive_logistic(const LossSums& sums, const LossRows& rows, std::int64_t first, int n, const double* score,
                     Derivatives* out) {
    const int last_cell = static_cast<int>(sums.gradient_at[0].size()) - 2;
    for (int r = 0; r < n; ++r) {
        const std::uint32_t i = rows.rows[first + r];
        const int k = rows.labels[i];
        const double at = (score[i] - sums.low) * sums.per_step;
        const int cell = std::min(static_cast<int>(at), last_cell);
        const double w = sums.factor[k] * rows.weight(i), right = at - cell, left = 1.0 - right;
        const double* g = sums.gradient_at[k].data() + cell;
        const double* h = sums.hessian_at[k].data() + cell;
        out[r] = {(k ? -w : w) * (left * g[0] + right * g[1]), w * (left * h[0] + right * h[1])};
    }
}

}  // namespace

void derive(const LossSums& sums, const LossRows& rows, std::int64_t first, int n, const double* score,
            Derivatives* out) {
    switch (sums.kind) {
        case LossKind::logistic: return derive_logistic(sums, rows, first, n, score, out);
        case LossKind::exponential: return derive_exponential(sums, rows, first, n, score, out);
        case LossKind::log_loss: return derive_log_loss(sums, rows, first, n, score, out);
    }
}

RankLoss::RankLoss(LossKind kind, const LossRows& rows) : rows_(rows) {
    for (std::int64_t r = 0; r < rows.n; ++r) mass_[rows.labels[rows.rows[r]]] += rows.weight(rows.rows[r]);
    sums_.kind = kind;
    if (kind == LossKind::log_loss) {
        start_ = std::log(mass_[1] / mass_[0]);
        sums_.factor[0] = sums_.factor[1] = static_cast<double>(rows.n) / (mass_[0] + mass_[1]);
    }
}

const LossSums& RankLoss::at(const double* score) {
    if (sums_.kind == LossKind::exponential) sum_exponential(score);
    if (sums_.kind == LossKind::logistic) sum_logistic(score);
    return sums_;
}

void RankLoss::sum_exponential(const double* score) {
    for (double& shift : sums_.shift) shift = -std::numeric_limits<double>::infinity();
    for (std::int64_t r = 0; r < rows_.n; ++r) {
        const std::uint32_t i = rows_.rows[r];
        sums_.shift[rows_.labels[i]] = std::max(sums_.shift[rows_.labels[i]], exponent(rows_, i, score));
    }
    double sum[2] = {0.0, 0.0}, e[rows_derived_at_once];
    in_blocks(rows_.n, [&](std::int64_t first, int n) {
        shifted_exponentials(sums_, rows_, first, n, score, e);
        const std::uint32_t* rows = rows_.rows + first;
        for (int k = 0; k < n; ++k) sum[rows_.labels[rows[k]]] += rows_.weight(rows[k]) * e[k];
    });
    for (const int k : {0, 1}) sums_.factor[k] = 0.5 * static_cast<double>(rows_.n) / sum[k];
}

void RankLoss::sum_logistic(const double* score) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::int64_t r = 0; r < rows_.n; ++r) {
        low = std::min(low, score[rows_.rows[r]]);
        high = std::max(high, score[rows_.rows[r]]);
    }
    const int n = std::clamp(static_cast<int>(std::ceil((high - low) / finest_step)) + 1, 2, most_cells);
    const double step = high > low ? (high - low) / (n - 1) : 1.0, per_step = 1.0 / step;
    sums_.low = low;
    sums_.per_step = per_step;
    for (const int k : {0, 1}) {
        mass_at_[k].assign(n, 0.0);
        sums_.gradient_at[k].resize(n);
        sums_.hessian_at[k].resize(n);
    }
    for (std::int64_t r = 0; r < rows_.n; ++r) {  // each row is divided between its two grid points
        const std::uint32_t i = rows_.rows[r];
        const double at = (score[i] - low) * per_step;
        const int cell = std::min(static_cast<int>(at), n - 2);
        const double w = rows_.weight(i), share = w * (at - cell);
        double* mass = mass_at_[rows_.labels[i]].data() + cell;
        mass[0] += w - share;
        mass[1] += share;
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
    auto &gradient = sums_.gradient_at, &hessian = sums_.hessian_at;
    convolve(mass_at_[1].data(), first_.data(), n, gradient[0].data());
    convolve(mass_at_[1].data(), second_.data(), n, hessian[0].data());
    convolve(mass_at_[0].data(), first_.data(), n, gradient[1].data());
    convolve(mass_at_[0].data(), second_.data(), n, hessian[1].data());
    // for a positive, score differences have the opposite sign
    for (int a = 0; a < n; ++a) gradient[1][a] = mass_[0] - gradient[1][a];
    sums_.factor[0] = sums_.factor[1] = 0.5 * static_cast<double>(rows_.n) / (mass_[0] * mass_[1]);
}

}  // namespace rankforest
