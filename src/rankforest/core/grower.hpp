// Grows one tree with axis-parallel splits. The same code grows LeafRank's inner trees, trees of ordered labels and
// trees fitted to gradients. They differ only in the cells of their histograms and in the split criterion.
//
//     rows -> histograms of the open nodes -> best splits -> rows moved to the children
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "histogram.hpp"
#include "interrupt.hpp"
#include "random.hpp"
#include "random_cut.hpp"
#include "row_holder.hpp"
#include "row_scan.hpp"
#include "split_finder.hpp"
#include "table.hpp"

namespace rankforest {

// Trees of gradients need no RandomCuts: SplitFinder draws their random cuts from the histogram.
struct NoRandomCuts {
    template <class... Any>
    explicit NoRandomCuts(const Any&...) {}
};

struct GrownNode {
    int left = -1, right = -1;  // node indices; -1: a leaf
    int depth = 0;
    std::uint64_t key = 0;
    Segment rows;
    double count = 0.0;
    bool closed = false;  // must stay a leaf, see close_a_side()
    Split split;
};

// Nodes in order of creation, so children come after their parents. `masses` holds the sums of each node, node after
// node.
struct GrownTree {
    std::vector<GrownNode> nodes;
    std::vector<double> masses;
    std::vector<NodeRules> rules;  // of each node; empty without constraints that are passed down
    const double* mass(int node, int n_sums) const { return masses.data() + node * n_sums; }
};

template <class Histogram, class Criterion>
class Grower {
public:
    using Params = typename Criterion::Params;

    Grower(const BinnedTable& table, const Params& params, int n_sums, const StopFlag& stop)
        : table_(table),
          params_(params),
          n_sums_(n_sums),
          stop_(stop),
          finder_(table, params, n_sums),
          random_(table, params, n_sums),
          goes_left_(std::size_t{1} << (8 * table.code_bytes)) {}

    // Says which histogram grow() will ask for first.
    void ask_ahead(RowHolder<Histogram>& rows, const Segment& cell, const std::vector<int>& features,
                   std::uint64_t key) {
        if (!rows.is_far()) return;
        begin(rows, features);
        const NodeRules root = rules_below({});
        rows.ask_ahead(cell, shape_of(key, root), 0, 0.0);
    }

    // Grows a tree on the rows of `cell`. `scan` reads these rows directly; it is null if they are not in this process.
    // With `keep_rows` = false the caller does not need the rows of the leaves, so the last split does not move rows.
    // known: the histogram of the cell, if the caller has it. path: features that were cut above the cell, sorted.
    GrownTree grow(RowHolder<Histogram>& rows, RowScan* scan, const Segment& cell, const double* cell_mass,
                   double cell_count, const std::vector<int>& features, std::uint64_t key, bool keep_rows,
                   const Histogram* known = nullptr, const std::vector<int>& path = {}) {
        begin(rows, features);
        scan_ = scan;
        keep_rows_ = keep_rows;
        tree_ = GrownTree();
        tree_.nodes.reserve(256);
        cell_mass_.assign(cell_mass, cell_mass + n_sums_);
        add_node(0, key, cell, cell_count, cell_mass_.data());
        if (passes_rules()) tree_.rules.push_back(rules_below(path));
        frontier_.clear();
        ahead_.clear();
        if (params_.max_leaf_nodes > 1 && can_split(0)) open_root(known);
        int leaves = 1;
        while (!frontier_.empty() && leaves < params_.max_leaf_nodes) {
            ++leaves;
            Frontier next = take_next();
            const int node = next.node;
            split(std::move(next), params_.max_leaf_nodes - leaves);
            for (const int done : {node, tree_.nodes[node].left, tree_.nodes[node].right})
                if (done == node || !tree_.nodes[done].split.valid()) rows.forget(tree_.nodes[done].rows);
            stop_.check();
        }
        for (auto& left_over : frontier_) {
            release(std::move(left_over.histogram));
            tree_.nodes[left_over.node].split = Split();
        }
        if (!grows_best_first() && rows.is_far()) put_in_depth_first_order();
        return std::move(tree_);
    }

private:
    static constexpr std::size_t most_ahead = 256;  // nodes of far rows whose histograms are in memory at once

