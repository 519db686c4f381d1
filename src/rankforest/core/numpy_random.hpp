// The random numbers of NumPy's default generator: SeedSequence, PCG64 and the shuffle of Generator.permutation. Folds
// drawn here are those that Python draws with the same seed.
#pragma once
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace rankforest {

class NumpyGenerator {
public:
    explicit NumpyGenerator(std::uint64_t seed) {
        const auto words = seed_words(seed);
        const auto joined = [&](int i) {  // two 64-bit words, each of two 32-bit words, the low one first
            const auto word = [&](int j) {
                return static_cast<std::uint64_t>(words[j + 1]) << 32 | static_cast<std::uint64_t>(words[j]);
            };
            return static_cast<Wide>(word(i)) << 64 | word(i + 2);
        };
        increment_ = joined(4) << 1 | 1;
        step();
        state_ += joined(0);
        step();
    }

    // Shuffles in place, from the last item to the first.
    template <class T>
    void shuffle(std::vector<T>& items) {
        for (std::size_t i = items.size(); i-- > 1;) std::swap(items[i], items[at_most(static_cast<std::uint32_t>(i))]);
    }

private:
    using Wide = unsigned __int128;

    // SeedSequence(seed).generate_state(8): a pool of four words, each mixed into all others.
    static std::array<std::uint32_t, 8> seed_words(std::uint64_t seed) {
        std::uint32_t constant = 0x43b0d7e5u;
        const auto hash = [&](std::uint32_t value) {
            value ^= constant;
            constant *= 0x931e8875u;
            value *= constant;
            return value ^ value >> 16;
        };
        const auto mix = [](std::uint32_t x, std::uint32_t y) {
            const std::uint32_t mixed = 0xca01f9ddu * x - 0x4973f715u * y;
            return mixed ^ mixed >> 16;
        };
        std::uint32_t pool[4];
        for (int i = 0; i < 4; ++i) pool[i] = hash(i < 2 ? static_cast<std::uint32_t>(seed >> (32 * i)) : 0u);
        for (int from = 0; from < 4; ++from)
            for (int to = 0; to < 4; ++to)
                if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
        std::array<std::uint32_t, 8> words;
        constant = 0x8b51f9ddu;
        for (int i = 0; i < 8; ++i) {
            std::uint32_t value = pool[i % 4] ^ constant;
            constant *= 0x58f38dedu;
            value *= constant;
            words[i] = value ^ value >> 16;
        }
        return words;
    }

    void step() { state_ = state_ * multiplier + increment_; }

    std::uint64_t next64() {
        step();
        const auto word = static_cast<std::uint64_t>(state_ >> 64) ^ static_cast<std::uint64_t>(state_);
        const auto turn = static_cast<int>(state_ >> 122);
        return word >> turn | word << (-turn & 63);
    }

    // The halves of a 64-bit word, the low one first.
    std::uint32_t next32() {
        has_half_ = !has_half_;
        if (!has_half_) return half_;
        const std::uint64_t word = next64();
        half_ = static_cast<std::uint32_t>(word >> 32);
        return static_cast<std::uint32_t>(word);
    }

    // Uniform in 0 .. most: draws of as many bits as `most` has, until one is small enough.
    std::uint32_t at_most(std::uint32_t most) {
        std::uint32_t mask = most;
        for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
        for (;;) {
            const std::uint32_t value = next32() & mask;
            if (value <= most) return value;
        }
    }

    static constexpr Wide multiplier = static_cast<Wide>(2549297995355413924ULL) << 64 | 4865540595714422341ULL;
    Wide state_ = 0, increment_ = 0;
    std::uint32_t half_ = 0;
    bool has_half_ = false;
};

}  // namespace rankforest
