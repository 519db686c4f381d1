#include "kendall.hpp"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

namespace rankforest {
namespace {

// An item on its way through the merge sort: its level in the second ranking, and its weight where there are weights.
struct Counted {
    std::int32_t level;
    static constexpr std::int64_t mass() { return 1; }
};
struct Weighted {
    std::int32_t level;
    double weight;
    double mass() const { return weight; }
};
template <class Item>
using MassOf = std::remove_cv_t<decltype(std::declval<Item>().mass())>;

template <class Item>
bool better(const Item& a, const Item& b) { return a.level < b.level; }

// Mass of the pairs inside [begin, end). Every sum only ever grows, so that weights are never cancelled.
template <class Item>
MassOf<Item> pair_mass(const Item* begin, const Item* end) {
    MassOf<Item> before = 0, pairs = 0;
    for (const Item* i = begin; i != end; ++i) {
        pairs += i->mass() * before;
        before += i->mass();
    }
    return pairs;
}

// The same, summed over the runs of equal level of a sorted range.
template <class Item>
MassOf<Item> tied_mass(const Item* begin, const Item* end) {
    MassOf<Item> pairs = 0;
    for (const Item* run = begin; run != end;) {
        const Item* next = run + 1;
        while (next != end && next->level == run->level) ++next;
        if (next - run > 1) pairs += pair_mass(run, next);
        run = next;
    }
    return pairs;
}

constexpr std::int64_t short_run = 16;

// Sorts a short run by level and returns the mass of its inverted pairs.
template <class Item>
MassOf<Item> insertion_sort(Item* begin, Item* end) {
    MassOf<Item> inverted = 0;
    for (Item* i = begin; i < end; ++i) {
        const Item item = *i;
        MassOf<Item> passed = 0;
        Item* to = i;
        for (; to != begin && better(item, to[-1]); --to) {
            passed += to[-1].mass();
            *to = to[-1];
        }
        *to = item;
        inverted += item.mass() * passed;
    }
    return inverted;
}

// Merges two sorted runs; an item of the left run is inverted with those of the right run that went out before it.
template <class Item>
MassOf<Item> merge_runs(const Item* left, const Item* middle, const Item* end, Item* out) {
    MassOf<Item> inverted = 0, passed = 0;
    const Item* right = middle;
    while (left != middle && right != end) {
        const bool takes_right = better(*right, *left);
        const Item& taken = takes_right ? *right : *left;
        *out++ = taken;
        passed += takes_right ? taken.mass() : 0;
        inverted += takes_right ? 0 : taken.mass() * passed;
        right += takes_right;
        left += !takes_right;
    }
    for (; left != middle; ++left) {
        inverted += left->mass() * passed;
        *out++ = *left;
    }
    std::copy(right, end, out);
    return inverted;
}

// Sorts by level, mass of the inverted pairs; equal levels keep their order.
template <class Item>
MassOf<Item> sort_counting(std::vector<Item>& items, std::vector<Item>& buffer) {
    const auto n = static_cast<std::int64_t>(items.size());
    buffer.resize(n);
    MassOf<Item> inverted = 0;
    for (std::int64_t i = 0; i < n; i += short_run) inverted += insertion_sort(items.data() + i, items.data() + std::min(n, i + short_run));
    for (std::int64_t width = short_run; width < n; width *= 2) {
        for (std::int64_t i = 0; i < n; i += 2 * width) {
            const std::int64_t middle = std::min(n, i + width), end = std::min(n, i + 2 * width);
            inverted += merge_runs(items.data() + i, items.data() + middle, items.data() + end, buffer.data() + i);
        }
        items.swap(buffer);
    }
    return inverted;
}

template <class Item>
struct Scratch {
    std::vector<Item> items, buffer;
};

template <class Item>
PairMasses compare(const SortedRanking& first, const SortedRanking& second, const double* weight, Scratch<Item>& scratch) {
    const auto n = static_cast<std::int64_t>(first.order.size());
    auto& items = scratch.items;
    items.resize(n);
    for (std::int64_t p = 0; p < n; ++p) {
        const std::int32_t item = first.order[p];
        if constexpr (std::is_same_v<Item, Weighted>) items[p] = {second.level[item], weight[item]};
        else items[p] = {second.level[item]};
    }
    // Inside a bucket of the first ranking no pair may count as inverted: sort it by the second.
    MassOf<Item> tied_first = 0, tied_both = 0;
    for (std::int64_t p = 0; p < n;) {
        const std::int32_t level = first.level[first.order[p]];
        std::int64_t end = p + 1;
        while (end < n && first.level[first.order[end]] == level) ++end;
        if (end - p > 1) {
            std::stable_sort(items.begin() + p, items.begin() + end, better<Item>);
            tied_first += pair_mass(items.data() + p, items.data() + end);
            tied_both += tied_mass(items.data() + p, items.data() + end);
        }
        p = end;
    }
    const MassOf<Item> discordant = sort_counting(items, scratch.buffer);
    const MassOf<Item> tied_second = tied_mass(items.data(), items.data() + n);
    const auto only = [&](MassOf<Item> tied) { return static_cast<double>(std::max<MassOf<Item>>(tied - tied_both, 0)); };
    return {static_cast<double>(discordant), only(tied_first), only(tied_second)};
}

template <class Item>
void fill_distances(const std::vector<SortedRanking>& rankings, const double* weight, double penalty, int n_threads, StopFlag& stop,
                    const SignalCheck& signalled, double* distance) {
    const auto n = static_cast<std::int64_t>(rankings.size());
    std::vector<Scratch<Item>> scratch(std::max(n_threads, 1));
    parallel_for(n, n_threads, stop, signalled, [&](std::int64_t row, int worker) {
        const std::int64_t a = n - 1 - row;  // the long rows first
        distance[a * n + a] = 0.0;
        for (std::int64_t b = 0; b < a; ++b) {
            stop.check();
            const PairMasses masses = compare(rankings[a], rankings[b], weight, scratch[worker]);
            const double d = masses.discordant + penalty * (masses.tied_first + masses.tied_second);
            distance[a * n + b] = distance[b * n + a] = d;
        }
    });
}

}  // namespace

SortedRanking sort_ranking(const double* values, std::int64_t n) {
    std::vector<std::pair<double, std::int32_t>> keyed(n);
    for (std::int64_t i = 0; i < n; ++i) keyed[i] = {values[i], static_cast<std::int32_t>(i)};
    std::sort(keyed.begin(), keyed.end());
    SortedRanking ranking{std::vector<std::int32_t>(n), std::vector<std::int32_t>(n)};
    std::int32_t level = 0;
    for (std::int64_t p = 0; p < n; ++p) {
        if (p > 0 && keyed[p - 1].first < keyed[p].first) ++level;
        ranking.order[p] = keyed[p].second;
        ranking.level[keyed[p].second] = level;
    }
    return ranking;
}

PairMasses compare_rankings(const SortedRanking& first, const SortedRanking& second, const double* weight) {
    if (weight) {
        Scratch<Weighted> scratch;
        return compare(first, second, weight, scratch);
    }
    Scratch<Counted> scratch;
    return compare(first, second, weight, scratch);
}

void distance_matrix(const double* profile, std::int64_t n_rankings, std::int64_t n_items, const double* weight, double penalty,
                     int n_threads, const SignalCheck& signalled, double* distance) {
    StopFlag stop;
    std::vector<SortedRanking> rankings(n_rankings);
    parallel_for(n_rankings, n_threads, stop, signalled,
                 [&](std::int64_t b, int) { rankings[b] = sort_ranking(profile + b * n_items, n_items); });
    if (weight) fill_distances<Weighted>(rankings, weight, penalty, n_threads, stop, signalled, distance);
    else fill_distances<Counted>(rankings, weight, penalty, n_threads, stop, signalled, distance);
}

}  // namespace rankforest
