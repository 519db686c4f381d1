// A small regression tree fitted to gradients by Newton steps: the weak ranker of boosting.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "interrupt.hpp"
#include "random.hpp"
#include "scan.hpp"
#include "table.hpp"

namespace rankforest {

struct GradientTreeParams {
    int max_depth = unlimited;
    int max_leaf_nodes = 16;
    int max_features = 0;  // drawn anew at every node; 0 = all
    std::int64_t min_samples_leaf = 1;
    double min_hessian_leaf = 1e-3;
    double l2 = 1.0;
    double category_smoothing = 10.0;  // hessian of which a category's step is short when categories are sorted
    double category_l2 = 1.0;  // added to l2, for each category of the node beyond two, in what a cut of them gains:
                               // many categories in the order of their own steps look better than they are
    bool random_cuts = false;
};

// Gradient and hessian of a row in fixed point: sums are exact, so they depend neither on the order of the rows nor on
// threads, and parent - child leaves no residue. The hessian shares its word with the number of rows.
struct GradientPair {
    std::int64_t gradient = 0, hessian_and_count = 0;
    void add(const GradientPair& other) {
        gradient += other.gradient;
        hessian_and_count += other.hessian_and_count;
    }
    void subtract(const GradientPair& other) {
        gradient -= other.gradient;
        hessian_and_count -= other.hessian_and_count;
    }
};

// What the fixed-point words mean.
struct GradientUnits {
    double gradient = 1.0, hessian = 1.0;  // units per 1.0: powers of two
    int count_bits = 1;

    // Room for the sum over n rows, in the word and as a double.
    GradientUnits() = default;
    GradientUnits(std::int64_t n, double most_gradient, double most_hessian)
        : count_bits(std::bit_width(static_cast<std::uint64_t>(n))) {
        gradient = room(n, most_gradient, 52);
        hessian = room(n, most_hessian, std::min(52, 62 - count_bits));
    }
    GradientPair pack(double g, double h) const {
        return {std::llrint(g * gradient), (std::llrint(h * hessian) << count_bits) | 1};
    }
    double g(const GradientPair& p) const { return static_cast<double>(p.gradient); }
    double h(const GradientPair& p) const { return static_cast<double>(p.hessian_and_count >> count_bits); }
    double count(const GradientPair& p) const {
        return static_cast<double>(p.hessian_and_count & ((std::int64_t{1} << count_bits) - 1));
    }

private:
    static double room(std::int64_t n, double most, int bits) {
        if (!(most > 0.0)) return 1.0;
        int exponent;
        std::frexp(most * static_cast<double>(n), &exponent);  // most * n < 2^exponent
        return std::ldexp(1.0, bits - 1 - exponent);
    }
};

struct GradientSplit {
    int feature = -1;  // -1: no cut is worth making
    int cut = 0;       // numeric: codes 1 .. cut go left
    double gain = 0.0;
    bool missing_left = false;
    std::vector<std::uint64_t> left_codes;  // categorical: bit c set when code c goes left
    GradientPair left;

    bool goes_left(unsigned code) const {
        if (code == 0) return missing_left;
        if (left_codes.empty()) return code <= static_cast<unsigned>(cut);
        return (left_codes[code >> 6] >> (code & 63)) & 1;
    }
};

struct GradientNode {
    int left = -1, right = -1;  // -1: a leaf
    int depth = 0;
    std::uint64_t key = 0;
    std::int64_t begin = 0, end = 0;  // of the order of the rows
    GradientPair sum;
    GradientSplit split;
    double value = 0.0;  // of a leaf
};

// Nodes in the order they were made: children after parents.
struct GradientTree {
    std::vector<GradientNode> nodes;

