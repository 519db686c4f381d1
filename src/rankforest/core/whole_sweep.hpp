// Gains of the cuts of one small node, whose left side grows row by row. If multiplicities are integers and the node is
// small, the terms of a criterion (ordinal_criterion.hpp) are 16-bit integers, one per label. A row changes them by a
// step that depends only on its own label. Only the last quotient is rounded, so the gain equals that of the criterion
// bit for bit.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>
#if defined(__SSE2__) && !defined(RANKFOREST_SCALAR)
#include <emmintrin.h>
#endif

#include "ordinal_criterion.hpp"

namespace rankforest {

// Any criterion: masses on the left, and the criterion's gain.
template <class Value>
class PlainSweep {
public:
    PlainSweep(std::vector<double>& left, const Value& value) : left_(left), value_(value) {}
    void clear() { std::fill(left_.begin(), left_.end(), 0.0); }
    void pass(int label, double weight) { left_[label] += weight; }
    double gain() const { return value_(left_.data()); }

private:
    std::vector<double>& left_;
    const Value& value_;
};

template <class Criterion>
struct WholeSweep {
    static constexpr bool exists = false;
};

// Eight 16-bit numbers in one 128-bit vector; unsigned, because their sums and products may overflow.
constexpr int word_width = 8;
typedef std::uint16_t Words __attribute__((vector_size(2 * word_width)));
inline int words_for(int n) { return (n + word_width - 1) / word_width; }

inline void add_times(Words* to, const Words* step, double weight, int n_words) {
    const Words times = Words{} + static_cast<std::uint16_t>(weight);
    for (int i = 0; i < n_words; ++i) to[i] += times * step[i];
}

template <bool cumulative>
class WholeSweep<GiniOf<cumulative>> {
public:
    static constexpr bool exists = true;

    // Whether the numbers of a node are small enough: |n c_left - n_left c| <= n^2 / 4, whose squares are summed in 32
    // bits.
    static bool fits(double total, const std::vector<double>& levels) {
        const double most = total * total / 4.0;
        return most <= 32767.0 && static_cast<double>(levels.size()) * most * most <= 2147483647.0;
    }

    // Steps of the labels that the node has. Places past the last difference are zero and stay so.
    void set(const double* node, double total, const std::vector<double>& levels) {
        const int n_classes = static_cast<int>(levels.size()), n = n_classes - cumulative;
        total_ = total;
        n_words_ = words_for(n);
        differences_.resize(n_words_);
        steps_.resize(n_classes * n_words_);
        const int all = static_cast<int>(total_);
        for (int label = 0; label < n_classes; ++label) {
            if (node[label] == 0.0) continue;
            Words* step = steps_.data() + label * n_words_;
            int of_node = 0;
            for (int m = 0; m < n; ++m) {
                of_node = static_cast<int>(node[m]) + (cumulative ? of_node : 0);
                step[m / word_width][m % word_width] =
                    static_cast<std::uint16_t>((cumulative ? label <= m : label == m) ? all - of_node : -of_node);
            }
        }
    }

    void clear() {
        std::fill(differences_.begin(), differences_.end(), Words{});
        left_ = 0.0;
    }

    // Overflows of single products cancel in the sum.
    void pass(int label, double weight) {
        add_times(differences_.data(), steps_.data() + label * n_words_, weight, n_words_);
        left_ += weight;
    }

    double gain() const { return static_cast<double>(squares()) / (total_ * total_ * left_ * (total_ - left_)); }

private:
    int squares() const {
#if defined(__SSE2__) && !defined(RANKFOREST_SCALAR)
        __m128i sums = _mm_setzero_si128();
        for (const Words& words : differences_) {
            const __m128i of = reinterpret_cast<__m128i>(words);
            sums = _mm_add_epi32(sums, _mm_madd_epi16(of, of));
        }
        sums = _mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(1, 0, 3, 2)));
        return _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_shuffle_epi32(sums, _MM_SHUFFLE(2, 3, 0, 1))));
#else
        int sum = 0;
        for (const Words& words : differences_)
            for (int i = 0; i < word_width; ++i)
                sum += static_cast<std::int16_t>(words[i]) * static_cast<std::int16_t>(words[i]);
        return sum;
#endif
    }

    double total_ = 0.0, left_ = 0.0;
    int n_words_ = 0;
    std::vector<Words> differences_, steps_;
};

// Integer levels. A row that moves to the left is now separated from the rows on the right, and no longer from those on
// the left; distances_ has the distance of each label to all rows on the left.
template <>
class WholeSweep<RankingImpurity> {
public:
    static constexpr bool exists = true;

    static bool fits(double total, const std::vector<double>& levels) {
        if (!(total * (levels.back() - levels.front()) <= 65535.0)) return false;
        for (const double level : levels)
            if (!(std::abs(level) < 1e9) || static_cast<double>(static_cast<int>(level)) != level) return false;
        return true;
    }

    void set(const double* node, double total, const std::vector<double>& levels) {
        const int n = static_cast<int>(levels.size());
        if (steps_.empty()) {
            n_words_ = words_for(n);
            distances_.resize(n_words_);
            steps_.resize(n * n_words_);
            for (int i = 0; i < n; ++i)
                for (int j = 0; j < n; ++j)
                    steps_[i * n_words_ + j / word_width][j % word_width] =
                        static_cast<std::uint16_t>(std::abs(levels[i] - levels[j]));
            to_all_.resize(n);
        }
        double sum = 0.0, below = 0.0;
        for (int i = 0; i < n; ++i) sum += (levels[i] - levels[0]) * node[i];
        for (int i = 0; i < n; ++i) {
            to_all_[i] = static_cast<int>(sum);
            below += node[i];
            if (i + 1 < n) sum += (levels[i + 1] - levels[i]) * (2.0 * below - total);
        }
        scale_ = 1.0 / (total * total * (levels.back() - levels.front()));
    }

    void clear() {
        std::fill(distances_.begin(), distances_.end(), Words{});
        pairs_ = 0;
    }

    void pass(int label, double weight) {
        const int to_left = distances_[label / word_width][label % word_width];
        pairs_ += static_cast<std::int64_t>(weight) * (to_all_[label] - 2 * to_left);
        add_times(distances_.data(), steps_.data() + label * n_words_, weight, n_words_);
    }

    double gain() const { return static_cast<double>(pairs_) * scale_; }

private:
    double scale_ = 0.0;
    std::int64_t pairs_ = 0;
    int n_words_ = 0;
    std::vector<Words> distances_, steps_;
    std::vector<int> to_all_;
};

}  // namespace rankforest
