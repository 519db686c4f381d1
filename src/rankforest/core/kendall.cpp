// Kendall distances by merge sort, with ties and weights.
#include "kendall.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <type_traits>
#include <utility>

namespace rankforest {
namespace {

// An item in the merge sort: its level in the second ranking, and its weight if there are weights.
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
bool better(const Item& a, const Item& b) {
    return a.level < b.level;
}

// Mass of the pairs inside [begin, end). The sums only add, so there is no cancellation of weights.
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

// Merges two sorted runs; an item of the left run is inverted with the items of the right run that were output before
// it.
template <class Item>
MassOf<Item> merge_runs(const Item* left, const Item* middle, const Item* end, Item* out) {
    MassOf<Item> inverted = 0, passed = 0;
    const Item* right = middle;
    while (left != middle && right != end) {
        // branchless, because the next run is unpredictable
        const bool takes_right = better(*right, *left);
        const Item taken = takes_right ? *right : *left;
        *out++ = taken;
        const auto from_right = static_cast<MassOf<Item>>(takes_right) * taken.mass();
        passed += from_right;
        inverted += (taken.mass() - from_right) * passed;
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

// Sorts by level and returns the mass of the inverted pairs; equal levels keep their order.
template <class Item>
MassOf<Item> sort_counting(std::vector<Item>& items, std::vector<Item>& buffer) {
    const auto n = static_cast<std::int64_t>(items.size());
    buffer.resize(n);
    MassOf<Item> inverted = 0;
    for (std::int64_t i = 0; i < n; i += short_run)
        inverted += insertion_sort(items.data() + i, items.data() + std::min(n, i + short_run));
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
    std::vector<std::int32_t> next;
};

template <class Item>
PairMasses compare(const SortedRanking& first, const SortedRanking& second, const double* weight,
                   Scratch<Item>& scratch) {
    const auto n = static_cast<std::int64_t>(first.order.size());
    auto& items = scratch.items;
    items.resize(n);
    // Order by the first ranking, and by the second inside its buckets, so that pairs tied in the first are not counted
    // as inverted: the items, in the order of the second ranking, are distributed to the buckets of the first.
    auto& next = scratch.next;
    next = first.bucket;
    for (const std::int32_t item : second.order) {
        Item& place = items[next[first.level[item]]++];
        if constexpr (std::is_same_v<Item, Weighted>) place = {second.level[item], weight[item]};
        else place = {second.level[item]};
    }
    MassOf<Item> tied_first = 0, tied_both = 0;
    for (std::size_t b = 0; b + 1 < first.bucket.size(); ++b) {
        const Item *begin = items.data() + first.bucket[b], *end = items.data() + first.bucket[b + 1];
        if (end - begin < 2) continue;
        tied_first += pair_mass(begin, end);
        tied_both += tied_mass(begin, end);
    }
    const MassOf<Item> discordant = sort_counting(items, scratch.buffer);
    const MassOf<Item> tied_second = tied_mass(items.data(), items.data() + n);
    const auto only = [&](MassOf<Item> tied) {
        return static_cast<double>(std::max<MassOf<Item>>(tied - tied_both, 0));
    };
    return {static_cast<double>(discordant), only(tied_first), only(tied_second)};
}

template <class Item>
void fill_distances(const std::vector<SortedRanking>& rankings, const double* weight, double penalty, int n_threads,
                    StopFlag& stop, const SignalCheck& signalled, double* distance) {
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

struct Keyed {
    std::uint64_t key;
    std::int32_t item;
};

// Bit patterns with the order of the numbers; both zeros are equal.
std::uint64_t ordered_bits(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value + 0.0);
    return bits >> 63 ? ~bits : bits | std::uint64_t{1} << 63;
}

// Sorts by key, and by item for equal keys. A radix sort of the upper 33 bits of the range separates most keys; runs
// that agree in them are sorted by comparison.
void sort_keyed(std::vector<Keyed>& keyed) {
    const auto before = [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.item < b.item; };
    if (keyed.size() < 256) return std::sort(keyed.begin(), keyed.end(), before);
    constexpr int bits = 11, digits = 3;
    constexpr std::uint64_t mask = (1u << bits) - 1;
    const auto [least, most] =
        std::minmax_element(keyed.begin(), keyed.end(), [](const Keyed& a, const Keyed& b) { return a.key < b.key; });
    const std::uint64_t origin = least->key;
    const int shift = std::max(0, static_cast<int>(std::bit_width(most->key - origin)) - bits * digits);
    const auto upper = [&](const Keyed& k) { return (k.key - origin) >> shift; };
    std::vector<std::uint32_t> counts(digits << bits, 0);
    for (const Keyed& k : keyed)
        for (int d = 0; d < digits; ++d) ++counts[(d << bits) + (upper(k) >> bits * d & mask)];
    std::vector<Keyed> buffer(keyed.size());
    for (int d = 0; d < digits; ++d) {
        std::uint32_t* count = counts.data() + (d << bits);
        if (count[upper(keyed[0]) >> bits * d & mask] == keyed.size()) continue;  // all keys have the same digit
        std::exclusive_scan(count, count + mask + 1, count, 0u);
        for (const Keyed& k : keyed) buffer[count[upper(k) >> bits * d & mask]++] = k;
        keyed.swap(buffer);
    }
    if (shift == 0) return;
    for (auto run = keyed.begin(); run != keyed.end();) {
        auto end = run + 1;
        while (end != keyed.end() && upper(*end) == upper(*run)) ++end;
        if (!std::is_sorted(run, end, before)) std::sort(run, end, before);
        run = end;
    }
}

}  // namespace

SortedRanking sort_ranking(const double* values, std::int64_t n) {
    std::vector<Keyed> keyed(n);
    for (std::int64_t i = 0; i < n; ++i) keyed[i] = {ordered_bits(values[i]), static_cast<std::int32_t>(i)};
    sort_keyed(keyed);
    SortedRanking ranking{std::vector<std::int32_t>(n), std::vector<std::int32_t>(n), {}};
    for (std::int64_t p = 0; p < n; ++p) {
        if (p == 0 || keyed[p - 1].key < keyed[p].key) ranking.bucket.push_back(static_cast<std::int32_t>(p));
        ranking.order[p] = keyed[p].item;
        ranking.level[keyed[p].item] = static_cast<std::int32_t>(ranking.bucket.size()) - 1;
    }
    ranking.bucket.push_back(static_cast<std::int32_t>(n));
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

void distance_matrix(const double* profile, std::int64_t n_rankings, std::int64_t n_items, const double* weight,
                     double penalty, int n_threads, const SignalCheck& signalled, double* distance) {
    StopFlag stop;
    std::vector<SortedRanking> rankings(n_rankings);
    parallel_for(n_rankings, n_threads, stop, signalled,
                 [&](std::int64_t b, int) { rankings[b] = sort_ranking(profile + b * n_items, n_items); });
    if (weight) fill_distances<Weighted>(rankings, weight, penalty, n_threads, stop, signalled, distance);
    else fill_distances<Counted>(rankings, weight, penalty, n_threads, stop, signalled, distance);
}

}  // namespace rankforest