    // Leaf of a row by its codes.
    template <class Code>
    const GradientNode& leaf(const Code* codes) const {
        const GradientNode* node = nodes.data();
        while (node->left >= 0)
            node = nodes.data() + (node->split.goes_left(codes[node->split.feature]) ? node->left : node->right);
        return *node;
    }
};

template <class Code>
class GradientGrower {
public:
    GradientGrower(const BinnedTable& table, const GradientTreeParams& params) : table_(table), params_(params) {
        for (int j = 0; j < table.n_features; ++j) all_.push_back(j);
        draws_ = params.max_features > 0 && params.max_features < table.n_features;
        if (!draws_) set_features(all_);
    }

    // Grows on the rows of `order`, which it rearranges: the rows of a leaf are order[begin .. end).
    GradientTree grow(std::vector<std::uint32_t>& order, const GradientPair* pairs, const GradientUnits& units,
                      std::uint64_t key) {
        tree_ = GradientTree();
        order_ = &order;
        pairs_ = pairs;
        units_ = units;
        spare_.resize(order.size());
        const auto n = static_cast<std::int64_t>(order.size());
        GradientPair all;
        for (const std::uint32_t i : order) all.add(pairs[i]);
        add_node(0, key, 0, n, all);
        frontier_.clear();
        if (can_split(0)) open(0, histogram_of(0));
        int leaves = 1;
        while (!frontier_.empty() && leaves < params_.max_leaf_nodes) {
            split(take_best(), leaves + 2 <= params_.max_leaf_nodes);
            ++leaves;
        }
        for (auto& left_over : frontier_) release(std::move(left_over.histogram));
        for (auto& node : tree_.nodes)
            if (node.left < 0) node.value = value_of(node.sum);
        return std::move(tree_);
    }

private:
    using Histogram = std::vector<GradientPair>;
    using HistogramPtr = std::unique_ptr<Histogram>;
    struct Frontier {
        int node;
        HistogramPtr histogram;  // kept for the subtraction; null when features are drawn at every node
    };

    // Columns of the histograms. A spare cell keeps them off powers of two, where equal codes would compete for the
    // same cache set.
    void set_features(const std::vector<int>& features) {
        features_ = features;
        offset_.assign(1, 0);
        for (const int f : features_) offset_.push_back(offset_.back() + table_.n_bins[f] + 2);
    }

    const Code* codes(std::uint32_t row) const {
        return static_cast<const Code*>(table_.codes) + static_cast<std::int64_t>(row) * table_.n_features;
    }

    int add_node(int depth, std::uint64_t key, std::int64_t begin, std::int64_t end, const GradientPair& sum) {
        GradientNode node;
        node.depth = depth;
        node.key = key;
        node.begin = begin;
        node.end = end;
        node.sum = sum;
        tree_.nodes.push_back(std::move(node));
        return static_cast<int>(tree_.nodes.size()) - 1;
    }

    double value_of(const GradientPair& sum) const {
        const double h = units_.h(sum) / units_.hessian + params_.l2;
        return h > 0.0 ? -(units_.g(sum) / units_.gradient) / h : 0.0;
    }

    bool can_split(int node) const {
        const GradientNode& n = tree_.nodes[node];
        return n.depth < params_.max_depth &&
               n.end - n.begin >= std::max<std::int64_t>(2, 2 * params_.min_samples_leaf) &&
               units_.h(n.sum) >= 2.0 * params_.min_hessian_leaf * units_.hessian;
    }

    HistogramPtr acquire() {
        if (free_.empty()) return std::make_unique<Histogram>();
        HistogramPtr histogram = std::move(free_.back());
        free_.pop_back();
        return histogram;
    }
    void release(HistogramPtr histogram) {
        if (histogram) free_.push_back(std::move(histogram));
    }

    HistogramPtr histogram_of(int node) {
        if (draws_) {
            draw_features(all_, params_.max_features, child_key(tree_.nodes[node].key, 2), drawn_);
            set_features(drawn_);
        }
        HistogramPtr histogram = acquire();
        histogram->assign(offset_.back(), GradientPair());
        const GradientNode& n = tree_.nodes[node];
        if (draws_) add_rows<false>(order_->data(), n.begin, n.end, histogram->data());
        else add_rows<true>(order_->data(), n.begin, n.end, histogram->data());
        return histogram;
    }

