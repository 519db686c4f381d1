// AUC of held-out rows, after every round of a booster.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace rankforest {

// AUC of a ranking of weighted rows; ties count one half.
class HeldOutAuc {
public:
    HeldOutAuc(std::vector<std::uint8_t> labels, std::vector<double> weights);
    double operator()(const double* score);

private:
    std::vector<std::uint8_t> labels_;
    std::vector<double> weights_;
    double mass_[2] = {0.0, 0.0};
    std::vector<std::pair<double, std::uint32_t>> order_;
};

}  // namespace rankforest
