// Split criteria of LeafRank's inner trees. A criterion is constructed with the class masses of the node and of the
// cell, and computes the gain of a cut from the masses on its left side. `Real` is a double or a vector of doubles. A
// gain is a fraction: the scans compare fractions by cross-multiplication, because a division costs more than
// everything else they do. `squared`: whether the gain grows with the square of the difference between the two sides.
#pragma once

namespace rankforest {

struct InnerParams;

// Cost-sensitive Gini: the Gini gain after both classes are weighted to equal mass in the node, (b-a)^2 /
// ((a+b)(2-a-b)), where a and b are the left shares of negatives and positives. Both shares are brought to the
// denominator n0*n1, so that mirrored or equal splits have bitwise equal gains.
struct CostSensitiveGini {
    using Params = InnerParams;
    static constexpr bool bipartite = true, squared = true;
    double n0, n1, pairs, share;

    CostSensitiveGini(const double* node, const double* cell)
        : n0(node[0]), n1(node[1]), pairs(node[0] * node[1]), share(0.5 * (node[0] / cell[0] + node[1] / cell[1])) {}

    template <class Real>
    [[gnu::always_inline]] void gain(const Real& left0, const Real& left1, Real& numerator, Real& denominator) const {
        const Real a = left0 * n1;
        const Real b = left1 * n0;
        const Real sum = a + b;
        numerator = (b - a) * (b - a);
        denominator = sum * (2.0 * pairs - sum);
    }

    // Priority of a node in best-first growth: the gain in the balanced mass of the cell.
    double priority(double gain) const { return gain * share; }
};

// The gain of AUC, |alpha(N) beta(N') - beta(N) alpha(N')|, in shares of the cell.
struct AucGain {
    using Params = InnerParams;
    static constexpr bool bipartite = true, squared = false;
    double n0, n1, scale;

    AucGain(const double* node, const double* cell) : n0(node[0]), n1(node[1]), scale(1.0 / (cell[0] * cell[1])) {}

    template <class Real>
    [[gnu::always_inline]] void gain(const Real& left0, const Real& left1, Real& numerator, Real& denominator) const {
        const Real difference = left1 * n0 - left0 * n1;
        numerator = (difference < 0.0 ? -difference : difference) * scale;
        denominator = Real{} + 1.0;
    }

    double priority(double gain) const { return gain; }
};

// Smaller gains are rounding errors.
constexpr double least_gain = 1e-14;

}  // namespace rankforest
