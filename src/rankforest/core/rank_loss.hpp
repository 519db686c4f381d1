// Ranking losses and their gradients. A pairwise loss is a sum over all pairs of a positive and a negative, but no pair
// is visited. The exponential loss is a product of two sums. The logistic loss is a function of the difference of two
// scores: on an even grid of scores, the sum over the other class is a convolution.
#pragma once
#include <cstdint>
#include <vector>

namespace rankforest {

// logistic: log(1 + exp(-(f_i - f_j))); exponential: exp(-(f_i - f_j)); log_loss: pointwise.
enum class LossKind : int { logistic = 0, exponential = 1, log_loss = 2 };

// The training rows: both classes must occur, and weights must be positive.
struct LossRows {
    const std::uint32_t* rows;  // row numbers; all other arrays cover the whole table
    std::int64_t n;
    const std::uint8_t* labels;
    const double* weights;  // null: 1
    double weight(std::uint32_t i) const { return weights ? weights[i] : 1.0; }
};

// Gradient and hessian of a row.
struct Derivatives {
    double gradient, hessian;
};

// What the derivatives of a row depend on besides its own score, label and weight. Rows that know these sums need no
// other row.
struct LossSums {
    LossKind kind = LossKind::log_loss;
    double factor[2] = {1.0, 1.0};                      // of the weight, by class
    double shift[2] = {0.0, 0.0};                       // exponential: greatest exponent of each class
    double low = 0.0, per_step = 1.0;                   // logistic: the grid of scores,
    std::vector<double> gradient_at[2], hessian_at[2];  // and the derivatives at its points, by class
};

constexpr int rows_derived_at_once = 256;

// Derivatives of the n rows from `first` on, at most rows_derived_at_once; out[k] belongs to row rows.rows[first + k].
void derive(const LossSums& sums, const LossRows& rows, std::int64_t first, int n, const double* score,
            Derivatives* out);

// The objective, for positives i, negatives j, weighted means, and m rows:
//   pairwise:  m/2 mean_j( mean_i( loss(f_i - f_j) ) )
//   log_loss:  m mean_i( log(1 + exp(-y_i f_i)) ),  y = -1, 1
// So gradients have about the same size for every loss. The gradients of the exponential loss are rescaled in every
// round so that both classes weigh m/2, which is the same as minimising its logarithm. Hessians are diagonal.
class RankLoss {
public:
    RankLoss(LossKind kind, const LossRows& rows);

    // Score of every row before the first round: 0, or the log-odds for log_loss.
    double start() const { return start_; }
    // Whether the derivatives of a row depend on the scores of other rows.
    bool pairwise() const { return sums_.kind != LossKind::log_loss; }
    const LossRows& rows() const { return rows_; }

    // The sums at these scores; log_loss does not read the scores.
    const LossSums& at(const double* score);

private:
    void sum_exponential(const double* score);
    void sum_logistic(const double* score);

    LossRows rows_;
    LossSums sums_;
    double mass_[2] = {0.0, 0.0}, start_ = 0.0;
    std::vector<double> mass_at_[2], first_, second_;  // on the grid: masses of the classes, derivatives of the loss
};

}  // namespace rankforest