    using HistogramPtr = std::unique_ptr<Histogram>;
    struct Frontier {
        int node;
        HistogramPtr histogram;  // for the subtraction trick; null for small nodes and if features are drawn
    };

    void begin(RowHolder<Histogram>& rows, const std::vector<int>& features) {
        rows_ = &rows;
        cell_features_ = &features;
        draws_ = params_.max_features > 0 && params_.max_features < static_cast<int>(features.size());
        if (!draws_) shape_.set(table_, features);
    }

    int add_node(int depth, std::uint64_t key, const Segment& rows, double count, const double* mass) {
        GrownNode node;
        node.depth = depth;
        node.key = key;
        node.rows = rows;
        node.count = count;
        tree_.nodes.push_back(std::move(node));
        tree_.masses.insert(tree_.masses.end(), mass, mass + n_sums_);
        return static_cast<int>(tree_.nodes.size()) - 1;
    }

    bool can_split(int node) const {
        const GrownNode& n = tree_.nodes[node];
        return !n.closed && may_be_cut(rules_of(node)) && can_split(n.depth, tree_.mass(node, n_sums_), n.count);
    }
    bool can_split(int depth, const double* mass, double count) const {
        if (depth >= params_.max_depth) return false;
        if constexpr (of_gradients<Criterion>) {
            return Criterion::can_split(params_, mass, count);
        } else {
            if (count < 2.0 * params_.min_samples_leaf) return false;
            int classes = 0;
            for (int k = 0; k < n_sums_; ++k) classes += mass[k] > 0.0;
            return classes > 1 && !is_too_light(mass);
        }
    }

    // Whether both sides of a cut cannot have the least share of the cell's balanced mass.
    bool is_too_light([[maybe_unused]] const double* mass) const {
        if constexpr (of_gradients<Criterion>) return false;
        else if constexpr (!Criterion::bipartite) return false;
        else {
            double share = 0.0;  // as in CutJudge
            for (int k = 0; k < n_sums_; ++k) share += mass[k] * (1.0 / (n_sums_ * cell_mass_[k]));
            return share_reach(share, params_.min_mass_leaf) < 0.0;
        }
    }

    HistogramPtr acquire() {
        if (free_.empty()) return std::make_unique<Histogram>(n_sums_);
        HistogramPtr histogram = std::move(free_.back());
        free_.pop_back();
        return histogram;
    }
    void release(HistogramPtr histogram) {
        if (histogram) free_.push_back(std::move(histogram));
    }

    std::int64_t weight(int node) const { return weight(tree_.mass(node, n_sums_)); }
    std::int64_t weight(const double* mass) const {
        if constexpr (of_gradients<Criterion>) return 0;  // gradient cells have a fixed width
        double sum = 0.0;
        for (int k = 0; k < n_sums_; ++k) sum += mass[k];
        return static_cast<std::int64_t>(sum);
    }

    // Rows of a node. Of far rows, those that were drawn twice count twice: that is known before they are moved.
    std::int64_t n_rows(int node) const {
        if (of_gradients<Criterion> || rows_->is_far()) return static_cast<std::int64_t>(tree_.nodes[node].count);
        return tree_.nodes[node].rows.size();
    }

    bool is_small(int node) const {
        return scan_ && tree_.nodes[node].rows.size() <= scan_->most_rows && weight(node) <= scan_->most_weight;
    }

