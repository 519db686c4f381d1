// The weak ranker of the RankBoost paper (Freund, Iyer, Schapire, Singer 2003): 1 above a threshold of one feature, 0
// up to it, and one of the two for the missing; of a categorical feature, 1 in a set of categories.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "gradient_tree.hpp"
#include "table.hpp"

namespace rankforest {

template <class Code>
class ThresholdRanker {
public:
    explicit ThresholdRanker(const BinnedTable& table) : table_(table) {
        offset_.assign(1, 0);
        for (int j = 0; j < table.n_features; ++j) offset_.push_back(offset_.back() + table.n_bins[j] + 1);
    }

    // A tree of one cut with the greatest |r|, r = sum over pairs of D(i, j) (h(x_i) - h(x_j)). The weights D of the
    // pairs are the products of what positives and negatives weigh, each class 1 in all; the gradients of the
    // exponential loss are half the number of rows times these weights, with the sign of the class, so that r is a sum
    // of gradients. Rows where h = 1 get the step 1/2 log((1 + r) / (1 - r)) of the paper's third method, the others 0;
    // `smallest` stands for the least weight that a pair can have and keeps the step finite.
    GradientTree learn(std::vector<std::uint32_t>& order, const GradientPair* pairs, const GradientUnits& units,
                       double smallest) {
        cells_.assign(offset_.back(), GradientPair());
        for (const std::uint32_t i : order) {
            const Code* row = codes(i);
            for (int j = 0; j < table_.n_features; ++j) cells_[offset_[j] + row[j]].add(pairs[i]);
        }
        GradientSplit best;
        greatest_ = 0;
        for (int j = 0; j < table_.n_features; ++j) {
            const GradientPair* cells = cells_.data() + offset_[j];
            if (table_.categorical[j]) part_categories(cells, j, best);
            else scan_numbers(cells, j, best);
        }
        GradientTree tree;
        tree.nodes.resize(1);
        tree.nodes[0].end = static_cast<std::int64_t>(order.size());
        if (best.feature < 0) return tree;
        const auto middle = std::stable_partition(
            order.begin(), order.end(), [&](std::uint32_t i) { return best.goes_left(codes(i)[best.feature]); });
        const double whole = 0.5 * static_cast<double>(order.size()) * units.gradient;
        const double r =
            static_cast<double>(best.left.gradient) / whole;  // what the left has too much, the right has too little
        tree.nodes.resize(3);
        best.gain = std::abs(r);
        tree.nodes[0].split = best;
        tree.nodes[0].left = 1;
        tree.nodes[0].right = 2;
        tree.nodes[1].end = tree.nodes[2].begin = middle - order.begin();
        tree.nodes[2].end = tree.nodes[0].end;
        tree.nodes[2].value = 0.5 * std::log((1.0 + r + smallest) / (1.0 - r + smallest));
        return tree;
    }

private:
    const Code* codes(std::uint32_t row) const {
        return static_cast<const Code*>(table_.codes) + static_cast<std::int64_t>(row) * table_.n_features;
    }

    bool better(const GradientPair& left, int feature, GradientSplit& best) {
        const std::int64_t reach = std::abs(left.gradient);
        if (reach <= greatest_) return false;
        greatest_ = reach;
        best = GradientSplit();
        best.feature = feature;
        best.left = left;
        return true;
    }

    // Missing values that there are none of in training get the 0 of the left side.
    void scan_numbers(const GradientPair* cells, int feature, GradientSplit& best) {
        const bool missing = cells[0].hessian_and_count != 0;
        for (int way = 0; way <= (missing ? 1 : 0); ++way) {
            GradientPair left = way ? cells[0] : GradientPair();
            for (int cut = 1; cut <= table_.n_bins[feature]; ++cut) {
                left.add(cells[cut]);
                if (!better(left, feature, best)) continue;
                best.cut = cut;
                best.missing_left = way || !missing;
            }
        }
    }

    // The categories with more weight of negatives go left: no other set has a greater |r|.
    void part_categories(const GradientPair* cells, int feature, GradientSplit& best) {
        const int n_codes = table_.n_bins[feature] + 1;
        GradientPair left;
        for (int c = 0; c < n_codes; ++c)
            if (cells[c].gradient > 0) left.add(cells[c]);
        if (!better(left, feature, best)) return;
        best.missing_left = cells[0].gradient > 0 || cells[0].hessian_and_count == 0;
        best.left_codes.assign((n_codes + 63) / 64, 0);
        for (int c = 0; c < n_codes; ++c)
            if (cells[c].gradient > 0 || (cells[c].hessian_and_count == 0 && best.missing_left))
                best.left_codes[c >> 6] |= std::uint64_t{1} << (c & 63);
    }

    const BinnedTable& table_;
    std::vector<std::int64_t> offset_;
    std::vector<GradientPair> cells_;
    std::int64_t greatest_ = 0;
};

}  // namespace rankforest
