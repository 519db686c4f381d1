// The nested prunings of an inner tree, by cost plus lambda times leaves. A leaf goes left if it has a larger share of
// the cell's positives than of its negatives, and the smaller of the two shares is its cost.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "flat_tree.hpp"
#include "grower.hpp"
#include "weakest_link.hpp"

namespace rankforest {

// A pruned inner tree: its nodes, inner ones first, and the side of each leaf (1 = left).
struct PrunedInner {
    FrozenInner inner;
    std::vector<std::uint8_t> side;
    bool divides() const { return std::adjacent_find(side.begin(), side.end(), std::not_equal_to<>()) != side.end(); }
};

// Masses (negatives, positives) that a division sends left.
using LeftMass = std::pair<std::int64_t, std::int64_t>;

class InnerPath {
public:
    // goes_left: of each leaf of the tree, in order. unit: weight of one unit of mass of each class. A tree that is not
    // to be pruned has one lambda, 0, at which it is whole.
    InnerPath(GrownTree&& tree, const std::vector<std::uint8_t>& goes_left, const double* unit, bool prunes)
        : tree_(std::move(tree)) {
        const int n = static_cast<int>(tree_.nodes.size());
        parent_.assign(n, -1);
        left_.resize(n);
        right_.resize(n);
        goes_left_.resize(n);
        std::size_t leaf = 0;
        for (int i = 0; i < n; ++i) {
            left_[i] = tree_.nodes[i].left;
            right_[i] = tree_.nodes[i].right;
            if (left_[i] >= 0) parent_[left_[i]] = parent_[right_[i]] = i;
            goes_left_[i] = left_[i] < 0 ? goes_left[leaf++] : 0;
        }
        if (prunes) weigh(unit);
        else {
            collapse_at_.assign(n, 0.0);
            for (int i = 0; i < n; ++i)
                if (left_[i] >= 0) collapse_at_[i] = std::numeric_limits<double>::infinity();
        }
    }

    const GrownTree& tree() const { return tree_; }
    // Frees the tree; which rows go left is still known.
    void forget_tree() { tree_ = GrownTree(); }

    // Nodes that are leaves, or below a leaf, at a lambda; and if only the first cut is left.
    std::vector<std::uint8_t> collapsed_at(double complexity) const {
        std::vector<std::uint8_t> collapsed(parent_.size());
        for (std::size_t i = 0; i < collapsed.size(); ++i) collapsed[i] = collapse_at_[i] <= complexity;
        return collapsed;
    }
    std::vector<std::uint8_t> collapsed_to_first_cut() const {
        std::vector<std::uint8_t> collapsed(parent_.size(), 1);
        collapsed[0] = 0;
        return collapsed;
    }

    // A lambda for every pruned tree: the geometric mean of the range where it is best, and the last lambda.
    std::vector<double> complexities() const {
        std::vector<double> found = {0.0};
        for (const double at : collapse_at_)
            if (std::isfinite(at)) found.push_back(at);
        std::sort(found.begin(), found.end());
        found.erase(std::unique(found.begin(), found.end()), found.end());
        for (std::size_t i = 0; i + 1 < found.size(); ++i) found[i] = std::sqrt(found[i] * found[i + 1]);
        return found;
    }

