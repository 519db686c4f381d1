// Boosting: rounds of small trees, each fitted to the gradients that the ones before it have left. Several boosters run
// side by side, each with its own held-out rows; together they decide when to stop.
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
    bool threshold = false;  // weak rankers are thresholds instead of trees; only with the exponential loss
    double learning_rate = 0.1;
    double subsample = 1.0;  // share of the rows that each tree sees
    std::uint64_t seed = 0;
};

struct StopParams {
    int n_rounds = 100;
    int patience = 0;  // boosting stops after so many rounds and half of the best without a better one; 0: never
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

// held_out[b * n_rows + i] != 0: booster b does not learn from row i. Weights: null for 1. shards: row numbers of each
// shard, together all rows; empty: all rows in one place.
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
