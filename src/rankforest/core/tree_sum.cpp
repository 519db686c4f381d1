// Sums the values of trees over blocks of rows.
#include "tree_sum.hpp"

#include <algorithm>
#include <stdexcept>

#include "walk_forest.hpp"

namespace rankforest {
namespace {

constexpr std::int64_t few_rows = 4;  // so few rows walk one by one, down many trees at once
constexpr int batch = 4;              // trees whose values are added to a sum while it is in a register

}  // namespace

TreeSum::TreeSum(std::shared_ptr<const Forest> forest, std::vector<double> value, std::vector<std::int64_t> bounds)
    : forest_(std::move(forest)), value_(std::move(value)), bounds_(std::move(bounds)) {
    const auto require = [](bool condition) {
        if (!condition) throw std::invalid_argument("one value per label of each tree is needed");
    };
    require(bounds_.size() == forest_->size() + 1 && bounds_.front() == 0);
    for (std::size_t t = 0; t < forest_->size(); ++t) require(bounds_[t + 1] - bounds_[t] == (*forest_)[t].n_labels());
    require(bounds_.back() == static_cast<std::int64_t>(value_.size()));
}

void TreeSum::sum(const RawRows& X, std::int64_t first, std::int64_t last, double* sums) const {
    std::fill(sums, sums + X.n, 0.0);
    if (first == last) return;
    const CodedTrees* coded = forest_->coded_for(X.n, last - first);
    forest_->count_rows(X.n);
    if (!coded && X.n <= few_rows) {
        for (std::int64_t i = 0; i < X.n; ++i) sum_row(X.row(i), first, last, sums[i]);
        return;
    }
    for_coded_blocks(*forest_, coded, X, first, last, [&](std::int64_t begin, std::int64_t end, CodedRows* rows) {
        if (coded) return sum_coded(*coded, *rows, X.row(begin), end - begin, first, last, sums + begin);
        std::int32_t labels[most_block_rows];
        for (std::int64_t t = first; t < last; ++t) {
            (*forest_)[t].walk(X.row(begin), end - begin, labels);
            const double* const value = value_.data() + bounds_[t];
            for (std::int64_t i = begin; i < end; ++i) sums[i] += value[labels[i - begin]];
        }
    });
}

void TreeSum::sum_row(const double* row, std::int64_t first, std::int64_t last, double& sum) const {
    constexpr std::int64_t at_once = 256;
    std::int32_t labels[at_once];
    for (std::int64_t begin = first; begin < last; begin += at_once) {
        const std::int64_t end = std::min(begin + at_once, last);
        forest_->walk_row(row, begin, end, labels);
        for (std::int64_t t = begin; t < end; ++t) sum += value_[bounds_[t] + labels[t - begin]];
    }
}

// Trees whose labels are one byte are taken in batches.
void TreeSum::sum_coded(const CodedTrees& coded, CodedRows& rows, const double* X, std::int64_t n, std::int64_t first,
                        std::int64_t last, double* sums) const {
    std::uint8_t bytes[batch][coded_blocks.rows];
    double symmetric[batch][256];  // values in the order of the indices
    const double* value[batch];
    int n_ready = 0;
    const auto flush = [&] {
        if (n_ready == batch)
            for (std::int64_t i = 0; i < n; ++i)
                sums[i] = (((sums[i] + value[0][bytes[0][i]]) + value[1][bytes[1][i]]) + value[2][bytes[2][i]]) +
                          value[3][bytes[3][i]];
        else
            for (int b = 0; b < n_ready; ++b)
                for (std::int64_t i = 0; i < n; ++i) sums[i] += value[b][bytes[b][i]];
        n_ready = 0;
    };
    std::int32_t labels[coded_blocks.rows];
    for (std::int64_t t = first; t < last; ++t) {
        const double* const own = value_.data() + bounds_[t];
        if (coded.tree_pays(t, n) && coded.n_bytes(t) == 1) {
            value[n_ready] = own;
            if (coded.is_symmetric(t)) {
                const auto& order = coded.symmetric_labels(t);
                for (std::size_t i = 0; i < order.size(); ++i) symmetric[n_ready][i] = own[order[i]];
                value[n_ready] = symmetric[n_ready];
            }
            coded.evaluate(t, 0, rows, bytes[n_ready]);
            if (++n_ready == batch) flush();
            continue;
        }
        flush();
        if (coded.tree_pays(t, n)) coded.walk(t, rows, labels);
        else (*forest_)[t].walk(X, n, labels);
        for (std::int64_t i = 0; i < n; ++i) sums[i] += own[labels[i]];
    }
    flush();
}

}  // namespace rankforest