    template <bool whole>
    void add_rows(const std::uint32_t* order, std::int64_t begin, std::int64_t end, GradientPair* cells) const {
        typedef std::int64_t Words __attribute__((vector_size(16)));  // both words of a pair in one addition
        constexpr std::int64_t ahead = 16;
        const int q = static_cast<int>(features_.size());
        const std::int64_t* offset = offset_.data();
        const int* features = features_.data();
        for (std::int64_t i = begin; i < end; ++i) {
            if (i + ahead < end) {
                __builtin_prefetch(codes(order[i + ahead]));
                __builtin_prefetch(pairs_ + order[i + ahead]);
            }
            const Code* row = codes(order[i]);
            Words pair;
            std::memcpy(&pair, pairs_ + order[i], sizeof pair);
            for (int p = 0; p < q; ++p) {
                GradientPair* cell = cells + offset[p] + row[whole ? p : features[p]];
                Words sum;
                std::memcpy(&sum, cell, sizeof sum);
                sum += pair;
                std::memcpy(cell, &sum, sizeof sum);
            }
        }
    }

    // Finds the cut of a node and puts it on the frontier; a node without one stays a leaf.
    void open(int node, HistogramPtr histogram) {
        GradientSplit best = best_split(*histogram, tree_.nodes[node]);
        if (best.feature < 0 || draws_) release(std::move(histogram));
        if (best.feature < 0) return;
        tree_.nodes[node].split = std::move(best);
        frontier_.push_back({node, std::move(histogram)});
    }

    Frontier take_best() {
        auto next = std::max_element(frontier_.begin(), frontier_.end(), [&](const Frontier& a, const Frontier& b) {
            const double ga = tree_.nodes[a.node].split.gain, gb = tree_.nodes[b.node].split.gain;
            return ga != gb ? ga < gb : a.node > b.node;
        });
        Frontier taken = std::move(*next);
        frontier_.erase(next);
        return taken;
    }

    void split(Frontier parent, bool more) {
        const int node = parent.node;
        const std::int64_t begin = tree_.nodes[node].begin, end = tree_.nodes[node].end;
        const std::int64_t middle = begin + partition(tree_.nodes[node].split, begin, end);
        const std::uint64_t key = tree_.nodes[node].key;
        const int depth = tree_.nodes[node].depth + 1;
        GradientPair right_sum = tree_.nodes[node].sum;
        const GradientPair left_sum = tree_.nodes[node].split.left;
        right_sum.subtract(left_sum);
        const int left = add_node(depth, child_key(key, 0), begin, middle, left_sum);
        const int right = add_node(depth, child_key(key, 1), middle, end, right_sum);
        tree_.nodes[node].left = left;
        tree_.nodes[node].right = right;
        const bool left_larger = middle - begin > end - middle;
        const int large = left_larger ? left : right, small = left_larger ? right : left;
        const bool open_large = more && can_split(large), open_small = more && can_split(small);
        // Where the larger child has rows enough, it is what the smaller one leaves of its parent.
        const std::int64_t rows_of_large = std::max(middle - begin, end - middle);
        if (parent.histogram && open_large &&
            rows_of_large * static_cast<std::int64_t>(features_.size()) > offset_.back()) {
            HistogramPtr of_small = histogram_of(small);
            GradientPair* from = parent.histogram->data();
            for (std::size_t i = 0; i < parent.histogram->size(); ++i) from[i].subtract((*of_small)[i]);
            open(large, std::move(parent.histogram));
            if (open_small) open(small, std::move(of_small));
            else release(std::move(of_small));
            return;
        }
        release(std::move(parent.histogram));
        if (open_large) open(large, histogram_of(large));
        if (open_small) open(small, histogram_of(small));
    }

