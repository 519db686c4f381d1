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

    // Fills gradient[row] and hessian[row] for the rows of the list.
    void derive(const double* score, double* gradient, double* hessian);

private:
    void derive_logistic(const double* score, double* gradient, double* hessian);
    void derive_exponential(const double* score, double* gradient, double* hessian);
    void derive_log_loss(const double* score, double* gradient, double* hessian) const;

    LossKind kind_;
    LossRows rows_;
    double mass_[2] = {0.0, 0.0}, scale_ = 1.0, start_ = 0.0;
    // on the grid: masses of the two classes, tables of the derivatives of the loss, sums at the grid points
    std::vector<double> mass_at_[2], first_, second_, gradient_at_[2], hessian_at_[2];
    std::vector<std::int32_t> cell_;
    std::vector<double> place_;
};

}  // namespace rankforest
