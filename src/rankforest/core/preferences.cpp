// Counts pairwise preferences, and computes gains, Copeland scores and bounds from them.
#include "preferences.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kendall.hpp"

namespace rankforest {
namespace {

// 16-bit counters can count this many rankings before they are flushed.
constexpr std::int64_t at_once = 32767;
// Number of items whose counters stay in the L1 cache while all rankings are counted.
constexpr std::int64_t block = 2048;

// Level is int16 if there are few items, for twice as many comparisons per instruction. Count is int32, or double if
// rankings have weights.
template <class Level, class Count>
struct Counter {
    const Profile& profile;
    std::vector<Level> levels;

    Counter(const Profile& p, int n_threads, StopFlag& stop, const SignalCheck& signalled)
        : profile(p), levels(p.n_rankings * p.n_items) {
        parallel_for(p.n_rankings, n_threads, stop, signalled, [&](std::int64_t b, int) {
            const SortedRanking ranking = sort_ranking(p.values + b * p.n_items, p.n_items);
            std::copy(ranking.level.begin(), ranking.level.end(), levels.begin() + b * p.n_items);
        });
    }

    Count total() const {
        if constexpr (std::is_same_v<Count, double>) {
            double sum = 0.0;
            for (std::int64_t b = 0; b < profile.n_rankings; ++b) sum += profile.ranking_weight[b];
            return sum;
        } else {
            return static_cast<Count>(profile.n_rankings);
        }
    }

