// Gradient boosting of a ranking loss: each round fits a small tree to the gradients of the current scores. Several
// boosters run side by side, each with its own held-out rows, as many rounds at a time as the caller asks for.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "boosted_tree.hpp"
#include "gradient_criterion.hpp"
#include "interrupt.hpp"
#include "rank_loss.hpp"
#include "table.hpp"

namespace rankforest {

struct BoostParams {
    GradientTreeParams tree;
    LossKind loss = LossKind::logistic;
    bool threshold = false;  // weak rankers are thresholds, not trees; only with the exponential loss
    double learning_rate = 0.1;
    double subsample = 1.0;  // share of the rows that each tree is trained on
    int tree_features = 0;   // features drawn for each tree; 0: all
    std::uint64_t seed = 0;
};

// Training data of all boosters; the arrays belong to the caller.
struct Training {
    BinnedTable table;
    const std::uint8_t* labels;
    const double* weights;  // null: 1
};

// The first round with the greatest mean AUC, over the boosters that have a curve and where it is not NaN; without any,
// the last round.
int best_round_of(const std::vector<const std::vector<double>*>& curves, int n_rounds);

class BoosterBase;
struct CodeLayouts;

class Boosters {
public:
    // held_out[b * n_rows + i] != 0: row i is not in the training set of booster b.
    Boosters(Training training, const std::uint8_t* held_out, std::vector<BoostParams> params);
    Boosters(const Boosters&) = delete;
    ~Boosters();

    int size() const { return static_cast<int>(params_.size()); }
    int n_rounds() const { return n_rounds_; }

    // Runs more rounds. If it is interrupted, the next call makes up for the missing rounds.
    void advance(int n_rounds, int n_threads, const SignalCheck& signalled);

    // Takes trees of each booster as its next rounds, as many of each, instead of growing them.
    void resume(std::vector<std::vector<BoostedTree>> grown);

    // The first round with the greatest mean AUC on held-out rows, over the boosters that have such rows; without any,
    // the last round.
    int best_round() const { return best_round_; }

    // ---- of booster b
    double start(int b) const;
    const BoostedTree& tree(int b, int round) const;
    const std::vector<double>& curve(int b) const;   // AUC on held-out rows after each round; empty without such rows
    const std::vector<double>& fitted(int b) const;  // sum of all trees for each row; only where no row is held out
    // Scores of the held-out rows after a round; cheap from best_round() on.
    std::vector<double> held_out_score(int b, int n_rounds) const;

private:
    BoosterBase& booster(int b);
    void find_best_round();

    const Training training_;
    const std::uint8_t* const held_out_;
    const std::vector<BoostParams> params_;
    std::unique_ptr<CodeLayouts> layouts_;
    std::vector<std::unique_ptr<BoosterBase>> boosters_;
    int n_rounds_ = 0, best_round_ = 0;
};

}  // namespace rankforest
