#include "boost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "threshold_ranker.hpp"

namespace rankforest {

TopAuc::TopAuc(std::vector<std::uint8_t> labels, std::vector<double> weights, double top)
    : labels_(std::move(labels)), weights_(std::move(weights)), top_(top), order_(labels_.size()) {
    for (std::size_t i = 0; i < labels_.size(); ++i) mass_[labels_[i]] += weights_[i];
}

double TopAuc::operator()(const double* score) {
    const auto n = static_cast<std::uint32_t>(labels_.size());
    if (mass_[0] <= 0.0 || mass_[1] <= 0.0) return std::numeric_limits<double>::quiet_NaN();
    for (std::uint32_t i = 0; i < n; ++i) order_[i] = {-score[i], i};
    std::sort(order_.begin(), order_.end());
    const double reach = top_ * (mass_[0] + mass_[1]);
    double above[2] = {0.0, 0.0}, area = 0.0;
    for (std::uint32_t i = 0; i < n;) {
        double tied[2] = {0.0, 0.0};
        std::uint32_t j = i;
        for (; j < n && order_[j].first == order_[i].first; ++j)
            tied[labels_[order_[j].second]] += weights_[order_[j].second];
        const double so_far = above[0] + above[1], all = tied[0] + tied[1];
        const double part = top_ < 1.0 ? std::min(1.0, (reach - so_far) / all) : 1.0;
        area += part * tied[0] * (above[1] + 0.5 * part * tied[1]);
        for (const int k : {0, 1}) above[k] += part * tied[k];
        if (part < 1.0) break;
        i = j;
    }
    // beyond the top, what is in it is above all negatives that are not
    return (area + above[1] * (mass_[0] - above[0])) / (mass_[0] * mass_[1]);
}

namespace {

class BoosterBase {
public:
    virtual ~BoosterBase() = default;
    virtual void advance(int n_rounds, const StopFlag& stop) = 0;
    virtual void finish(int n_rounds) = 0;
    BoosterResult result;
};

template <class Code>
class Booster : public BoosterBase {
public:
    Booster(const BinnedTable& table, const std::uint8_t* labels, const double* weights, const std::uint8_t* held_out,
            const BoostParams& params, double top)
        : table_(table),
          params_(params),
          train_(rows_where(held_out, table.n_rows, 0)),
          held_out_(rows_where(held_out, table.n_rows, 1)),
          loss_(params.loss, params.push, {train_.data(), static_cast<std::int64_t>(train_.size()), labels, weights}),
          auc_(of(labels, held_out_), weights ? of(weights, held_out_) : std::vector<double>(held_out_.size(), 1.0),
               top),
          grower_(table, params.tree),
          threshold_(table),
          score_(table.n_rows, loss_.start()),
          held_out_score_(held_out_.size(), loss_.start()),
          gradient_(table.n_rows),
          hessian_(table.n_rows),
          pairs_(table.n_rows) {
        result.start = loss_.start();
        double least[2] = {1.0, 1.0}, mass[2] = {0.0, 0.0};
        for (const auto i : train_) {
            const double w = weights ? weights[i] : 1.0;
            least[labels[i]] = mass[labels[i]] > 0.0 ? std::min(least[labels[i]], w) : w;
            mass[labels[i]] += w;
        }
        least_pair_ = least[0] * least[1] / (mass[0] * mass[1]);
    }

    void advance(int n_rounds, const StopFlag& stop) override {
        for (int r = 0; r < n_rounds; ++r) {
            stop.check();
            round();
        }
    }

    void finish(int n_rounds) override {
        result.trees.resize(n_rounds);
        result.held_out_score.assign(held_out_.size(), result.start);
        for (const auto& tree : result.trees)
            for (std::size_t i = 0; i < held_out_.size(); ++i)
                result.held_out_score[i] += tree.leaf(codes(held_out_[i])).value;
    }

private:
    static std::vector<std::uint32_t> rows_where(const std::uint8_t* held_out, std::int64_t n, std::uint8_t wanted) {
        std::vector<std::uint32_t> rows;
        for (std::int64_t i = 0; i < n; ++i)
            if ((held_out[i] != 0) == (wanted != 0)) rows.push_back(static_cast<std::uint32_t>(i));
        return rows;
    }

    template <class T>
    static std::vector<T> of(const T* values, const std::vector<std::uint32_t>& rows) {
        std::vector<T> found;
        for (const auto i : rows) found.push_back(values[i]);
        return found;
    }

    const Code* codes(std::uint32_t row) const {
        return static_cast<const Code*>(table_.codes) + static_cast<std::int64_t>(row) * table_.n_features;
    }

