// AUC of held-out rows, after every round of a booster.
#pragma once
#include <cstdint>
#include <vector>

namespace rankforest {

// AUC of a ranking of weighted rows; ties count one half.
class HeldOutAuc {
public:
    HeldOutAuc(std::vector<std::uint8_t> labels, std::vector<double> weights);
    double operator()(const double* score);

private:
    struct Place {
        double score;
        std::uint32_t row;
    };

    void sort(const double* score);

    std::vector<std::uint8_t> labels_;
    std::vector<double> weights_;
    double mass_[2] = {0.0, 0.0};
    std::vector<std::uint32_t> bucket_, first_;
    std::vector<Place> order_;
};

}  // namespace rankforest
