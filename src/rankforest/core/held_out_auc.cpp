// AUC by sorting.
#include "held_out_auc.hpp"

#include <algorithm>
#include <limits>

namespace rankforest {

HeldOutAuc::HeldOutAuc(std::vector<std::uint8_t> labels, std::vector<double> weights)
    : labels_(std::move(labels)), weights_(std::move(weights)), order_(labels_.size()) {
    for (std::size_t i = 0; i < labels_.size(); ++i) mass_[labels_[i]] += weights_[i];
}

double HeldOutAuc::operator()(const double* score) {
    const auto n = static_cast<std::uint32_t>(labels_.size());
    if (mass_[0] <= 0.0 || mass_[1] <= 0.0) return std::numeric_limits<double>::quiet_NaN();
    for (std::uint32_t i = 0; i < n; ++i) order_[i] = {-score[i], i};
    std::sort(order_.begin(), order_.end());
    double above[2] = {0.0, 0.0}, area = 0.0;
    for (std::uint32_t i = 0; i < n;) {
        double tied[2] = {0.0, 0.0};
        std::uint32_t j = i;
        for (; j < n && order_[j].first == order_[i].first; ++j)
            tied[labels_[order_[j].second]] += weights_[order_[j].second];
        area += tied[0] * (above[1] + 0.5 * tied[1]);
        for (const int k : {0, 1}) above[k] += tied[k];
        i = j;
    }
    // the last term is 0 up to rounding: the same weights summed in another order
    return (area + above[1] * (mass_[0] - above[0])) / (mass_[0] * mass_[1]);
}

}  // namespace rankforest