    void round() {
        const std::uint64_t key = child_key(mix(params_.seed), result.trees.size());
        loss_.derive(score_.data(), gradient_.data(), hessian_.data());
        double most_gradient = 0.0, most_hessian = 0.0;
        for (const auto i : train_) {
            most_gradient = std::max(most_gradient, std::abs(gradient_[i]));
            most_hessian = std::max(most_hessian, hessian_[i]);
        }
        const GradientUnits units(static_cast<std::int64_t>(train_.size()), most_gradient, most_hessian);
        draw(child_key(key, 0));
        for (const auto i : drawn_) pairs_[i] = units.pack(gradient_[i], hessian_[i]);
        GradientTree tree = params_.threshold ? threshold_.learn(drawn_, pairs_.data(), units, least_pair_)
                                              : grower_.grow(drawn_, pairs_.data(), units, child_key(key, 1));
        for (auto& node : tree.nodes) node.value *= params_.learning_rate;
        for (const auto& node : tree.nodes)
            if (node.left < 0)
                for (std::int64_t i = node.begin; i < node.end; ++i) score_[drawn_[i]] += node.value;
        for (const auto i : left_out_) score_[i] += tree.leaf(codes(i)).value;
        for (std::size_t i = 0; i < held_out_.size(); ++i) held_out_score_[i] += tree.leaf(codes(held_out_[i])).value;
        if (!held_out_.empty()) result.curve.push_back(auc_(held_out_score_.data()));
        result.trees.push_back(std::move(tree));
    }

    // Each row for itself, by a hash of its number: a tree sees about the asked-for share.
    void draw(std::uint64_t key) {
        drawn_.clear();
        left_out_.clear();
        if (params_.subsample >= 1.0) {
            drawn_ = train_;
            return;
        }
        const auto below = static_cast<std::uint64_t>(std::ldexp(params_.subsample, 53));
        drawn_.resize(train_.size());
        left_out_.resize(train_.size());
        std::size_t n_in = 0, n_out = 0;
        for (const auto i : train_) {
            const bool in = (mix(key + 0x9e3779b97f4a7c15ULL * i) >> 11) < below;
            drawn_[n_in] = left_out_[n_out] = i;
            n_in += in;
            n_out += !in;
        }
        drawn_.resize(n_in);
        left_out_.resize(n_out);
    }

    const BinnedTable& table_;
    const BoostParams params_;
    const std::vector<std::uint32_t> train_, held_out_;
    RankLoss loss_;
    TopAuc auc_;
    GradientGrower<Code> grower_;
    ThresholdRanker<Code> threshold_;
    double least_pair_ = 0.0;  // weight of the lightest pair before the first round
    std::vector<double> score_, held_out_score_, gradient_, hessian_;
    std::vector<GradientPair> pairs_;
    std::vector<std::uint32_t> drawn_, left_out_;
};

}  // namespace

BoostResult boost(const BinnedTable& table, const std::uint8_t* labels, const double* weights,
                  const std::uint8_t* held_out, const std::vector<BoostParams>& params, const StopParams& stop_params,
                  int n_threads, const SignalCheck& signalled, const std::function<void(int)>& rounds_done) {
    const auto n = static_cast<std::int64_t>(params.size());
    std::vector<std::unique_ptr<BoosterBase>> boosters(n);
    StopFlag stop;
    int done = 0, best = stop_params.n_rounds;
    while (done < stop_params.n_rounds) {
        const int more = std::min(stop_params.n_rounds - done, 16);
        parallel_for(n, n_threads, stop, signalled, [&](std::int64_t b, int) {
            if (!boosters[b]) {
                const std::uint8_t* out = held_out + b * table.n_rows;
                if (table.code_bytes == 1)
                    boosters[b] = std::make_unique<Booster<std::uint8_t>>(table, labels, weights, out, params[b],
                                                                          stop_params.top);
                else
                    boosters[b] = std::make_unique<Booster<std::uint16_t>>(table, labels, weights, out, params[b],
                                                                           stop_params.top);
            }
            boosters[b]->advance(more, stop);
        });
        done += more;
        if (signalled && signalled()) throw Interrupted();  // a few rounds are over before the workers are asked
        if (rounds_done) rounds_done(done);
        if (stop_params.patience > 0) {
            // the first round whose mean over the boosters is greatest; those without held-out rows have no say
            double greatest = -1.0;
            best = done;
            for (int r = 0; r < done; ++r) {
                double sum = 0.0;
                for (const auto& b : boosters)
                    if (!b->result.curve.empty() && !std::isnan(b->result.curve[r])) sum += b->result.curve[r];
                if (sum > greatest) {
                    greatest = sum;
                    best = r + 1;
                }
            }
            if (done - best >= stop_params.patience + best / 2) break;
        }
    }
    parallel_for(n, n_threads, stop, signalled, [&](std::int64_t b, int) { boosters[b]->finish(best); });
    BoostResult result;
    result.best_round = best;
    for (auto& b : boosters) result.boosters.push_back(std::move(b->result));
    return result;
}

}  // namespace rankforest
