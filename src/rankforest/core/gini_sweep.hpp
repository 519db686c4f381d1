// Gains of the cuts of one small node, whose left side grows row by row. Where each row counts a whole number and the node is
// small, the differences that a Gini is made of (ordinal_criterion.hpp) are whole numbers of 16 bits: a row changes them by a
// step that depends only on its label, and the sum of their squares has no rounding, so that the gain is bit for bit that of
// the criterion.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "ordinal_criterion.hpp"

namespace rankforest {

// Any criterion: masses on the left, and what the criterion makes of them.
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

template <bool cumulative>
class WholeSweep<GiniOf<cumulative>> {
public:
    static constexpr bool exists = true;

    // Whether the numbers of a node are small enough: |n c_left - n_left c| <= n^2 / 4, whose squares are summed in 32 bits.
    static bool fits(const double* node, int n_classes) {
        const double n = total(node, n_classes), most = n * n / 4.0;
        return most <= 32767.0 && n_classes * most * most <= 2147483647.0;
    }

    // Steps of the labels that the node has. Places past the last difference are zero and stay so.
    void set(const double* node, int n_classes) {
        const int n = n_classes - cumulative;
        total_ = total(node, n_classes);
        n_words_ = (n + width - 1) / width;
        differences_.resize(n_words_);
        steps_.resize(n_classes * n_words_);
        const int all = static_cast<int>(total_);
        for (int label = 0; label < n_classes; ++label) {
            if (node[label] == 0.0) continue;
            Words* step = steps_.data() + label * n_words_;
            int of_node = 0;
            for (int m = 0; m < n; ++m) {
                of_node = static_cast<int>(node[m]) + (cumulative ? of_node : 0);
                step[m / width][m % width] = static_cast<std::uint16_t>((cumulative ? label <= m : label == m) ? all - of_node : -of_node);
            }
        }
    }

    void clear() {
        std::fill(differences_.begin(), differences_.end(), Words{});
        left_ = 0.0;
    }

    void pass(int label, double weight) {
        const Words* step = steps_.data() + label * n_words_;
        const Words times = Words{} + static_cast<std::int16_t>(weight);
        left_ += weight;
        Words* to = differences_.data();
        for (int i = 0; i < n_words_; ++i) to[i] += times * step[i];  // products that overflow are right again in the sum
    }

    double gain() const {
        return static_cast<double>(squares()) / (total_ * total_ * left_ * (total_ - left_));
    }

private:
    static constexpr int width = 8;
    typedef std::uint16_t Words __attribute__((vector_size(2 * width)));  // unsigned, since these may overflow

    static double total(const double* node, int n_classes) {
        double sum = 0.0;
        for (int i = 0; i < n_classes; ++i) sum += node[i];
        return sum;
    }

    int squares() const {
#ifdef __SSE2__
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
            for (int i = 0; i < width; ++i) sum += static_cast<std::int16_t>(words[i]) * static_cast<std::int16_t>(words[i]);
        return sum;
#endif
    }

    double total_ = 0.0, left_ = 0.0;
    int n_words_ = 0;
    std::vector<Words> differences_, steps_;
};

}  // namespace rankforest
