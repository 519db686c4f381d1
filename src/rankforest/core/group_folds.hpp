// Folds that keep groups of rows together, with shares of all classes that are as equal as possible.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "numpy_random.hpp"

namespace rankforest {

// Rows of each class in each group: group g has rows[g * n_classes + k] of class k.
struct GroupCounts {
    int n_classes;
    std::vector<std::int32_t> group;  // of each row, 0, 1, ... in the order of their numbers
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> total;  // of each class

    std::int64_t n_groups() const { return static_cast<std::int64_t>(rows.size()) / n_classes; }
    const std::int64_t* of(std::int64_t g) const { return rows.data() + g * n_classes; }

    // Number of groups that have rows of the class that is in the fewest.
    std::int64_t fewest() const {
        std::vector<std::int64_t> with(n_classes, 0);
        for (std::int64_t g = 0; g < n_groups(); ++g)
            for (int k = 0; k < n_classes; ++k) with[k] += of(g)[k] > 0;
        return *std::min_element(with.begin(), with.end());
    }
};

template <class LabelOf, class GroupOf>
GroupCounts count_groups(std::int64_t n_rows, const LabelOf& label_of, const GroupOf& group_of, int n_classes) {
    std::vector<std::int32_t> numbers(n_rows);
    for (std::int64_t i = 0; i < n_rows; ++i) numbers[i] = group_of(i);
    std::vector<std::int32_t> distinct = numbers;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    GroupCounts counts{n_classes, std::vector<std::int32_t>(n_rows), {}, std::vector<std::int64_t>(n_classes, 0)};
    counts.rows.assign(distinct.size() * n_classes, 0);
    for (std::int64_t i = 0; i < n_rows; ++i) {
        const auto g = std::lower_bound(distinct.begin(), distinct.end(), numbers[i]) - distinct.begin();
        counts.group[i] = static_cast<std::int32_t>(g);
        ++counts.rows[g * n_classes + label_of(i)];
        ++counts.total[label_of(i)];
    }
    return counts;
}

// The fold of each group. The groups come in random order, those with the largest share of a class first. Each goes to
// the fold where it raises the sum over folds and classes of squared shares least; of several, to the one with the
// fewest rows.
inline std::vector<std::int32_t> deal_groups(const GroupCounts& counts, int n_folds, std::uint64_t seed) {
    const int n_classes = counts.n_classes;
    const auto share = [&](int k, std::int64_t rows) {
        return counts.total[k] > 0 ? static_cast<double>(rows) / static_cast<double>(counts.total[k]) : 0.0;
    };
    std::vector<std::int32_t> order(counts.n_groups()), fold(order.size());
    std::iota(order.begin(), order.end(), 0);
    NumpyGenerator(seed).shuffle(order);
    std::vector<double> largest(order.size(), 0.0);
    for (std::size_t g = 0; g < order.size(); ++g)
        for (int k = 0; k < n_classes; ++k) largest[g] = std::max(largest[g], share(k, counts.of(g)[k]));
    std::stable_sort(order.begin(), order.end(),
                     [&](std::int32_t a, std::int32_t b) { return largest[a] > largest[b]; });
    std::vector<std::int64_t> held(static_cast<std::size_t>(n_folds) * n_classes, 0), n_rows(n_folds, 0);
    for (const std::int32_t g : order) {
        int best = 0;
        double least = 0.0;
        for (int f = 0; f < n_folds; ++f) {
            double rise = 0.0;
            for (int k = 0; k < n_classes; ++k) rise += share(k, counts.of(g)[k]) * share(k, held[f * n_classes + k]);
            if (f == 0 || rise < least || (rise == least && n_rows[f] < n_rows[best])) {
                best = f;
                least = rise;
            }
        }
        fold[g] = best;
        for (int k = 0; k < n_classes; ++k) {
            held[best * n_classes + k] += counts.of(g)[k];
            n_rows[best] += counts.of(g)[k];
        }
    }
    return fold;
}

// Folds of rows, at most n_folds: as many as can have a row of every class each, or just a row if every_class is false.
// Fewer than two folds: all rows are in fold 0.
template <class LabelOf, class GroupOf>
std::vector<std::int32_t> group_folds(std::int64_t n_rows, const LabelOf& label_of, const GroupOf& group_of,
                                      int n_classes, bool every_class, int n_folds, std::uint64_t seed) {
    const GroupCounts counts = count_groups(n_rows, label_of, group_of, n_classes);
    const std::int64_t most = every_class ? counts.fewest() : counts.n_groups();
    std::vector<std::int32_t> fold(n_rows, 0);
    for (int n = static_cast<int>(std::min<std::int64_t>(n_folds, most)); n >= 2; --n) {
        const auto of_group = deal_groups(counts, n, seed);
        std::vector<std::int64_t> held(static_cast<std::size_t>(n) * n_classes, 0), all(n, 0);
        for (std::int64_t g = 0; g < counts.n_groups(); ++g)
            for (int k = 0; k < n_classes; ++k) {
                held[of_group[g] * n_classes + k] += counts.of(g)[k];
                all[of_group[g]] += counts.of(g)[k];
            }
        const auto& needed = every_class ? held : all;
        if (std::find(needed.begin(), needed.end(), 0) != needed.end()) continue;
        for (std::int64_t i = 0; i < n_rows; ++i) fold[i] = of_group[counts.group[i]];
        break;
    }
    return fold;
}

}  // namespace rankforest
