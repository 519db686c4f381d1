// An axis-parallel tree grown from histograms: LeafRank's inner tree inside one cell of the master tree, or a tree of
// ordered labels, whose one cell is the whole sample.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "histogram.hpp"
#include "interrupt.hpp"
#include "random.hpp"
#include "random_cut.hpp"
#include "rows.hpp"
#include "split.hpp"
#include "table.hpp"

namespace rankforest {

struct InnerNode {
    int left = -1, right = -1;  // node indices; -1: a leaf
    int depth = 0;
    std::uint64_t key = 0;
    Segment rows;
    double count = 0.0;
    bool closed = false;  // stays a leaf: its side of the cell is settled
    Split split;
};

// Nodes in the order they were made: children after parents. Masses: node after node, class after class.
struct InnerTree {
    std::vector<InnerNode> nodes;
    std::vector<double> masses;
    const double* mass(int node, int n_classes) const { return masses.data() + node * n_classes; }
};

// What is kept of an inner tree once its cell is split: a third of the memory, which a large tree feels.
struct FrozenInner {
    struct Node {
        double threshold = 0.0;
        std::int32_t left = -1, right = -1;  // -1: a leaf
        std::int32_t feature = -1, set_offset = -1;
        bool missing_left = false;
    };
    std::vector<Node> nodes;
    std::vector<double> masses, counts;
    std::vector<std::uint64_t> sets;
    const double* mass(int node) const { return masses.data() + 2 * node; }
};

inline FrozenInner freeze(InnerTree&& grown, const BinnedTable& table) {
    FrozenInner frozen;
    frozen.nodes.reserve(grown.nodes.size());
    frozen.counts.reserve(grown.nodes.size());
    for (const InnerNode& from : grown.nodes) {
        FrozenInner::Node node;
        if (from.left >= 0) {
            const Split& split = from.split;
            const bool categorical = !split.left_codes.empty();
            node = {categorical ? 0.0 : table.threshold(split.feature, split.cut),
                    from.left,
                    from.right,
                    split.feature,
                    categorical ? static_cast<std::int32_t>(frozen.sets.size()) : -1,
                    split.missing_left};
            frozen.sets.insert(frozen.sets.end(), split.left_codes.begin(), split.left_codes.end());
        }
        frozen.nodes.push_back(node);
        frozen.counts.push_back(from.count);
    }
    frozen.masses = grown.masses;  // a copy is as long as it must be; the grown vector may be twice that
    return frozen;
}

template <class Store, class Histogram, class Criterion>
class InnerGrower {
public:
    InnerGrower(const BinnedTable& table, const InnerParams& params, int n_classes, std::int64_t max_weight,
                const StopFlag& stop)
        : table_(table),
          params_(params),
          n_classes_(n_classes),
          max_weight_(max_weight),
          stop_(stop),
          finder_(table, params, n_classes),
          random_(table, params, n_classes),
          goes_left_(std::size_t{1} << (8 * sizeof(typename Store::Code))) {}

    // Grows inside the cell whose rows are `cell`. When `keep_rows` is false nobody needs to know in which leaf a row
    // ended (the children of the cell are terminal), and the last level is not moved.
    InnerTree grow(Store& rows, const Segment& cell, const std::vector<double>& cell_mass, double cell_count,
                   const std::vector<int>& features, std::uint64_t key, bool keep_rows) {
        tree_ = InnerTree();
        tree_.nodes.reserve(256);
        cell_mass_ = cell_mass;
        cell_features_ = &features;
        draws_ = params_.max_features > 0 && params_.max_features < static_cast<int>(features.size());
        if (!draws_) shape_.set(table_, features);
        add_node(0, key, cell, cell_count, cell_mass.data());
        frontier_.clear();
        if (can_split(0)) open_from_rows(rows, 0);
        int leaves = 1;
        while (!frontier_.empty() && leaves < params_.max_leaf_nodes) {
            Frontier next = take_next();
            split(rows, std::move(next), keep_rows);
            ++leaves;
            stop_.check();
        }
        for (auto& left_over : frontier_) {
            release(std::move(left_over.histogram));
            tree_.nodes[left_over.node].split = Split();
        }
        return std::move(tree_);
    }

private:
    using HistogramPtr = std::unique_ptr<Histogram>;
    struct Frontier {
        int node;
        HistogramPtr
            histogram;  // kept for the subtraction; null for small nodes and when features are drawn at every node
    };

