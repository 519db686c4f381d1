// Weights of the Shapley value and of the Shapley interaction index.
#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

namespace rankforest {

// A terminal that a row reaches if it takes `a` features from x and `b` features from z adds its value, times one of
// these, to the Shapley value of each of the a features, of each of the b features, and to the interaction index of
// two.
class ShapleyWeights {
public:
    ShapleyWeights() : table_(size * size, 0.0) {
        for (int a = 0; a + 1 < size; ++a)
            for (int b = 0; b + 1 < size; ++b) {
                double& beta = table_[(a + 1) * size + b + 1];
                if (a > 0) beta = table_[a * size + b + 1] * a / (a + b + 1.0);
                else beta = b > 0 ? table_[size + b] * b / (b + 1.0) : 1.0;
            }
    }

    double from_x(int a, int b) const { return beta(a - 1, b); }
    double from_z(int a, int b) const { return -beta(a, b - 1); }
    // The same for at most 64 features, without a look at their number.
    double few_from_x(int a, int b) const { return table_[a * size + b + 1]; }
    double few_from_z(int a, int b) const { return -table_[(a + 1) * size + b]; }
    double both_from_x(int a, int b) const { return beta(a - 2, b); }
    double one_from_each(int a, int b) const { return -beta(a - 1, b - 1); }
    double both_from_z(int a, int b) const { return beta(a, b - 2); }

private:
    static constexpr int size = 66;

    // a! b! / (a + b + 1)!; 0 if one of them is -1.
    double beta(int a, int b) const {
        if (a + 1 < size && b + 1 < size) return table_[(a + 1) * size + b + 1];
        if (a < 0 || b < 0) return 0.0;
        return std::exp(std::lgamma(a + 1.0) + std::lgamma(b + 1.0) - std::lgamma(a + b + 2.0));
    }

    std::vector<double> table_;
};

}  // namespace rankforest