    // Stable: rows stay in the order of memory on both sides. Returns the number that went left.
    std::int64_t partition(const GradientSplit& split, std::int64_t begin, std::int64_t end) {
        const int n_codes = table_.n_bins[split.feature] + 1;
        goes_left_.resize(n_codes);
        for (int c = 0; c < n_codes; ++c) goes_left_[c] = split.goes_left(c);
        std::uint32_t* order = order_->data();
        std::int64_t n_left = 0, n_right = 0;
        for (std::int64_t i = begin; i < end; ++i) {
            const std::uint32_t row = order[i];
            const std::int64_t left = goes_left_[codes(row)[split.feature]];
            order[begin + n_left] = row;  // no branch on the side: both are written, one is kept
            spare_[n_right] = row;
            n_left += left;
            n_right += 1 - left;
        }
        std::copy(spare_.begin(), spare_.begin() + n_right, order + begin + n_left);
        return n_left;
    }

    // ---- the best cut of a node

    GradientSplit best_split(const Histogram& histogram, const GradientNode& node) {
        GradientSplit best;
        const double g = units_.g(node.sum), h = units_.h(node.sum);
        // the parent's part of the gain; what a cut must gain beyond it is more than rounding
        const double l2 = params_.l2 * units_.hessian;
        const double base = h + l2 > 0.0 ? g * g / (h + l2) : 0.0;
        best.gain = base * (1.0 + 1e-12) + 1e-9 * units_.gradient * units_.gradient / units_.hessian;
        for (std::size_t p = 0; p < features_.size(); ++p) {
            const GradientPair* cells = histogram.data() + offset_[p];
            const int f = features_[p];
            if (table_.categorical[f]) part_categories(cells, f, node, best);
            else scan_numbers(cells, f, node, best);
        }
        best.gain -= base;
        return best;
    }

    void scan_numbers(const GradientPair* cells, int feature, const GradientNode& node, GradientSplit& best) {
        const int n_bins = table_.n_bins[feature];
        GradientScan scan;
        scan.cells = &cells[1].gradient;
        scan.n_bins = n_bins;
        scan.first = 1;
        scan.count_bits = units_.count_bits;
        scan.gradient = units_.g(node.sum);
        scan.hessian = units_.h(node.sum);
        scan.count = units_.count(node.sum);
        scan.l2 = params_.l2 * units_.hessian;
        scan.least_hessian = std::max(params_.min_hessian_leaf * units_.hessian, 1.0);
        scan.least_count = static_cast<double>(std::max<std::int64_t>(params_.min_samples_leaf, 1));
        if (params_.random_cuts && !one_cut(cells, n_bins, child_key(node.key, 3 + feature), scan)) return;
        const bool missing = cells[0].hessian_and_count != 0;
        for (int way = 0; way <= (missing ? 1 : 0); ++way) {
            scan.start_gradient = way ? cells[0].gradient : 0;
            scan.start_hessian_and_count = way ? cells[0].hessian_and_count : 0;
            scan.gain = best.gain;
            scan.cut = 0;
            scan_gradients(scan);
            if (scan.cut == 0) continue;
            best.feature = feature;
            best.gain = scan.gain;
            best.cut = static_cast<int>(scan.cut);
            best.left_codes.clear();
            best.missing_left = way;
            best.left = way ? cells[0] : GradientPair();
            for (int c = 1; c <= best.cut; ++c) best.left.add(cells[c]);
            // missing values that the node has not seen follow the majority of its rows
            if (!missing) best.missing_left = 2.0 * units_.count(best.left) >= scan.count;
        }
    }

    // Leaves a single cut, drawn between the least and the greatest code of the node. False: there is none.
    bool one_cut(const GradientPair* cells, int n_bins, std::uint64_t key, GradientScan& scan) const {
        int low = 1, high = n_bins;
        while (low < high && cells[low].hessian_and_count == 0) ++low;
        while (high > low && cells[high].hessian_and_count == 0) --high;
        if (low >= high) {
            if (cells[0].hessian_and_count == 0) return false;
            scan.first = scan.n_bins = n_bins;  // the missing against the others
            return true;
        }
        Stream stream(key);
        scan.first = low + static_cast<int>(stream.below(static_cast<std::uint32_t>(high - low)));
        scan.n_bins = scan.first;
        return true;
    }

