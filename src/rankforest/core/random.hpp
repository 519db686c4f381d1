// Counter-based random numbers: a stream has a key, and each draw is a hash of (key, counter). Trees, cells and threads
// share no state, so the model does not depend on the order in which they are grown.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rankforest {

// Finaliser of splitmix64: a bijection of 64-bit words with well-mixed output bits.
inline std::uint64_t mix(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// Key of a child (tree of a forest, side of a cell, node of an inner tree), derived from the key of its parent.
inline std::uint64_t child_key(std::uint64_t key, std::uint64_t child) { return mix(key ^ mix(child + 1)); }

class Stream {
public:
    explicit Stream(std::uint64_t key) : key_(key) {}

    std::uint64_t next() { return mix(key_ + 0x9e3779b97f4a7c15ULL * counter_++); }

    // Unbiased uniform draw from 0 .. bound-1 (Lemire's multiplication with rejection).
    std::uint32_t below(std::uint32_t bound) {
        for (;;) {
            const std::uint64_t product = (next() >> 32) * bound;
            const auto low = static_cast<std::uint32_t>(product);
            if (low >= bound || low >= (0u - bound) % bound) return static_cast<std::uint32_t>(product >> 32);
        }
    }

private:
    std::uint64_t key_;
    std::uint64_t counter_ = 0;
};

// Draws `count` features of `pool`, in ascending order; all of them if count >= size of the pool.
inline void draw_features(const std::vector<int>& pool, int count, std::uint64_t key, std::vector<int>& out) {
    out = pool;
    const int n = static_cast<int>(pool.size());
    if (count <= 0 || count >= n) return;
    Stream stream(key);
    for (int i = 0; i < count; ++i) std::swap(out[i], out[i + stream.below(n - i)]);
    out.resize(count);
    std::sort(out.begin(), out.end());
}

// Calls draw(row) for each of `size` draws with replacement from n rows.
template <class Draw>
void for_each_draw(std::int64_t n, std::int64_t size, std::uint64_t key, const Draw& draw) {
    Stream stream(key);
    const auto bound = static_cast<std::uint32_t>(n);
    for (std::int64_t i = 0; i < size; ++i) draw(stream.below(bound));
}

// How often each of n rows is drawn in `size` draws, with or without replacement.
inline std::vector<std::uint32_t> draw_rows(std::int64_t n, std::int64_t size, bool replace, std::uint64_t key) {
    std::vector<std::uint32_t> times(n, replace || size < n ? 0 : 1);
    if (replace) {
        for_each_draw(n, size, key, [&](std::uint32_t row) { ++times[row]; });
    } else if (size < n) {
        Stream stream(key);
        const auto bound = static_cast<std::uint32_t>(n);
        std::vector<std::uint32_t> order(n);
        std::iota(order.begin(), order.end(), 0u);
        for (std::int64_t i = 0; i < size; ++i) {
            std::swap(order[i], order[i + stream.below(bound - static_cast<std::uint32_t>(i))]);
            times[order[i]] = 1;
        }
    }
    return times;
}

// The same for rows begin .. end-1 alone. Draws with replacement need no memory for the other rows.
inline std::vector<std::uint32_t> draw_rows_of_range(std::int64_t n, std::int64_t size, bool replace, std::uint64_t key,
                                                     std::int64_t begin, std::int64_t end) {
    if (!replace) {
        const auto times = draw_rows(n, size, replace, key);
        return {times.begin() + begin, times.begin() + end};
    }
    std::vector<std::uint32_t> times(end - begin, 0);
    const auto first = static_cast<std::uint32_t>(begin);
    for_each_draw(n, size, key, [&](std::uint32_t row) {
        const std::uint32_t at = row - first;  // wraps around for rows before the first
        if (at < times.size()) ++times[at];
    });
    return times;
}

}  // namespace rankforest