    int add_node(int depth, std::uint64_t key, const Segment& rows, double count, const double* mass) {
        InnerNode node;
        node.depth = depth;
        node.key = key;
        node.rows = rows;
        node.count = count;
        tree_.nodes.push_back(std::move(node));
        tree_.masses.insert(tree_.masses.end(), mass, mass + n_classes_);
        return static_cast<int>(tree_.nodes.size()) - 1;
    }

    bool can_split(int node) const {
        const InnerNode& n = tree_.nodes[node];
        if (n.closed || n.depth >= params_.max_depth || n.count < 2.0 * params_.min_samples_leaf ||
            n.count < static_cast<double>(params_.min_samples_split))
            return false;
        int classes = 0;
        for (int k = 0; k < n_classes_; ++k) classes += tree_.mass(node, n_classes_)[k] > 0.0;
        return classes > 1;
    }

    HistogramPtr acquire() {
        if (free_.empty()) return std::make_unique<Histogram>(n_classes_);
        HistogramPtr histogram = std::move(free_.back());
        free_.pop_back();
        return histogram;
    }
    void release(HistogramPtr histogram) {
        if (histogram) free_.push_back(std::move(histogram));
    }

    std::int64_t weight(int node) const {
        double sum = 0.0;
        for (int k = 0; k < n_classes_; ++k) sum += tree_.mass(node, n_classes_)[k];
        return static_cast<std::int64_t>(sum);
    }

    bool is_small(int node) const {
        return finder_.template is_small<Store>(weight(node), tree_.nodes[node].rows.size());
    }

    // Features that a node may be cut on.
    const std::vector<int>& features_of(int node) {
        if (!draws_) return *cell_features_;
        draw_features(*cell_features_, params_.max_features, tree_.nodes[node].key, drawn_);
        return drawn_;
    }

    HistogramPtr histogram_of(const Store& rows, int node) {
        if (draws_) shape_.set(table_, features_of(node));
        HistogramPtr histogram = acquire();
        const Segment& all = tree_.nodes[node].rows;
        histogram->build(rows, all, shape_, weight(node), max_weight_);
        return histogram;
    }

    NodeTotals totals(int node) const {
        return {tree_.mass(node, n_classes_), tree_.nodes[node].count, cell_mass_.data()};
    }

    // Finds the cut of a node and puts it on the frontier; a node without one stays a leaf.
    void open(int node, HistogramPtr histogram) {
        Split split = finder_.best(*histogram, shape_, totals(node));
        if (!split.valid() || draws_) release(std::move(histogram));
        push(node, std::move(split), std::move(histogram));
    }

    void open_from_rows(const Store& rows, int node) {
        if (params_.random_cuts) {
            const InnerNode& n = tree_.nodes[node];
            const NodeTotals all = totals(node);
            return push(node, random_.best(rows, n.rows, features_of(node), all, n.key), nullptr);
        }
        if (!is_small(node)) return open(node, histogram_of(rows, node));
        push(node, finder_.best_of_rows(rows, tree_.nodes[node].rows, features_of(node), totals(node)), nullptr);
    }

    void push(int node, Split&& split, HistogramPtr histogram) {
        if (!split.valid()) return;
        tree_.nodes[node].split = std::move(split);
        frontier_.push_back({node, std::move(histogram)});
    }

    // Depth-first while the number of leaves is free (few histograms alive), best-first when it is bounded.
    Frontier take_next() {
        auto next = frontier_.end() - 1;
        if (params_.max_leaf_nodes < unlimited)
            next = std::max_element(frontier_.begin(), frontier_.end(), [&](const Frontier& a, const Frontier& b) {
                const double pa = tree_.nodes[a.node].split.priority, pb = tree_.nodes[b.node].split.priority;
                return pa != pb ? pa < pb : a.node > b.node;
            });
        Frontier taken = std::move(*next);
        frontier_.erase(next);
        return taken;
    }

