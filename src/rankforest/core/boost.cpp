// Boosters side by side: threads, and the best round.
#include "boost.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "booster.hpp"

namespace rankforest {
namespace {

std::unique_ptr<BoosterBase> make_booster(const Training& training, const std::uint8_t* held_out,
                                          const BoostParams& params, const CodeLayouts* layouts) {
    const auto make = [&]<class Code>() -> std::unique_ptr<BoosterBase> {
        if (params.threshold) return std::make_unique<Booster<Code, Thresholds>>(training, held_out, params, layouts);
        if (params.tree.symmetric)
            return std::make_unique<Booster<Code, SymmetricTrees>>(training, held_out, params, layouts);
        return std::make_unique<Booster<Code, FreeTrees>>(training, held_out, params, layouts);
    };
    return training.table.code_bytes == 1 ? make.template operator()<std::uint8_t>()
                                          : make.template operator()<std::uint16_t>();
}

}  // namespace

Boosters::Boosters(Training training, const std::uint8_t* held_out, std::vector<BoostParams> params, FirstTrees first)
    : training_(std::move(training)),
      held_out_(held_out),
      params_(std::move(params)),
      first_(std::move(first)),
      boosters_(params_.size()) {
    if (!first_.empty()) n_rounds_ = static_cast<int>(first_[0].size());
}

Boosters::~Boosters() = default;

// Each thread takes the next booster. If the boosters cannot be shared out evenly, the threads work together on those
// that are left over.
void Boosters::advance(int n_rounds, int n_threads, const SignalCheck& signalled) {
    if (!layouts_) layouts_ = std::make_unique<CodeLayouts>(training_.table);
    n_rounds_ += n_rounds;
    StopFlag stop;
    const int n = size(), threads = std::max(n_threads, 1), alone = n < threads ? 0 : n - n % threads;
    const auto run = [&](int first, int last, int threads_each) {
        parallel_for(last - first, threads / threads_each, stop, signalled, [&](std::int64_t i, int) {
            auto& booster = boosters_[first + i];
            const std::int64_t first_row = (first + i) * training_.table.n_rows;
            if (!booster) {
                booster = make_booster(training_, held_out_ + first_row, params_[first + i], layouts_.get());
                if (!first_.empty()) booster->begin_with(std::move(first_[first + i]));
            }
            booster->advance_to(n_rounds_, threads_each, stop);
        });
    };
    if (alone > 0) run(0, alone, 1);
    if (alone < n) run(alone, n, threads / (n - alone));
    if (signalled && signalled()) throw Interrupted();  // a few rounds can end before run_workers() checks
    find_best_round();
    for (auto& booster : boosters_) booster->forget_scores_before(best_round_);
}

void Boosters::find_best_round() {
    double greatest = -1.0;
    best_round_ = n_rounds_;
    for (int r = 0; r < n_rounds_; ++r) {
        double sum = 0.0;
        bool any = false;
        for (const auto& booster : boosters_) {
            if (booster->curve.empty() || std::isnan(booster->curve[r])) continue;
            sum += booster->curve[r];
            any = true;
        }
        if (any && sum > greatest) {
            greatest = sum;
            best_round_ = r + 1;
        }
    }
}

double Boosters::start(int b) const { return boosters_[b]->start; }
const BoostedTree& Boosters::tree(int b, int round) const { return boosters_[b]->trees[round]; }
const std::vector<double>& Boosters::curve(int b) const { return boosters_[b]->curve; }
const std::vector<double>& Boosters::fitted(int b) const { return boosters_[b]->fitted; }
std::vector<double> Boosters::held_out_score(int b, int n_rounds) const {
    return boosters_[b]->held_out_score(n_rounds);
}

}  // namespace rankforest
