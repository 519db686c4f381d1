// AUC by a bucket sort: scores of a booster are spread out well enough for one pass.
#include "held_out_auc.hpp"

#include <algorithm>
#include <limits>

namespace rankforest {

HeldOutAuc::HeldOutAuc(std::vector<std::uint8_t> labels, std::vector<double> weights)
    : labels_(std::move(labels)), weights_(std::move(weights)), bucket_(labels_.size()), order_(labels_.size()) {
    for (std::size_t i = 0; i < labels_.size(); ++i) mass_[labels_[i]] += weights_[i];
}

double HeldOutAuc::operator()(const double* score) {
    const auto n = static_cast<std::uint32_t>(labels_.size());
    if (mass_[0] <= 0.0 || mass_[1] <= 0.0) return std::numeric_limits<double>::quiet_NaN();
    sort(score);
    double above[2] = {0.0, 0.0}, area = 0.0;
    for (std::uint32_t i = 0; i < n;) {
        double tied[2] = {0.0, 0.0};
        std::uint32_t j = i;
        for (; j < n && order_[j].score == order_[i].score; ++j)
            tied[labels_[order_[j].row]] += weights_[order_[j].row];
        area += tied[0] * (above[1] + 0.5 * tied[1]);
        for (const int k : {0, 1}) above[k] += tied[k];
        i = j;
    }
    // the last term is 0 up to rounding: the same weights summed in another order
    return (area + above[1] * (mass_[0] - above[0])) / (mass_[0] * mass_[1]);
}

// Greatest score first, ties by row. There are as many buckets of equal width as rows; then each bucket is sorted.
void HeldOutAuc::sort(const double* score) {
    const auto n = static_cast<std::uint32_t>(labels_.size());
    const auto [low, high] = std::minmax_element(score, score + n);
    const double top = *high, scale = top > *low ? (n - 1) / (top - *low) : 0.0;
    first_.assign(n + 1, 0);
    for (std::uint32_t i = 0; i < n; ++i) {
        bucket_[i] = std::min(static_cast<std::uint32_t>((top - score[i]) * scale), n - 1);
        ++first_[bucket_[i] + 1];
    }
    for (std::uint32_t b = 0; b < n; ++b) first_[b + 1] += first_[b];
    for (std::uint32_t i = 0; i < n; ++i) order_[first_[bucket_[i]]++] = {score[i], i};
    // first_[b] is now the end of bucket b
    for (std::uint32_t b = 0, begin = 0; b < n; begin = first_[b++]) {
        if (first_[b] - begin < 2) continue;
        std::sort(order_.begin() + begin, order_.begin() + first_[b], [](const Place& a, const Place& b) {
            return a.score != b.score ? a.score > b.score : a.row < b.row;
        });
    }
}

}  // namespace rankforest
