// A cut of a node in two, and the order that makes a ROC curve concave.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace rankforest {

struct Split {
    int feature = -1;  // -1: no cut is worth making
    int position = -1;
    int cut = 0;  // numeric: codes 1 .. cut go left
    double gain = 0.0, priority = 0.0;
    bool missing_left = false;
    std::vector<std::uint64_t> left_codes;  // categorical: bit c set when code c goes left
    std::vector<double> left_mass;
    double left_count = 0.0;

    bool valid() const { return feature >= 0; }

    // goes_left[code] for all codes of the feature.
    void sides(int n_codes, std::uint8_t* goes_left) const {
        if (left_codes.empty()) {
            std::memset(goes_left, 1, cut + 1);
            std::memset(goes_left + cut + 1, 0, n_codes - cut - 1);
        } else {
            for (int code = 1; code < n_codes; ++code) goes_left[code] = (left_codes[code >> 6] >> (code & 63)) & 1;
        }
        goes_left[0] = missing_left;
    }
};

// What a node weighs: the sums that its histogram holds (class masses, or gradient and hessian in fixed point), its
// rows (a row drawn twice is two), the class masses of its cell, and its random key. `n_stored` counts a row drawn
// twice once.
struct NodeTotals {
    const double* mass;
    double count;
    const double* cell_mass;
    std::uint64_t key;
    std::int64_t n_stored;
};

// Odds of a node, for constraints of monotonicity. Masses are whole numbers and one division rounds correctly, so these
// never contradict the exact order of concavify().
inline double odds(const double* mass) {
    return mass[0] > 0.0 ? mass[1] / mass[0] : std::numeric_limits<double>::infinity();
}

// Cells, leaves or categories in the order that makes the ROC curve concave: beta/alpha non-increasing, alpha = 0
// first, ties by index. It compares products instead of quotients, so division by zero needs no case of its own. The
// products are exact: where two of them round to the same double, their rounding errors decide.
template <class MassOf>
void concavify(std::vector<int>& items, const MassOf& mass) {
    std::sort(items.begin(), items.end(), [&](int i, int j) {
        const double left = mass(i, 1) * mass(j, 0), right = mass(j, 1) * mass(i, 0);
        if (left != right) return left > right;
        const double more_left = std::fma(mass(i, 1), mass(j, 0), -left),
                     more_right = std::fma(mass(j, 1), mass(i, 0), -right);
        return more_left != more_right ? more_left > more_right : i < j;
    });
}

}  // namespace rankforest