    void split(Store& rows, Frontier parent, bool keep_rows) {
        const int node = parent.node;
        const Segment from = tree_.nodes[node].rows;
        const std::uint64_t key = tree_.nodes[node].key;
        const int depth = tree_.nodes[node].depth + 1;
        const Split& split = tree_.nodes[node].split;
        right_mass_.resize(n_classes_);
        for (int k = 0; k < n_classes_; ++k) right_mass_[k] = tree_.mass(node, n_classes_)[k] - split.left_mass[k];
        const double left_count = split.left_count, right_count = tree_.nodes[node].count - left_count;
        // the masses stay where they are when the vector of nodes moves
        const int left = add_node(depth, child_key(key, 0), from, left_count, split.left_mass.data());
        const int right = add_node(depth, child_key(key, 1), from, right_count, right_mass_.data());
        tree_.nodes[node].left = left;
        tree_.nodes[node].right = right;
        if (params_.constrained()) close_a_side(node);
        const bool open_left = can_split(left), open_right = can_split(right);
        if (keep_rows || open_left || open_right) move_rows(rows, node, left, right);
        if (!open_left && !open_right) return release(std::move(parent.histogram));
        // Build the smaller child and subtract it from the parent to get the larger, unless that is small or has its
        // own features.
        const bool left_larger = tree_.nodes[left].rows.size() > tree_.nodes[right].rows.size();
        const int large = left_larger ? left : right, small = left_larger ? right : left;
        const bool open_large = left_larger ? open_left : open_right, open_small = left_larger ? open_right : open_left;
        if (parent.histogram && open_large && !is_small(large)) {
            HistogramPtr of_small = histogram_of(rows, small);
            parent.histogram->subtract(*of_small, weight(large));
            open(large, std::move(parent.histogram));
            if (open_small && !is_small(small)) return open(small, std::move(of_small));
            release(std::move(of_small));
        } else {
            release(std::move(parent.histogram));
            if (open_large) open_from_rows(rows, large);
        }
        if (open_small) open_from_rows(rows, small);
    }

    // Two rows that differ in one constrained feature part at a cut on it. Leaves go left when their odds are greater
    // than those of the cell (merge.hpp), so the order is safe once the low side is known to go right, or the high one
    // to go left: that side stays a leaf, and below the other anything goes. Where there is a choice, the lighter side
    // is closed.
    void close_a_side(int node) {
        const InnerNode& parent = tree_.nodes[node];
        const int direction = params_.direction(parent.split.feature);
        if (direction == 0 || parent.split.cut >= table_.n_bins[parent.split.feature]) return;  // parts no values
        const int low = direction > 0 ? parent.left : parent.right, high = direction > 0 ? parent.right : parent.left;
        const double *l = tree_.mass(low, 2), *h = tree_.mass(high, 2), *c = cell_mass_.data();
        const bool low_is_lighter = l[0] * c[1] + l[1] * c[0] <= h[0] * c[1] + h[1] * c[0];  // in balanced mass
        const bool close_low = odds(h) <= odds(c) || (odds(l) <= odds(c) && low_is_lighter);
        tree_.nodes[close_low ? low : high].closed = true;
    }

    void move_rows(Store& rows, int node, int left, int right) {
        const Split& split = tree_.nodes[node].split;
        split.sides(table_.n_bins[split.feature] + 1, goes_left_.data());
        const Segment from = tree_.nodes[node].rows;
        const std::int64_t n_left = rows.partition(from, split.feature, goes_left_.data());
        tree_.nodes[left].rows = {from.begin, from.begin + n_left, 1 - from.plane};
        tree_.nodes[right].rows = {from.begin + n_left, from.end, 1 - from.plane};
    }

    const BinnedTable& table_;
    const InnerParams& params_;
    const int n_classes_;
    const std::int64_t max_weight_;
    const StopFlag& stop_;
    SplitFinder<Histogram, Criterion> finder_;
    RandomCuts<Criterion> random_;
    std::vector<std::uint8_t> goes_left_;

    InnerTree tree_;
    std::vector<double> cell_mass_, right_mass_;
    const std::vector<int>* cell_features_ = nullptr;
    std::vector<int> drawn_;
    bool draws_ = false;
    HistogramShape shape_;
    std::vector<Frontier> frontier_;
    std::vector<HistogramPtr> free_;
};

}  // namespace rankforest
