// A split of a node, the sums that describe a node, and the order of items that makes a ROC curve concave.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "constraints.hpp"

namespace rankforest {

struct Split {
    int feature = -1;  // -1: no split
    int position = -1;
    int cut = 0;  // numeric: codes 1 .. cut go left
    double gain = 0.0, priority = 0.0;
    bool missing_left = false;
    std::vector<std::uint64_t> left_codes;  // categorical: bit c set when code c goes left
    std::vector<double> left_mass;
    double left_count = 0.0;

    bool valid() const { return feature >= 0; }

    // Fills goes_left[code] for all codes of the feature.
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

// Totals of a node. mass: the sums that its histogram holds (class masses, or gradient and hessian in fixed point).
// count: its rows, a row drawn twice counted twice. cell_mass: class masses of its cell. key: random key. rules: what
// the constraints demand of it; null without constraints.
struct NodeTotals {
    const double* mass;
    double count;
    const double* cell_mass;
    std::uint64_t key;
    const NodeRules* rules = nullptr;

    bool allows(int feature) const { return !rules || rules->allowed.empty() || rules->allowed[feature]; }
};

// Odds of a node, for monotonic constraints. Masses are whole numbers and the division rounds correctly, so the odds
// never contradict the exact order of concavify().
inline double odds(const double* mass) {
    return mass[0] > 0.0 ? mass[1] / mass[0] : std::numeric_limits<double>::infinity();
}

// Sorts cells, leaves or categories so that the ROC curve is concave: beta/alpha non-increasing, alpha = 0 first, ties
// by index. Products are compared instead of quotients, so that alpha = 0 needs no special case. The comparison is
// exact: if two products round to the same double, their rounding errors (by fma) decide.
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
