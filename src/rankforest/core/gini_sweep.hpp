// Gains of the cuts of one small node, whose left side grows row by row. Where each row counts a whole number and the node is
// small, the differences that a Gini is made of (ordinal_criterion.hpp) are whole numbers of 16 bits: a row changes them by a
// step that depends only on its label, and the sum of their squares has no rounding, so that the gain is bit for bit that of
// the criterion.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

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

    // Steps of the labels that the node has. Columns past the last difference are zero and stay so.
    void set(const double* node, int n_classes) {
        total_ = total(node, n_classes);
        width_ = (n_classes - cumulative + block - 1) / block * block;
        differences_.resize(width_);
        steps_.resize(n_classes * width_);
        const int all = static_cast<int>(total_);
        for (int label = 0; label < n_classes; ++label) {
            if (node[label] == 0.0) continue;
            std::int16_t* step = steps_.data() + label * width_;
            int of_node = 0;
            for (int m = 0; m < n_classes - cumulative; ++m) {
                of_node = static_cast<int>(node[m]) + (cumulative ? of_node : 0);
                step[m] = static_cast<std::int16_t>((cumulative ? label <= m : label == m) ? all - of_node : -of_node);
            }
            std::fill(step + n_classes - cumulative, step + width_, std::int16_t{0});
        }
    }

    void clear() {
        std::fill(differences_.begin(), differences_.end(), std::int16_t{0});
        left_ = 0.0;
    }

    void pass(int label, double weight) {
        const std::int16_t* step = steps_.data() + label * width_;
        const int times = static_cast<int>(weight);
        left_ += weight;
        if (width_ == block) add<block>(step, times);
        else if (width_ == 2 * block) add<2 * block>(step, times);
        else add<0>(step, times);
    }

    double gain() const {
        const int squares = width_ == block ? sum<block>() : width_ == 2 * block ? sum<2 * block>() : sum<0>();
        return static_cast<double>(squares) / (total_ * total_ * left_ * (total_ - left_));
    }

private:
    static constexpr int block = 8;  // differences in one word of the narrowest vector unit

    static double total(const double* node, int n_classes) {
        double sum = 0.0;
        for (int i = 0; i < n_classes; ++i) sum += node[i];
        return sum;
    }

    // few labels: the compiler knows how many and unrolls
    template <int fixed>
    void add(const std::int16_t* step, int times) {
        const int n = fixed ? fixed : width_;
        std::int16_t* to = differences_.data();
        for (int m = 0; m < n; ++m) to[m] = static_cast<std::int16_t>(to[m] + times * step[m]);
    }

    template <int fixed>
    int sum() const {
        const int n = fixed ? fixed : width_;
        const std::int16_t* of = differences_.data();
        int squares = 0;
        for (int m = 0; m < n; ++m) squares += of[m] * of[m];
        return squares;
    }

    double total_ = 0.0, left_ = 0.0;
    int width_ = 0;
    std::vector<std::int16_t> differences_, steps_;
};

}  // namespace rankforest