    // The best prefix of the categories in the order of their smoothed Newton steps; "missing" is one more category.
    void part_categories(const GradientPair* cells, int feature, const GradientNode& node, GradientSplit& best) {
        const int n_codes = table_.n_bins[feature] + 1;
        const double smoothing = params_.category_smoothing * units_.hessian;
        order_of_codes_.clear();
        step_.resize(n_codes);
        for (int c = 0; c < n_codes; ++c) {
            if (cells[c].hessian_and_count == 0) continue;
            step_[c] = units_.g(cells[c]) / (units_.h(cells[c]) + smoothing + 1.0);
            order_of_codes_.push_back(c);
        }
        const std::size_t n_seen = order_of_codes_.size();
        if (n_seen < 2) return;
        std::sort(order_of_codes_.begin(), order_of_codes_.end(),
                  [&](int a, int b) { return step_[a] != step_[b] ? step_[a] < step_[b] : a < b; });
        std::size_t only = 0;
        if (params_.random_cuts)
            only = 1 + Stream(child_key(node.key, 3 + feature)).below(static_cast<std::uint32_t>(n_seen - 1));
        const double g = units_.g(node.sum), h = units_.h(node.sum), count = units_.count(node.sum);
        const double l2 = (params_.l2 + params_.category_l2 * static_cast<double>(n_seen - 2)) * units_.hessian;
        const double least_hessian = std::max(params_.min_hessian_leaf * units_.hessian, 1.0);
        const double least_count = static_cast<double>(std::max<std::int64_t>(params_.min_samples_leaf, 1));
        GradientPair left;
        std::size_t prefix = 0;
        for (std::size_t i = 0; i + 1 < n_seen; ++i) {
            left.add(cells[order_of_codes_[i]]);
            const double gl = units_.g(left), hl = units_.h(left), cl = units_.count(left), gr = g - gl, hr = h - hl;
            if ((only && only != i + 1) || cl < least_count || count - cl < least_count || hl < least_hessian ||
                hr < least_hessian)
                continue;
            const double gain = newton_gain<double>(gl, hl + l2, gr, hr + l2);
            if (gain <= best.gain) continue;
            best.gain = gain;
            best.left = left;
            prefix = i + 1;
        }
        if (prefix == 0) return;
        best.feature = feature;
        best.cut = 0;
        // codes that the node has not seen behave as the missing; unseen missing values follow the majority
        best.missing_left = cells[0].hessian_and_count == 0 && 2.0 * units_.count(best.left) >= count;
        best.left_codes.assign((n_codes + 63) / 64, 0);
        const auto set = [&](int code) { best.left_codes[code >> 6] |= std::uint64_t{1} << (code & 63); };
        for (std::size_t i = 0; i < prefix; ++i) {
            if (order_of_codes_[i] == 0) best.missing_left = true;
            set(order_of_codes_[i]);
        }
        for (int c = 0; c < n_codes; ++c)
            if (cells[c].hessian_and_count == 0 && best.missing_left) set(c);
    }

    const BinnedTable& table_;
    const GradientTreeParams params_;
    std::vector<int> all_, features_, drawn_, order_of_codes_;
    bool draws_ = false;
    std::vector<std::int64_t> offset_;
    std::vector<std::uint32_t>* order_ = nullptr;
    const GradientPair* pairs_ = nullptr;
    GradientUnits units_;
    std::vector<std::uint32_t> spare_;
    std::vector<std::uint8_t> goes_left_;
    std::vector<double> step_;
    GradientTree tree_;
    std::vector<Frontier> frontier_;
    std::vector<HistogramPtr> free_;
};

}  // namespace rankforest