    // OUT before[l], tied[l]: mass of the rankings with k strictly before l, and tied with it, for first <= l <
    // n_items.
    void row(std::int64_t k, std::int64_t first, Count* before, Count* tied) const {
        const std::int64_t n = profile.n_items;
        std::fill(before + first, before + n, Count{0});
        std::fill(tied + first, tied + n, Count{0});
        for (std::int64_t l = first; l < n; l += block) {
            const std::int64_t size = std::min(block, n - l);
            for (std::int64_t b = 0; b < profile.n_rankings; b += at_once)
                add(k, l, size, b, std::min(profile.n_rankings, b + at_once), before + l, tied + l);
        }
    }

private:
    void add(std::int64_t k, std::int64_t l, std::int64_t size, std::int64_t begin, std::int64_t end, Count* before,
             Count* tied) const {
        using Partial = std::conditional_t<std::is_same_v<Count, double>, double, std::int16_t>;
        Partial fewer[block] = {}, equal[block] = {};
        for (std::int64_t b = begin; b < end; ++b) {
            const Level* row = levels.data() + b * profile.n_items;
            const Level level = row[k];
            row += l;
            if constexpr (std::is_same_v<Count, double>) {
                const double weight = profile.ranking_weight[b];
                for (std::int64_t i = 0; i < size; ++i) fewer[i] += level < row[i] ? weight : 0.0;
                for (std::int64_t i = 0; i < size; ++i) equal[i] += level == row[i] ? weight : 0.0;
            } else {
                for (std::int64_t i = 0; i < size; ++i) {
                    fewer[i] = static_cast<Partial>(fewer[i] + (level < row[i]));
                    equal[i] = static_cast<Partial>(equal[i] + (level == row[i]));
                }
            }
        }
        for (std::int64_t i = 0; i < size; ++i) before[i] += fewer[i];
        for (std::int64_t i = 0; i < size; ++i) tied[i] += equal[i];
    }
};

// task(counter, row k, worker's two rows of counts) for every item k.
template <class Level, class Count, class Task>
void for_each_row_of(const Profile& profile, bool upper, int n_threads, const SignalCheck& signalled,
                     const Task& task) {
    StopFlag stop;
    const Counter<Level, Count> counter(profile, n_threads, stop, signalled);
    const Count total = counter.total();
    std::vector<std::vector<Count>> rows(2 * std::max(n_threads, 1), std::vector<Count>(profile.n_items));
    parallel_for(profile.n_items, n_threads, stop, signalled, [&](std::int64_t k, int worker) {
        Count *before = rows[2 * worker].data(), *tied = rows[2 * worker + 1].data();
        counter.row(k, upper ? k + 1 : 0, before, tied);
        task(k, total, before, tied);
    });
}

template <class Task>
void for_each_row(const Profile& profile, bool upper, int n_threads, const SignalCheck& signalled, const Task& task) {
    const bool few = profile.n_items <= std::numeric_limits<std::int16_t>::max();
    if (profile.ranking_weight) for_each_row_of<std::int32_t, double>(profile, upper, n_threads, signalled, task);
    else if (few) for_each_row_of<std::int16_t, std::int32_t>(profile, upper, n_threads, signalled, task);
    else for_each_row_of<std::int32_t, std::int32_t>(profile, upper, n_threads, signalled, task);
}

// Mass of the rankings with k before l, minus that of l before k. Sums of weights are rounded, but a draw must stay a
// draw.
template <class Count>
Count margin_of(Count before, Count tied, Count total) {
    const Count margin = before - (total - before - tied);
    if constexpr (std::is_same_v<Count, double>) return std::abs(margin) <= 1e-12 * total ? 0.0 : margin;
    else return margin;
}

}  // namespace

void count_before(const Profile& profile, int n_threads, const SignalCheck& signalled, double* before) {
    const std::int64_t n = profile.n_items;
    for_each_row(profile, false, n_threads, signalled, [&](std::int64_t k, auto, const auto* counts, const auto*) {
        std::copy(counts, counts + n, before + k * n);
    });
}

template <class Cell>
void pair_gains(const Profile& profile, int n_threads, const SignalCheck& signalled, Cell* margin, Cell* tied) {
    const std::int64_t n = profile.n_items;
    const double* weight = profile.item_weight;
    for_each_row(profile, false, n_threads, signalled,
                 [&](std::int64_t k, auto total, const auto* before, const auto* equal) {
                     for (std::int64_t l = 0; l < n; ++l) {
                         const auto ahead = margin_of(before[l], equal[l], total);
                         const Cell pair = weight ? static_cast<Cell>(weight[k] * weight[l]) : Cell{1};
                         margin[k * n + l] = l == k ? Cell{0} : static_cast<Cell>(ahead) * pair;
                         tied[k * n + l] = l == k ? Cell{0} : static_cast<Cell>(equal[l]) * pair;
                     }
                 });
    // k against l and l against k must round in the same way.
    if constexpr (std::is_same_v<Cell, double>)
        for (std::int64_t k = 0; k < n; ++k)
            for (std::int64_t l = 0; l < k; ++l) margin[k * n + l] = -margin[l * n + k];
}

template void pair_gains<std::int32_t>(const Profile&, int, const SignalCheck&, std::int32_t*, std::int32_t*);
template void pair_gains<double>(const Profile&, int, const SignalCheck&, double*, double*);

std::vector<double> copeland_scores(const Profile& profile, int n_threads, const SignalCheck& signalled) {
    const std::int64_t n = profile.n_items;
    std::vector<double> scores(n);
    for_each_row(profile, false, n_threads, signalled,
                 [&](std::int64_t k, auto total, const auto* before, const auto* equal) {
                     double score = 0.0;
                     for (std::int64_t l = 0; l < n; ++l) {
                         const auto ahead = margin_of(before[l], equal[l], total);
                         if (l != k)
                             score += (profile.item_weight ? profile.item_weight[l] : 1.0) * (ahead > 0    ? 1.0
                                                                                              : ahead == 0 ? 0.5
                                                                                                           : 0.0);
                     }
                     scores[k] = score;
                 });
    return scores;
}

PairTotals pair_totals(const Profile& profile, int n_threads, const SignalCheck& signalled) {
    const std::int64_t n = profile.n_items;
    const double* weight = profile.item_weight;
    std::vector<PairTotals> rows(n);
    for_each_row(profile, true, n_threads, signalled,
                 [&](std::int64_t k, auto total, const auto* before, const auto* equal) {
                     PairTotals row;
                     for (std::int64_t l = k + 1; l < n; ++l) {
                         const double mass = weight ? weight[l] : 1.0, x = before[l], t = equal[l],
                                      y = std::max<double>(total - before[l] - equal[l], 0);
                         const double margin = std::abs(static_cast<double>(margin_of(before[l], equal[l], total)));
                         row.best_gain += mass * std::max(margin, t);
                         row.best_strict_gain += mass * margin;
                         row.disagreement += mass * (x * y + 0.5 * (x + y) * t);
                     }
                     rows[k] = row;
                 });
    PairTotals totals;
    for (std::int64_t k = 0; k < n; ++k) {  // in the order of the items, whatever the threads did
        const double mass = weight ? weight[k] : 1.0;
        totals.best_gain += mass * rows[k].best_gain;
        totals.best_strict_gain += mass * rows[k].best_strict_gain;
        totals.disagreement += mass * rows[k].disagreement;
    }
    return totals;
}

}  // namespace rankforest
