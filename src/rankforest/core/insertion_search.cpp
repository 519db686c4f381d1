// Local search for a median ranking by insertions, with restarts and random perturbations.
#include "insertion_search.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "random.hpp"

namespace rankforest {
namespace {

// Items from best to worst, in buckets.
struct BucketOrder {
    std::vector<std::int32_t> item;
    std::vector<std::uint8_t> head;  // 1 where a bucket begins

    // Removes the item at position `from` and inserts it into the bucket that starts at `to`, or alone before it.
    // Positions are those before the move; `to` = size means the end of the list.
    void move(std::int64_t from, std::int64_t to, bool join) {
        const auto n = static_cast<std::int64_t>(item.size());
        const std::int32_t moved = item[from];
        if (head[from] && from + 1 < n) head[from + 1] = 1;
        if (to > from) {
            const std::int64_t at = to - 1 + join;  // the removal shifted `to` by one
            std::copy(item.begin() + from + 1, item.begin() + at + 1, item.begin() + from);
            std::copy(head.begin() + from + 1, head.begin() + at + 1, head.begin() + from);
            item[at] = moved;
            head[at] = !join;
        } else {
            const std::int64_t at = to + join;
            std::copy_backward(item.begin() + at, item.begin() + from, item.begin() + from + 1);
            std::copy_backward(head.begin() + at, head.begin() + from, head.begin() + from + 1);
            item[at] = moved;
            head[at] = !join;
        }
    }
};

// Positions [begin, end) that hold whole buckets.
struct Window {
    std::int64_t begin, end;
    std::int64_t size() const { return end - begin; }
};

template <class Cell>
class InsertionSearch {
public:
    using Sum = std::conditional_t<std::is_same_v<Cell, double>, double, std::int64_t>;

    InsertionSearch(const Cell* margin, const Cell* tied, std::int64_t n, bool ties, Sum slack, const StopFlag& stop)
        : margin_(margin), tied_(tied), n_(n), ties_(ties), slack_(slack), stop_(stop), position_(n) {}

    BucketOrder ranking;
    Sum gain = 0;  // over the start of the search
    std::int64_t n_moves = 0;

    void begin(BucketOrder start) {
        ranking = std::move(start);
        for (std::int64_t p = 0; p < n_; ++p) position_[ranking.item[p]] = static_cast<std::int32_t>(p);
    }

    // Insertions until none gains anything.
    void descend() {
        Window whole{0, n_};
        for (bool better = true; better;) {
            stop_.check();
            better = false;
            for (std::int32_t i = 0; i < n_; ++i) better |= improve(i, whole);
        }
    }

    // Perturbs a window of the ranking, then improves it by insertions inside the window.
    void kick(Stream& stream, std::int64_t length) {
        const Window window = stretch(stream, length);
        shake(stream, window,
              1 + stream.below(static_cast<std::uint32_t>(std::max<std::int64_t>(window.size() / 4, 1))));
        inside_.assign(ranking.item.begin() + window.begin, ranking.item.begin() + window.end);
        for (bool better = true; better;) {
            better = false;
            for (const std::int32_t i : inside_) better |= improve(i, window);
        }
    }

    // Moves items of the window to random positions in it.
    void shake(Stream& stream, Window window, std::int64_t times) {
        const auto width = static_cast<std::uint32_t>(window.size());
        for (std::int64_t k = 0; k < times; ++k) {
            const std::int64_t from = window.begin + stream.below(width);
            std::int64_t to = window.begin + stream.below(width);
            while (!ranking.head[to]) --to;
            if (to == from) continue;
            const std::int32_t item = ranking.item[from];
            const Sum before = gain_at(item, window);
            place(from, to, false);
            gain += gain_at(item, window) - before;
        }
    }

private:
    // A random window of about the given length that consists of whole buckets.
    Window stretch(Stream& stream, std::int64_t length) const {
        const auto width = std::min(n_, length);
        Window window{stream.below(static_cast<std::uint32_t>(n_ - width + 1)), 0};
        window.end = window.begin + width;
        while (!ranking.head[window.begin]) --window.begin;
        while (window.end < n_ && !ranking.head[window.end]) ++window.end;
        return window;
    }

    // Gain of the item at its current position, against the items of the window.
    Sum gain_at(std::int32_t i, Window window) const {
        const Cell *m = margin_ + i * n_, *t = tied_ + i * n_;
        std::int64_t begin = position_[i], end = begin + 1;
        while (!ranking.head[begin]) --begin;
        while (end < window.end && !ranking.head[end]) ++end;
        Sum sum = 0;
        for (std::int64_t p = window.begin; p < begin; ++p) sum -= m[ranking.item[p]];
        for (std::int64_t p = begin; p < end; ++p) sum += t[ranking.item[p]];
        for (std::int64_t p = end; p < window.end; ++p) sum += m[ranking.item[p]];
        return sum;
    }

    void place(std::int64_t from, std::int64_t to, bool join) {
        ranking.move(from, to, join);
        const std::int64_t end = std::min(n_, std::max(from, to + join) + 1);
        for (std::int64_t p = std::min(from, to); p < end; ++p)
            position_[ranking.item[p]] = static_cast<std::int32_t>(p);
    }