    // Features that may split the node of this key.
    const std::vector<int>& features_of(std::uint64_t key, const NodeRules& rules) {
        if (!draws_ && rules.allowed.empty()) return *cell_features_;
        const std::vector<int>* pool = cell_features_;
        if (!rules.allowed.empty()) {
            allowed_.clear();
            for (const int feature : *cell_features_)
                if (rules.allowed[feature]) allowed_.push_back(feature);
            pool = &allowed_;
        }
        if (!draws_) return *pool;
        if constexpr (of_gradients<Criterion>) key = Criterion::feature_key(key);
        draw_features(*pool, params_.max_features, key, drawn_);
        return drawn_;
    }
    // Without draws all nodes have the histogram of the same features, so that children can be subtracted from parents.
    const HistogramShape& shape_of(std::uint64_t key, const NodeRules& rules) {
        if (draws_) shape_.set(table_, features_of(key, rules));
        return shape_;
    }

    // ---- constraints that are passed down: bounds of the values, and features of the path

    static constexpr bool has_bounds = !Criterion::bipartite;
    bool passes_rules() const { return (has_bounds && params_.constrained()) || params_.constraints.limits_paths(); }
    const NodeRules& rules_of(int node) const { return tree_.rules.empty() ? no_rules_ : tree_.rules[node]; }

    // Rules below a path, without bounds.
    NodeRules rules_below(const std::vector<int>& path) const {
        NodeRules rules;
        if (!params_.constraints.limits_paths()) return rules;
        rules.path = path;
        params_.constraints.allow(path, table_.n_features, rules.allowed);
        return rules;
    }

    bool may_be_cut(const NodeRules& rules) const {
        return rules.allowed.empty() || std::any_of(cell_features_->begin(), cell_features_->end(),
                                                    [&](int feature) { return rules.allowed[feature] != 0; });
    }

    // Rules of the two sides of a split. All values of a lower side stay below those of the upper side: the middle of
    // the two values is the bound, as in LightGBM's basic method. Other splits pass the bounds on.
    std::pair<NodeRules, NodeRules> rules_of_sides(int node) {
        const Split& split = tree_.nodes[node].split;
        const NodeRules& rules = rules_of(node);
        const bool limits_paths = params_.constraints.limits_paths();
        NodeRules left = limits_paths ? rules_below(longer_path(rules.path, split.feature)) : NodeRules();
        left.low = rules.low;
        left.high = rules.high;
        NodeRules right = left;
        if constexpr (has_bounds) {
            const int direction = params_.constrained() ? params_.direction(split.feature) : 0;
            if (direction != 0 && parts_values(split)) {
                const Sides sides = sides_of(node);
                const double middle = 0.5 * (std::clamp(value_of(sides.mass[0]), rules.low, rules.high) +
                                             std::clamp(value_of(sides.mass[1]), rules.low, rules.high));
                (direction > 0 ? left.high : left.low) = middle;
                (direction > 0 ? right.low : right.high) = middle;
            }
        }
        return {std::move(left), std::move(right)};
    }

    // The value of a leaf with these sums.
    double value_of([[maybe_unused]] const double* mass) const {
        if constexpr (requires { Criterion::step(params_, mass); }) return Criterion::step(params_, mass);
        else if constexpr (requires { Criterion::mean_label(params_.levels, [](int) { return 0.0; }); })
            return Criterion::mean_label(params_.levels, [&](int k) { return mass[k]; });
        else return 0.0;  // thresholds have one split and no bounds
    }

    // Whether a split on a feature with a direction parts two values, not only the missing ones from all others.
    bool parts_values(const Split& split) const {
        if (split.left_codes.empty()) return split.cut < table_.n_bins[split.feature];
        const auto& order = params_.constraints.order[split.feature];
        const auto is_left = [&](int code) { return (split.left_codes[code >> 6] >> (code & 63)) & 1; };
        return is_left(order.front()) != is_left(order.back());
    }

    HistogramPtr histogram_of(int node) {
        const HistogramShape& shape = shape_of(tree_.nodes[node].key, rules_of(node));
        HistogramPtr histogram = acquire();
        if (!of_gradients<Criterion> && rows_->is_far())
            rows_->ask_ahead(tree_.nodes[node].rows, shape, weight(node), tree_.nodes[node].count);
        rows_->histogram(tree_.nodes[node].rows, shape, weight(node), *histogram);
        return histogram;
    }

