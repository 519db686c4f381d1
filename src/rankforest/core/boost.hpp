// Gradient boosting of a ranking loss: each round fits a small tree to the gradients of the current scores. Several
// boosters run side by side, each with its own held-out rows, and stop early together.
#pragma once
#include <cstdint>
#include <functional>
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
    std::uint64_t seed = 0;
};

struct StopParams {
    int n_rounds = 100;
    int patience = 0;  // early stopping: stop after patience + best / 2 rounds without improvement; 0: never
};

struct BoosterResult {
    double start = 0.0;
    std::vector<BoostedTree> trees;      // up to the best round
    std::vector<double> curve;           // AUC on the held-out rows after every round; empty without such rows
    std::vector<double> held_out_score;  // after the best round
    std::vector<double> fitted;          // sum of all trees for each row; only where no row is held out
};

struct BoostResult {
    std::vector<BoosterResult> boosters;
    int best_round = 0;  // rounds that are kept
};

// held_out[b * n_rows + i] != 0: row i is not in the training set of booster b. weights: null for 1. shards: row
// numbers of each shard, which together are all rows; empty if all rows are in one place.
BoostResult boost(const BinnedTable& table, const std::uint8_t* labels, const double* weights,
                  const std::uint8_t* held_out, const std::vector<BoostParams>& boosters, const StopParams& stop,
                  int n_threads, const SignalCheck& signalled, const std::function<void(int)>& rounds_done,
                  const std::vector<std::vector<std::int64_t>>& shards = {});

// AUC of a ranking of weighted rows; ties count one half.
class HeldOutAuc {
public:
    HeldOutAuc(std::vector<std::uint8_t> labels, std::vector<double> weights);
    double operator()(const double* score);

private:
    std::vector<std::uint8_t> labels_;
    std::vector<double> weights_;
    double mass_[2] = {0.0, 0.0};
    std::vector<std::pair<double, std::uint32_t>> order_;
};

}  // namespace rankforest
