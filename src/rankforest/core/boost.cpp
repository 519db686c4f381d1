// Boosters side by side: threads, and the best round.
#include "boost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "booster.hpp"

namespace rankforest {

Boosters::Boosters(Training training, const std::uint8_t* held_out, std::vector<BoostParams> params)
    : training_(std::move(training)), held_out_(held_out), params_(std::move(params)), boosters_(params_.size()) {}

Boosters::~Boosters() = default;

// Made by the first thread that needs it.
BoosterBase& Boosters::booster(int b) {
    if (!boosters_[b]) {
        const BinnedTable& table = training_.table;
        const LabelledRows rows{table, training_.labels, training_.weights, held_out_ + b * table.n_rows};
        if (table.code_bytes == 1)
            boosters_[b] = std::make_unique<Booster<std::uint8_t>>(rows, params_[b], layouts_.get());
        else boosters_[b] = std::make_unique<Booster<std::uint16_t>>(rows, params_[b], layouts_.get());
    }
    return *boosters_[b];
}

// Each thread takes the next booster. If the boosters cannot be shared out evenly, the threads work together on those
// that are left over.
void Boosters::advance(int n_rounds, int n_threads, const SignalCheck& signalled) {
    if (!layouts_) layouts_ = std::make_unique<CodeLayouts>(training_.table);
    n_rounds_ += n_rounds;
    StopFlag stop;
    const int n = size(), threads = std::max(n_threads, 1), alone = n < threads ? 0 : n - n % threads;
    const auto run = [&](int first, int last, int threads_each) {
        parallel_for(last - first, threads / threads_each, stop, signalled, [&](std::int64_t i, int) {
            booster(static_cast<int>(first + i)).advance_to(n_rounds_, threads_each, stop);
        });
    };
    if (alone > 0) run(0, alone, 1);
    if (alone < n) run(alone, n, threads / (n - alone));
    if (signalled && signalled()) throw Interrupted();  // a few rounds can end before run_workers() checks
    find_best_round();
    for (auto& booster : boosters_) booster->forget_scores_before(best_round_);
}

void Boosters::resume(std::vector<std::vector<BoostedTree>> grown) {
    if (!layouts_) layouts_ = std::make_unique<CodeLayouts>(training_.table);
    const int n_rounds = static_cast<int>(grown[0].size());
    for (int b = 0; b < size(); ++b) booster(b).resume(std::move(grown[b]));
    n_rounds_ += n_rounds;
    find_best_round();
}

int best_round_of(const std::vector<const std::vector<double>*>& curves, int n_rounds) {
    double greatest = -1.0;
    int best = n_rounds;
    for (int r = 0; r < n_rounds; ++r) {
        double sum = 0.0;
        bool any = false;
        for (const auto* curve : curves) {
            if (curve->empty() || std::isnan((*curve)[r])) continue;
            sum += (*curve)[r];
            any = true;
        }
        if (any && sum > greatest) {
            greatest = sum;
            best = r + 1;
        }
    }
    return best;
}

void Boosters::find_best_round() {
    std::vector<const std::vector<double>*> curves;
    for (const auto& booster : boosters_) curves.push_back(&booster->curve);
    best_round_ = best_round_of(curves, n_rounds_);
}

double Boosters::start(int b) const { return boosters_[b]->start; }
const BoostedTree& Boosters::tree(int b, int round) const { return boosters_[b]->trees[round]; }
const std::vector<double>& Boosters::curve(int b) const { return boosters_[b]->curve; }
const std::vector<double>& Boosters::fitted(int b) const { return boosters_[b]->fitted(); }
std::vector<double> Boosters::held_out_score(int b, int n_rounds) const {
    return boosters_[b]->held_out_score(n_rounds);
}

}  // namespace rankforest
