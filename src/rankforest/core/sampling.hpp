// Draws the sample of rows of each tree of a forest.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "random.hpp"

namespace rankforest {

// Sampling parameters. size 0: no sampling, every row once. With class sizes, each class is sampled separately. With
// groups, `size` of them are drawn, and all rows of a group are drawn together; group[i] is that of row i.
struct Sampling {
    std::int64_t size = 0;
    bool replace = true;
    bool by_class = false;
    std::int64_t class_size[2] = {0, 0};
    const std::int32_t* group = nullptr;
    std::int64_t n_groups = 0;

    // Largest number of distinct rows of a sample of n rows.
    std::int64_t most_rows(std::int64_t n) const { return size > 0 && !group ? std::min(n, size) : n; }

    // Whether rows are drawn with replacement from all rows.
    bool is_plain() const { return size > 0 && replace && !by_class && !group; }
};

// Random key of the sample of a tree.
inline std::uint64_t sample_key(std::uint64_t seed, int tree) { return child_key(child_key(mix(seed), tree), 0); }

// How often each row is drawn; empty if every row once.
inline std::vector<std::uint32_t> draw_sample(const std::uint8_t* labels, std::int64_t n, const Sampling& sampling,
                                              std::uint64_t key) {
    if (sampling.size <= 0) return {};
    std::vector<std::uint32_t> times(n, 0);
    if (sampling.group) {
        const auto drawn = draw_rows(sampling.n_groups, sampling.size, sampling.replace, key);
        for (std::int64_t i = 0; i < n; ++i) times[i] = drawn[sampling.group[i]];
        return times;
    }
    if (!sampling.by_class) return draw_rows(n, sampling.size, sampling.replace, key);
    for (const int k : {0, 1}) {
        std::vector<std::int64_t> rows;
        for (std::int64_t i = 0; i < n; ++i)
            if (labels[i] == k) rows.push_back(i);
        if (rows.empty()) continue;
        const auto drawn = draw_rows(static_cast<std::int64_t>(rows.size()), sampling.class_size[k], sampling.replace,
                                     child_key(key, k));
        for (std::size_t i = 0; i < rows.size(); ++i) times[rows[i]] = drawn[i];
    }
    return times;
}

// Sets a bit for each row that is not drawn, the lowest bit of a byte first. The bits are 0 before.
inline void mark_left_out(const std::uint8_t* labels, std::int64_t n, const Sampling& sampling, std::uint64_t key,
                          std::uint8_t* bits) {
    if (sampling.size <= 0) return;
    const auto bit = [](std::int64_t row) { return static_cast<std::uint8_t>(1u << (row & 7)); };
    if (!sampling.is_plain()) {
        const auto times = draw_sample(labels, n, sampling, key);
        for (std::int64_t i = 0; i < n; ++i)
            if (times[i] == 0) bits[i >> 3] |= bit(i);
        return;
    }
    std::fill(bits, bits + n / 8, static_cast<std::uint8_t>(0xff));
    for (std::int64_t i = n & ~std::int64_t{7}; i < n; ++i) bits[i >> 3] |= bit(i);
    for_each_draw(n, sampling.size, key,
                  [&](std::uint32_t row) { bits[row >> 3] &= static_cast<std::uint8_t>(~bit(row)); });
}

}  // namespace rankforest
