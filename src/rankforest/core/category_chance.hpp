// How much of the differences between the categories of a feature is more than chance. Cuts of categories that are
// sorted by the labels of the same rows are overrated; the more categories, the more.
#pragma once
#include <cstddef>
#include <vector>

namespace rankforest {

// Sorted by the labels, noise of about so many categories gains as much as the best cut of a noisy number. Gains of
// features with more categories are discounted.
constexpr double free_categories = 10.0;

inline double surplus_categories(std::size_t n_categories) {
    return static_cast<double>(n_categories) - free_categories;
}

// The part of chi_square that chance does not explain, from 0 to 1. If the feature is noise, chi_square has about as
// many degrees of freedom as categories.
inline double above_chance(double chi_square, double by_chance) {
    return chi_square > by_chance ? 1.0 - by_chance / chi_square : 0.0;
}

// The same from gradients and hessians of the log loss, whose sums are `sums(code)`: the sum of g^2 / h of the
// categories minus that of all rows. The hessian of a row is the variance of its gradient, so for noise each category
// adds 1. The sums are in whole units, `gradient_unit` and `hessian_unit` per 1.0.
template <class Sums>
double by_newton_steps(const std::vector<int>& codes, double n_surplus, double gradient_unit, double hessian_unit,
                       const Sums& sums) {
    double g = 0.0, h = 0.0, between = 0.0;
    for (const int code : codes) {
        const double* own = sums(code);
        g += own[0];
        h += own[1];
        between += own[0] * own[0] / (own[1] + 1.0);  // a unit more: the hessian may be rounded to 0
    }
    const double to_one = hessian_unit / (gradient_unit * gradient_unit);
    return above_chance((between - g * g / (h + 1.0)) * to_one, n_surplus);
}

}  // namespace rankforest