    // Moves the item to its best position in the window; false if it is already there.
    // Let `left` be the sum of the margins over the items before a position. An item gains (all margins) - 2 left in a
    // gap, and (all margins) - 2 left - (margins in the bucket) + (ties in the bucket) in a bucket; the first term is
    // constant.
    bool improve(std::int32_t i, Window window) {
        const Cell *m = margin_ + i * n_, *t = tied_ + i * n_;
        const std::int32_t* item = ranking.item.data();
        const std::int64_t own = position_[i];
        Sum left = 0, best = 0, here = 0;
        std::int64_t to = window.begin;
        bool join = false;
        if (!ties_) {
            for (std::int64_t p = window.begin; p < window.end; ++p) {
                if (p == own) here = -2 * left;
                left += m[item[p]];
                if (-2 * left > best) {
                    best = -2 * left;
                    to = p + 1;
                }
            }
        } else {
            const std::uint8_t* head = ranking.head.data();
            for (std::int64_t p = window.begin; p < window.end;) {
                const std::int64_t begin = p;
                Sum inside = m[item[p]], ties = t[item[p]];
                for (++p; p < window.end && !head[p]; ++p) {
                    inside += m[item[p]];
                    ties += t[item[p]];
                }
                const Sum joined = ties - inside - 2 * left;
                if (begin <= own && own < p) here = joined;
                if (joined > best) {
                    best = joined;
                    to = begin;
                    join = true;
                }
                left += inside;
                if (-2 * left > best) {
                    best = -2 * left;
                    to = p;
                    join = false;
                }
            }
        }
        if (best <= here + slack_) return false;
        place(own, to, join);
        gain += best - here;
        ++n_moves;
        return true;
    }

    const Cell *margin_, *tied_;
    std::int64_t n_;
    bool ties_;
    Sum slack_;
    const StopFlag& stop_;
    std::vector<std::int32_t> position_, inside_;
};

// Mostly short: from 4 up to n, each doubling equally likely.
std::int64_t kick_length(Stream& stream, std::int64_t n) {
    std::uint32_t doublings = 1;
    while (doublings < 6 && std::int64_t{4} << doublings < n) ++doublings;
    return (std::int64_t{4} << stream.below(doublings)) + stream.below(4);
}

BucketOrder from_levels(const std::int32_t* level, std::int64_t n, bool ties) {
    BucketOrder order{std::vector<std::int32_t>(n), std::vector<std::uint8_t>(n, 1)};
    std::iota(order.item.begin(), order.item.end(), 0);
    std::stable_sort(order.item.begin(), order.item.end(),
                     [&](std::int32_t a, std::int32_t b) { return level[a] < level[b]; });
    if (ties)
        for (std::int64_t p = 1; p < n; ++p) order.head[p] = level[order.item[p - 1]] < level[order.item[p]];
    return order;
}

std::vector<std::int32_t> to_levels(const BucketOrder& order) {
    std::vector<std::int32_t> level(order.item.size());
    std::int32_t at = -1;
    for (std::size_t p = 0; p < order.item.size(); ++p) level[order.item[p]] = at += order.head[p];
    return level;
}

}  // namespace

template <class Cell>
SearchResult insertion_search(const Cell* margin, const Cell* tied, std::int64_t n, const std::int32_t* start,
                              const SearchParams& params, int n_threads, const SignalCheck& signalled) {
    using Search = InsertionSearch<Cell>;
    // Without ties in the rankings a bucket never gains: breaking it in one of the two orders is at least as good.
    const bool ties = !params.strict && std::any_of(tied, tied + n * n, [](Cell t) { return t != 0; });
    typename Search::Sum slack = 0;
    if constexpr (std::is_same_v<Cell, double>) {
        double most = 0.0;
        for (std::int64_t k = 0; k < n; ++k) {
            double row = 0.0;
            for (std::int64_t l = 0; l < n; ++l) row += std::abs(margin[k * n + l]) + tied[k * n + l];
            most = std::max(most, row);
        }
        slack = 1e-12 * most;  // moves that gain less than rounding could cycle forever
    }
    const BucketOrder first = from_levels(start, n, ties);
    struct Outcome {
        typename Search::Sum gain;
        BucketOrder ranking;
        std::int64_t n_moves;
    };
    std::vector<Outcome> outcomes(std::max(params.n_restarts, 1));
    StopFlag stop;
    parallel_for(static_cast<std::int64_t>(outcomes.size()), n_threads, stop, signalled, [&](std::int64_t c, int) {
        Stream stream(child_key(params.seed, static_cast<std::uint64_t>(c)));
        Search search(margin, tied, n, ties, slack, stop);
        search.begin(first);
        if (c > 0) search.shake(stream, {0, n}, n);
        search.descend();
        BucketOrder best = search.ranking;
        auto best_gain = search.gain;
        for (int k = 0; n > 2 && k < params.n_kicks; ++k) {
            stop.check();
            search.kick(stream, kick_length(stream, n));
            if (search.gain + slack >= best_gain) {
                best = search.ranking;
                best_gain = search.gain;
            } else {
                search.begin(best);
                search.gain = best_gain;
            }
        }
        // kicks improve inside their window only
        search.begin(std::move(best));
        search.gain = best_gain;
        search.descend();
        outcomes[c] = {search.gain, std::move(search.ranking), search.n_moves};
    });
    std::size_t winner = 0;
    for (std::size_t c = 1; c < outcomes.size(); ++c)
        if (outcomes[c].gain > outcomes[winner].gain) winner = c;
    return {to_levels(outcomes[winner].ranking), outcomes[winner].n_moves};
}

template SearchResult insertion_search<std::int32_t>(const std::int32_t*, const std::int32_t*, std::int64_t,
                                                     const std::int32_t*, const SearchParams&, int, const SignalCheck&);
template SearchResult insertion_search<double>(const double*, const double*, std::int64_t, const std::int32_t*,
                                               const SearchParams&, int, const SignalCheck&);

}  // namespace rankforest
