// Out-of-bag AUC by pairs: each pair is ranked by the trees that were trained on neither of its rows.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace rankforest {

// What orders the two rows of a pair: the sums of their scores (means), the medians, or the majority of the trees.
enum class PairOrder { mean, median, majority };

// The difference between two rows over the trees that are out of bag for both, its scale, and the number of these
// trees.
struct PairDifference {
    double value = 0.0, size = 0.0;
    std::int64_t trees = 0;
};

// The median of the values, which are reordered.
inline double median_of(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return values.size() % 2 == 1 ? *middle : 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

// Scores of two rows, and the flags of the trees that are out of bag for each; its buffers are reused for all pairs.
class PairComparison {
public:
    PairComparison(PairOrder order, std::int64_t n_trees) : order_(order), n_trees_(n_trees) {}

    PairDifference operator()(const double* a, const double* b, const std::uint8_t* of_a, const std::uint8_t* of_b) {
        switch (order_) {
            case PairOrder::median: return of_medians(a, b, of_a, of_b);
            case PairOrder::majority:
                return summed(a, b, of_a, of_b,
                              [](double x, double y) { return static_cast<double>((x > y) - (x < y)); });
            default: return summed(a, b, of_a, of_b, [](double x, double y) { return x - y; });
        }
    }

private:
    template <class Difference>
    PairDifference summed(const double* a, const double* b, const std::uint8_t* of_a, const std::uint8_t* of_b,
                          const Difference& difference) const {
        PairDifference found;
        for (std::int64_t t = 0; t < n_trees_; ++t) {
            const int both = of_a[t] & of_b[t];
            found.value += both ? difference(a[t], b[t]) : 0.0;
            found.size += both ? std::abs(a[t]) : 0.0;
            found.trees += both;
        }
        return found;
    }

    PairDifference of_medians(const double* a, const double* b, const std::uint8_t* of_a, const std::uint8_t* of_b) {
        first_.clear();
        second_.clear();
        for (std::int64_t t = 0; t < n_trees_; ++t) {
            if (!(of_a[t] & of_b[t])) continue;
            first_.push_back(a[t]);
            second_.push_back(b[t]);
        }
        if (first_.empty()) return {};
        const double ours = median_of(first_), theirs = median_of(second_);
        return {ours - theirs, std::abs(ours), static_cast<std::int64_t>(first_.size())};
    }

    PairOrder order_;
    std::int64_t n_trees_;
    std::vector<double> first_, second_;
};

// For each pair of rows, by the trees that are out of bag for both: 1 if the first is above the second, 1/2 if they are
// tied, 0 if it is below, NaN if there is no such tree. scores, out_of_bag: row by row, one entry per tree.
inline std::vector<double> out_of_bag_pairs(const double* scores, const std::uint8_t* out_of_bag, std::int64_t n_trees,
                                            const std::int64_t* first, const std::int64_t* second, std::int64_t n_pairs,
                                            PairOrder order, int n_threads, const SignalCheck& signalled) {
    constexpr std::int64_t at_once = 4096;
    std::vector<double> won(n_pairs);
    StopFlag stop;
    parallel_for((n_pairs + at_once - 1) / at_once, n_threads, stop, signalled, [&](std::int64_t block, int) {
        PairComparison compare(order, n_trees);
        for (std::int64_t p = block * at_once; p < std::min(n_pairs, (block + 1) * at_once); ++p) {
            const std::int64_t a = first[p] * n_trees, b = second[p] * n_trees;
            const PairDifference found = compare(scores + a, scores + b, out_of_bag + a, out_of_bag + b);
            const bool equal = std::abs(found.value) <= 1e-12 * found.size;  // equal up to the order of summation
            won[p] = found.trees == 0 ? std::nan("") : equal ? 0.5 : found.value > 0.0 ? 1.0 : 0.0;
        }
    });
    return won;
}

}  // namespace rankforest
