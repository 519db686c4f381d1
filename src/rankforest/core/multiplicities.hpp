// How often each row of a large table counts: a byte for a row, because nearly all numbers are small.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sampling.hpp"

namespace rankforest {

class Multiplicities {
public:
    Multiplicities() = default;  // every row once

    explicit Multiplicities(const std::vector<std::uint32_t>& times) : small_(times.size(), 0) {
        for (std::uint32_t row = 0; row < times.size(); ++row) add(row, times[row]);
    }

    // The sample of a tree. The usual draw, with replacement from all rows, needs no larger numbers on the way.
    static Multiplicities drawn(const std::uint8_t* labels, std::int64_t n, const Sampling& sampling,
                                std::uint64_t key) {
        if (!sampling.is_plain()) return Multiplicities(draw_sample(labels, n, sampling, key));
        Multiplicities found;
        found.small_.assign(n, 0);
        for_each_draw(n, sampling.size, key, [&](std::uint32_t row) { found.add(row, 1); });
        return found;
    }

    std::uint32_t operator[](std::uint32_t row) const {
        if (small_.empty()) return 1;
        return small_[row] < full ? small_[row] : full + large_.at(row);
    }

private:
    static constexpr std::uint8_t full = 255;

    void add(std::uint32_t row, std::uint32_t times) {
        if (small_[row] + times < full) {
            small_[row] = static_cast<std::uint8_t>(small_[row] + times);
            return;
        }
        large_[row] += times - (full - small_[row]);
        small_[row] = full;
    }

    std::vector<std::uint8_t> small_;                         // `full` means: and more
    std::unordered_map<std::uint32_t, std::uint32_t> large_;  // what is above `full`
};

}  // namespace rankforest
