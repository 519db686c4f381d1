// The exponential function of an array. It is made of additions and multiplications only, so that compilers vectorise
// it and every machine computes the same bits.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

#include "vector.hpp"

namespace rankforest {

// Limits x to the numbers whose exponential is a normal number. Not part of exponential(): compilers do not vectorise
// the comparisons.
inline double within_exponents(double x) { return std::clamp(x, -708.0, 708.0); }

// exp(x) for x within these limits, with an error of about one unit in the last place.
RANKFOREST_INLINE double exponential(double x) {
    constexpr double to_integer = 0x1.8p52;  // adding it rounds to a whole number, kept in the low bits
    const double shifted = x * 0x1.71547652b82fep0 + to_integer, k = shifted - to_integer;
    const double r =
        (x - k * 0x1.62e42fee00000p-1) - k * 0x1.a39ef35793c76p-33;  // ln 2 in two parts: k * first is exact
    double p = 1.0 / 6227020800.0;  // Taylor series: |r| <= ln(2) / 2, and r^14 / 14! is below 1e-17
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + (std::bit_cast<std::uint64_t>(shifted) << 52));
}

}  // namespace rankforest