    NodeTotals totals(int node) const {
        const GrownNode& n = tree_.nodes[node];
        return {tree_.mass(node, n_sums_), n.count, cell_mass_.data(), n.key,
                tree_.rules.empty() ? nullptr : &tree_.rules[node]};
    }

    // Finds the best split of a node and adds the node to the frontier. A node without a valid split stays a leaf.
    void open(int node, HistogramPtr histogram) {
        Split split;
        if constexpr (of_gradients<Criterion>) split = finder_.best(*histogram, shape_, totals(node));
        else if (params_.random_cuts) split = random_.best(*histogram, shape_, totals(node));
        else split = finder_.best(*histogram, shape_, totals(node));
        if (!split.valid() || draws_) release(std::move(histogram));
        push(node, std::move(split), std::move(histogram));
    }

    void open_root(const Histogram* known) {
        if (!known) return open_from_rows(0);
        HistogramPtr histogram = acquire();
        *histogram = *known;
        open(0, std::move(histogram));
    }

    void open_from_rows(int node) {
        if (scan_ && params_.random_cuts && scan_->draws)
            push(
                node,
                scan_->random(tree_.nodes[node].rows, features_of(tree_.nodes[node].key, rules_of(node)), totals(node)),
                nullptr);
        else if (is_small(node) && !params_.random_cuts)
            push(node,
                 scan_->best(tree_.nodes[node].rows, features_of(tree_.nodes[node].key, rules_of(node)), totals(node)),
                 nullptr);
        else open(node, histogram_of(node));
    }

    void push(int node, Split&& split, HistogramPtr histogram) {
        if (!split.valid()) return release(std::move(histogram));
        tree_.nodes[node].split = std::move(split);
        frontier_.push_back({node, std::move(histogram)});
    }

    // Best-first: the greater priority, then the older node.
    bool goes_before(const Frontier& a, const Frontier& b) const {
        const double pa = tree_.nodes[a.node].split.priority, pb = tree_.nodes[b.node].split.priority;
        return pa != pb ? pa > pb : a.node < b.node;
    }

    bool grows_best_first() const { return of_gradients<Criterion> || params_.max_leaf_nodes < unlimited; }

    // The next node to split: depth-first if the number of leaves is unlimited, because few histograms are then alive
    // at once; best-first if it is limited. Trees of gradients always grow best-first. Far rows are split level by
    // level, as long as a level is not too wide: then one question is enough for a level.
    Frontier take_next() {
        auto next = frontier_.end() - 1;
        if (!grows_best_first() && rows_->is_far() && frontier_.size() <= most_ahead) next = frontier_.begin();
        if (grows_best_first())
            next = std::max_element(frontier_.begin(), frontier_.end(),
                                    [&](const Frontier& a, const Frontier& b) { return goes_before(b, a); });
        Frontier taken = std::move(*next);
        frontier_.erase(next);
        return taken;
    }

    // The sides of a split: masses and counts.
    struct Sides {
        const double* mass[2];
        double count[2];
    };
    Sides sides_of(int node) {
        const Split& split = tree_.nodes[node].split;
        right_mass_.resize(n_sums_);
        for (int k = 0; k < n_sums_; ++k) right_mass_[k] = tree_.mass(node, n_sums_)[k] - split.left_mass[k];
        return {{split.left_mass.data(), right_mass_.data()},
                {split.left_count, tree_.nodes[node].count - split.left_count}};
    }

    // Subtraction trick: build the histogram of the smaller child from its rows; parent - smaller gives the larger
    // child. Not used if the larger child is small as well, or if each node draws its own features.
    bool subtracts(const Frontier& parent, bool open_large, std::int64_t large_rows) const {
        return parent.histogram && open_large && Histogram::pays_to_subtract(large_rows, shape_);
    }