    // What each pruned tree sends left of other rows; at_leaf: their masses in the leaves of the whole tree. A node is
    // a leaf from the lambda at which it collapses to that of its parent, so differences along the lambdas are summed.
    std::vector<LeftMass> left_along(std::vector<LeftMass> at_node, const std::vector<double>& complexities) const {
        const int n = static_cast<int>(parent_.size());
        std::vector<int> first(n);
        for (int i = 0; i < n; ++i)
            first[i] = static_cast<int>(std::lower_bound(complexities.begin(), complexities.end(), collapse_at_[i]) -
                                        complexities.begin());
        const int last = static_cast<int>(complexities.size());
        std::vector<LeftMass> sums(last + 1, {0, 0});
        for (int i = n - 1; i >= 0; --i) {  // children come after parents
            const auto [negatives, positives] = at_node[i];
            const int end = parent_[i] < 0 ? last : first[parent_[i]];
            if (parent_[i] >= 0) {
                at_node[parent_[i]].first += negatives;
                at_node[parent_[i]].second += positives;
            }
            if (!goes_left_[i] || first[i] >= end) continue;
            sums[first[i]].first += negatives;
            sums[first[i]].second += positives;
            sums[end].first -= negatives;
            sums[end].second -= positives;
        }
        for (int k = 1; k <= last; ++k) {
            sums[k].first += sums[k - 1].first;
            sums[k].second += sums[k - 1].second;
        }
        sums[last] = {0, 0};
        for (const int child : {left_[0], right_[0]})
            if (goes_left_[child])
                sums[last] = {sums[last].first + at_node[child].first, sums[last].second + at_node[child].second};
        return sums;
    }

    // Whether the rows of each leaf of the whole tree go left after pruning.
    std::vector<std::uint8_t> sides(const std::vector<std::uint8_t>& collapsed) const {
        std::vector<std::uint8_t> side = goes_left_;
        for (std::size_t i = 1; i < side.size(); ++i)
            if (collapsed[parent_[i]]) side[i] = side[parent_[i]];
        return side;
    }

    // The pruned tree; uses up the whole one.
    PrunedInner prune(const std::vector<std::uint8_t>& collapsed, const BinnedTable& table) {
        const int n = static_cast<int>(parent_.size());
        std::vector<int> order, place(n, -1);
        PrunedInner pruned;
        for (const int part : {0, 1, 2}) {  // inner nodes, collapsed nodes, leaves of the whole tree
            for (int i = 0; i < n; ++i) {
                if (i > 0 && collapsed[parent_[i]]) continue;  // below a leaf
                if (part != (!collapsed[i] ? 0 : left_[i] >= 0 ? 1 : 2)) continue;
                place[i] = static_cast<int>(order.size());
                order.push_back(i);
                if (collapsed[i]) pruned.side.push_back(goes_left_[i]);
            }
        }
        FrozenInner whole = freeze(std::move(tree_), table);
        for (const int i : order) {
            FrozenInner::Node node;
            if (!collapsed[i]) {
                node = whole.nodes[i];
                std::tie(node.left, node.right) = std::pair(place[node.left], place[node.right]);
            }
            pruned.inner.nodes.push_back(node);
            pruned.inner.counts.push_back(whole.counts[i]);
            pruned.inner.masses.insert(pruned.inner.masses.end(), whole.mass(i), whole.mass(i) + 2);
        }
        pruned.inner.sets = std::move(whole.sets);
        return pruned;
    }

private:
    void weigh(const double* unit) {
        const int n = static_cast<int>(parent_.size());
        const double total[2] = {tree_.mass(0, 2)[0] * unit[0], tree_.mass(0, 2)[1] * unit[1]};
        std::vector<double> cost(n), own(n, 0.0);
        for (int i = 0; i < n; ++i) {
            const double negatives = tree_.mass(i, 2)[0] * unit[0], positives = tree_.mass(i, 2)[1] * unit[1];
            // common denominator: a cut without gain has exactly 0
            cost[i] = std::min(negatives * total[1], positives * total[0]);
            if (left_[i] >= 0) goes_left_[i] = positives * total[0] > negatives * total[1];
        }
        for (int i = 0; i < n; ++i)
            if (left_[i] >= 0)
                own[i] = std::max((cost[i] - cost[left_[i]] - cost[right_[i]]) / (total[0] * total[1]), 0.0);
        collapse_at_ = weakest_link(parent_, left_, right_, own);
    }

    GrownTree tree_;
    std::vector<int> parent_, left_, right_;
    std::vector<std::uint8_t> goes_left_;  // of every node, if it were a leaf
    std::vector<double> collapse_at_;      // the least lambda at which each node is a leaf; 0 for leaves
};

}  // namespace rankforest