    // more: how many splits may follow this one.
    void split(Frontier parent, int more) {
        const int node = parent.node;
        look_ahead(parent, more);
        const Segment from = tree_.nodes[node].rows;
        const std::uint64_t key = tree_.nodes[node].key;
        const int depth = tree_.nodes[node].depth + 1;
        const Sides sides = sides_of(node);  // add_node() may move the vector of nodes, but left_mass keeps its buffer
        const int left = add_node(depth, child_key(key, 0), from, sides.count[0], sides.mass[0]);
        const int right = add_node(depth, child_key(key, 1), from, sides.count[1], sides.mass[1]);
        tree_.nodes[node].left = left;
        tree_.nodes[node].right = right;
        if (!tree_.rules.empty()) {
            auto [of_left, of_right] = rules_of_sides(node);
            tree_.rules.push_back(std::move(of_left));
            tree_.rules.push_back(std::move(of_right));
        }
        if constexpr (Criterion::bipartite)
            if (params_.constrained()) close_a_side(node);
        const bool open_left = more > 0 && can_split(left), open_right = more > 0 && can_split(right);
        if (keep_rows_ || open_left || open_right) move_rows(node, left, right);
        if (!open_left && !open_right) return release(std::move(parent.histogram));
        const bool left_larger = n_rows(left) > n_rows(right);
        const int large = left_larger ? left : right, small = left_larger ? right : left;
        const bool open_large = left_larger ? open_left : open_right, open_small = left_larger ? open_right : open_left;
        if (!is_small(large) && subtracts(parent, open_large, n_rows(large))) {
            HistogramPtr of_small = histogram_of(small);
            parent.histogram->subtract(*of_small, weight(large));
            open(large, std::move(parent.histogram));
            if (open_small && !is_small(small)) return open(small, std::move(of_small));
            release(std::move(of_small));
        } else {
            release(std::move(parent.histogram));
            if (open_large) open_from_rows(large);
        }
        if (open_small) open_from_rows(small);
    }

    // Far rows: splits of the open nodes that may follow are made at once, and the histograms of their children are
    // asked for together with those of the next split. Splits that are not taken then do no harm.
    void look_ahead(const Frontier& next, int more) {
        if (!rows_->is_far() || more == 0) return;
        if (ahead_.contains(next.node)) return;
        split_ahead(next);
        std::vector<const Frontier*> others;
        for (const auto& other : frontier_) others.push_back(&other);
        std::sort(others.begin(), others.end(),
                  [&](const Frontier* a, const Frontier* b) { return goes_before(*a, *b); });
        const std::size_t most = std::min<std::size_t>(more - 1, most_ahead);
        if (others.size() > most) others.resize(most);
        for (const Frontier* other : others)
            if (!ahead_.contains(other->node)) split_ahead(*other);
    }

    void split_ahead(const Frontier& parent) {
        const GrownNode& node = tree_.nodes[parent.node];
        const Sides sides = sides_of(parent.node);
        bool open[2];
        NodeRules below;  // both sides have the same path
        if (!tree_.rules.empty() && params_.constraints.limits_paths())
            below = rules_below(longer_path(rules_of(parent.node).path, node.split.feature));
        for (const int side : {0, 1})
            open[side] = may_be_cut(below) && can_split(node.depth + 1, sides.mass[side], sides.count[side]);
        if (!open[0] && !open[1]) return;
        const auto& children = ahead_[parent.node] = split_rows(parent.node);
        const int large = sides.count[0] > sides.count[1] ? 0 : 1;
        if (subtracts(parent, open[large], static_cast<std::int64_t>(sides.count[large]))) {
            open[large] = false;
            open[1 - large] = true;
        }
        for (const int side : {0, 1})
            if (open[side])
                rows_->ask_ahead(side == 0 ? children.first : children.second,
                                 shape_of(child_key(node.key, side), below), weight(sides.mass[side]),
                                 sides.count[side]);
    }

    // Puts the nodes in the order in which they are made where rows are near, see split().
    void put_in_depth_first_order() {
        std::vector<int> order = {0}, place(tree_.nodes.size(), 0), open;
        const auto is_split = [&](int node) { return tree_.nodes[node].left >= 0; };
        if (is_split(0)) open.push_back(0);
        while (!open.empty()) {
            const GrownNode& node = tree_.nodes[open.back()];
            open.pop_back();
            const bool left_larger =
                rows_->size(tree_.nodes[node.left].rows) > rows_->size(tree_.nodes[node.right].rows);
            order.push_back(node.left);
            order.push_back(node.right);
            for (const int child : {left_larger ? node.left : node.right, left_larger ? node.right : node.left})
                if (is_split(child)) open.push_back(child);
        }
        GrownTree ordered;
        for (std::size_t i = 0; i < order.size(); ++i) {
            place[order[i]] = static_cast<int>(i);
            ordered.nodes.push_back(std::move(tree_.nodes[order[i]]));
            const double* mass = tree_.mass(order[i], n_sums_);
            ordered.masses.insert(ordered.masses.end(), mass, mass + n_sums_);
        }
        for (auto& node : ordered.nodes)
            if (node.left >= 0) std::tie(node.left, node.right) = std::pair(place[node.left], place[node.right]);
        tree_ = std::move(ordered);
    }

    // Keeps a split on a constrained feature monotonic. Two rows that differ only in this feature end on its two sides.
    // Leaves with greater odds than the cell go left (merge.hpp). So the order is safe if all of the low side goes
    // right, or all of the high side goes left. That side becomes a leaf, and the other may be split freely. If both
    // are possible, the lighter side becomes the leaf.
    void close_a_side(int node) {
        const GrownNode& parent = tree_.nodes[node];
        const int direction = params_.direction(parent.split.feature);
        if (direction == 0 || !parts_values(parent.split)) return;
        const int low = direction > 0 ? parent.left : parent.right, high = direction > 0 ? parent.right : parent.left;
        const double *l = tree_.mass(low, 2), *h = tree_.mass(high, 2), *c = cell_mass_.data();
        const bool low_is_lighter = l[0] * c[1] + l[1] * c[0] <= h[0] * c[1] + h[1] * c[0];  // in balanced mass
        const bool close_low = odds(h) <= odds(c) || (odds(l) <= odds(c) && low_is_lighter);
        tree_.nodes[close_low ? low : high].closed = true;
    }

    std::pair<Segment, Segment> split_rows(int node) {
        const Split& split = tree_.nodes[node].split;
        split.sides(table_.n_bins[split.feature] + 1, goes_left_.data());
        return rows_->split(tree_.nodes[node].rows, split.feature, goes_left_.data());
    }

    void move_rows(int node, int left, int right) {
        const auto found = ahead_.find(node);
        std::tie(tree_.nodes[left].rows, tree_.nodes[right].rows) =
            found != ahead_.end() ? found->second : split_rows(node);
    }

    const BinnedTable& table_;
    const Params& params_;
    const int n_sums_;
    const StopFlag& stop_;
    SplitFinder<Histogram, Criterion> finder_;
    std::conditional_t<of_gradients<Criterion>, NoRandomCuts, RandomCuts<Criterion>> random_;
    std::vector<std::uint8_t> goes_left_;

    RowHolder<Histogram>* rows_ = nullptr;
    RowScan* scan_ = nullptr;
    GrownTree tree_;
    std::vector<double> cell_mass_, right_mass_;
    const std::vector<int>* cell_features_ = nullptr;
    std::vector<int> drawn_, allowed_;
    const NodeRules no_rules_;
    bool draws_ = false;
    HistogramShape shape_;
    std::vector<Frontier> frontier_;
    std::vector<HistogramPtr> free_;
    bool keep_rows_ = false;
    std::map<int, std::pair<Segment, Segment>> ahead_;  // far rows: children that were made before their split's turn
};

}  // namespace rankforest
