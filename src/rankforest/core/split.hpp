// The best cut of one node, read off its histogram: numeric features by threshold, categorical ones by the best
// prefix of the categories sorted by beta/alpha, the missing on whichever side the rule for them says.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "criterion.hpp"
#include "histogram.hpp"
#include "scan.hpp"
#include "table.hpp"

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
    bool goes_left(int code) const {
        if (code == 0) return missing_left;
        return left_codes.empty() ? code <= cut : (left_codes[code >> 6] >> (code & 63)) & 1;
    }
};

// Class masses and row count of a node, with what its cell weighs.
struct NodeTotals {
    const double* mass;
    double count;
    const double* cell_mass;
};

// Cells, leaves or categories in the order that makes the ROC curve concave: beta/alpha non-increasing, alpha = 0
// first, ties by index. Products instead of quotients, so that no division by zero needs a case of its own.
template <class MassOf>
void concavify(std::vector<int>& items, const MassOf& mass) {
    std::sort(items.begin(), items.end(), [&](int i, int j) {
        const double left = mass(i, 1) * mass(j, 0), right = mass(j, 1) * mass(i, 0);
        return left != right ? left > right : i < j;
    });
}

template <class Histogram, class Criterion>
class SplitFinder {
public:
    SplitFinder(const BinnedTable& table, const InnerParams& params, int n_classes)
        : table_(table), params_(params), n_classes_(n_classes), left_(n_classes), bin_(n_classes), missing_(n_classes) {}

    Split best(const Histogram& histogram, const HistogramShape& shape, const NodeTotals& node) {
        Split best;
        best.gain = least_gain;
        const Criterion criterion(node.mass, node.cell_mass);
        set_limits(node);
        if constexpr (Histogram::packed) {
            for (int block = 0; block < shape.n_blocks(); ++block) scan_numeric_block(histogram, shape, block, criterion, best);
        } else {
            for (int p = 0; p < shape.size(); ++p)
                if (!table_.categorical[shape.features[p]]) scan_numeric_column(histogram, shape, p, criterion, best);
        }
        for (int p = 0; p < shape.size(); ++p)
            if (table_.categorical[shape.features[p]]) scan_categorical(histogram, shape, p, node, criterion, best);
        if (!best.valid()) return best;
        if (best.left_codes.empty()) settle_numeric(histogram, shape, node, best);
        best.priority = criterion.priority(best.gain);
        return best;
    }

private:
    static constexpr int never = std::numeric_limits<int>::max();

    void set_limits(const NodeTotals& node) {
        limits_.min_count = static_cast<double>(params_.min_samples_leaf);
        limits_.node_count = node.count;
        class_weight_.resize(n_classes_);
        limits_.node_share = 0.0;
        for (int k = 0; k < n_classes_; ++k) {
            class_weight_[k] = 1.0 / (n_classes_ * node.cell_mass[k]);
            limits_.node_share += node.mass[k] * class_weight_[k];
        }
        limits_.weight0 = class_weight_[0];
        limits_.weight1 = class_weight_[1];
        limits_.min_share = params_.min_mass_leaf * (1.0 - 1e-12);  // a share that equals the floor passes
    }

    bool allowed(const double* left, double count) const {
        double share = 0.0;
        for (int k = 0; k < n_classes_; ++k) share += left[k] * class_weight_[k];
        return count >= limits_.min_count && limits_.node_count - count >= limits_.min_count &&
               share >= limits_.min_share && limits_.node_share - share >= limits_.min_share;
    }

    static double value(const Criterion& criterion, const double* left) {
        double gain;
        criterion.gain(left[0], left[1], gain);
        return gain;
    }

    // Code of the mean of the observed values in the node; 0 when nothing is observed.
    int mean_code(const Histogram& histogram, const HistogramShape& shape, int position) {
        const int feature = shape.features[position];
        const double* means = table_.bin_means + table_.mean_offsets[feature];
        double sum = 0.0, mass = 0.0;
        for (int code = 1; code <= shape.n_bins[position]; ++code) {
            histogram.read(shape, position, code, bin_.data());
            double weight = 0.0;
            for (const double m : bin_) weight += m;
            sum += weight * means[code - 1];
            mass += weight;
        }
        if (mass == 0.0) return 0;
        const double* first = table_.cuts + table_.cut_offsets[feature];
        const double* last = table_.cuts + table_.cut_offsets[feature + 1];
        return 1 + static_cast<int>(std::lower_bound(first, last, sum / mass) - first);
    }

    void scan_numeric_block(const Histogram& histogram, const HistogramShape& shape, int block, const Criterion& criterion, Split& best) {
        if (histogram.narrow()) scan_cells(histogram.narrow_block(shape, block), histogram, shape, block, criterion, best);
        else scan_cells(histogram.broad_block(shape, block), histogram, shape, block, criterion, best);
    }

    template <class Cell>
    void scan_cells(const Cell* bins, const Histogram& histogram, const HistogramShape& shape, int block, const Criterion& criterion, Split& best) {
        const int first = block * lanes, last = std::min(first + lanes, shape.size());
        BlockScan<Cell> scan{bins, shape.block_bins[block], {}, {}, {}};
        std::fill(scan.joins_left, scan.joins_left + lanes, never);
        std::fill(scan.gain, scan.gain + lanes, least_gain);
        bool any_missing = false;
        for (int p = first; p < last; ++p) {
            if (bins[p - first] == 0 || table_.categorical[shape.features[p]]) continue;
            any_missing = true;
            if (params_.missing == MissingKind::cell_mean) scan.joins_left[p - first] = mean_code(histogram, shape, p);
        }
        const auto run = [&] {
            std::fill(scan.cut, scan.cut + lanes, 0);
            scan_block(scan, criterion, limits_);
            for (int p = first; p < last; ++p) {
                const auto cut = scan.cut[p - first];
                keep_numeric(shape, p, scan.gain[p - first], cut, scan.joins_left[p - first] <= cut, best);
            }
        };
        run();
        if (!any_missing || params_.missing == MissingKind::cell_mean) return;
        std::fill(scan.joins_left, scan.joins_left + lanes, 0);
        run();  // finds only cuts that are better with the missing on the left
    }

    void keep_numeric(const HistogramShape& shape, int position, double gain, std::int64_t cut, bool missing_left, Split& best) const {
        if (cut == 0 || gain <= best.gain || table_.categorical[shape.features[position]]) return;
        best.feature = shape.features[position];
        best.position = position;
        best.gain = gain;
        best.cut = static_cast<int>(cut);
        best.missing_left = missing_left;
    }

    void scan_numeric_column(const Histogram& histogram, const HistogramShape& shape, int position, const Criterion& criterion, Split& best) {
        const double missing_count = histogram.read(shape, position, 0, missing_.data());
        const bool both = missing_count > 0.0 && params_.missing == MissingKind::learned;
        int join = never;
        if (missing_count > 0.0 && params_.missing == MissingKind::cell_mean) join = mean_code(histogram, shape, position);
        for (int way = 0; way <= both; ++way, join = 0) {
            std::fill(left_.begin(), left_.end(), 0.0);
            double count = 0.0;
            bool joined = false;
            for (int cut = 1; cut <= shape.n_bins[position]; ++cut) {
                count += histogram.read(shape, position, cut, bin_.data());
                for (int k = 0; k < n_classes_; ++k) left_[k] += bin_[k];
                if (!joined && join <= cut) {
                    joined = true;
                    count += missing_count;
                    for (int k = 0; k < n_classes_; ++k) left_[k] += missing_[k];
                }
                if (allowed(left_.data(), count)) keep_numeric(shape, position, value(criterion, left_.data()), cut, joined, best);
            }
        }
    }

    void scan_categorical(const Histogram& histogram, const HistogramShape& shape, int position, const NodeTotals& node, const Criterion& criterion, Split& best) {
        const int n_codes = shape.n_bins[position] + 1;
        masses_.resize(n_codes * n_classes_);
        counts_.resize(n_codes);
        order_.clear();
        for (int code = 0; code < n_codes; ++code) {
            counts_[code] = histogram.read(shape, position, code, masses_.data() + code * n_classes_);
            if (counts_[code] > 0.0) order_.push_back(code);
        }
        concavify(order_, [&](int code, int k) { return masses_[code * n_classes_ + k]; });
        std::fill(left_.begin(), left_.end(), 0.0);
        double count = 0.0;
        std::size_t best_prefix = 0;
        for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
            for (int k = 0; k < n_classes_; ++k) left_[k] += masses_[order_[i] * n_classes_ + k];
            count += counts_[order_[i]];
            if (!allowed(left_.data(), count)) continue;
            const double gain = value(criterion, left_.data());
            if (gain <= best.gain) continue;
            best.gain = gain;
            best_prefix = i + 1;
            best.left_mass = left_;
            best.left_count = count;
        }
        if (best_prefix == 0) return;
        best.feature = shape.features[position];
        best.position = position;
        best.cut = 0;
        // Codes that the node has not seen behave as the missing; unseen missing values follow the majority.
        const bool seen = counts_[0] > 0.0;
        best.missing_left = seen ? false : 2.0 * best.left_count >= node.count;
        best.left_codes.assign((n_codes + 63) / 64, 0);
        for (std::size_t i = 0; i < best_prefix; ++i) {
            if (order_[i] == 0) best.missing_left = true;
            best.left_codes[order_[i] >> 6] |= std::uint64_t{1} << (order_[i] & 63);
        }
        for (int code = 0; code < n_codes; ++code)
            if (counts_[code] == 0.0 && best.missing_left) best.left_codes[code >> 6] |= std::uint64_t{1} << (code & 63);
    }

    // The cut moves to the middle of the empty bins that follow it (in ranks, so that an increasing transform of the
    // feature changes nothing), and the missing get a side even where the node has none.
    void settle_numeric(const Histogram& histogram, const HistogramShape& shape, const NodeTotals& node, Split& best) {
        const int position = best.position, n_bins = shape.n_bins[position];
        const double missing_count = histogram.read(shape, position, 0, missing_.data());
        best.left_mass.assign(n_classes_, 0.0);
        best.left_count = 0.0;
        for (int code = 1; code <= best.cut; ++code) {
            best.left_count += histogram.read(shape, position, code, bin_.data());
            for (int k = 0; k < n_classes_; ++k) best.left_mass[k] += bin_[k];
        }
        int next = best.cut + 1;
        while (next <= n_bins && histogram.read(shape, position, next, bin_.data()) == 0.0) ++next;
        int last_equal = next <= n_bins ? next - 1 : n_bins;
        if (params_.missing == MissingKind::cell_mean) {
            const int mean = mean_code(histogram, shape, position);
            if (mean > best.cut) last_equal = std::min(last_equal, mean - 1);
            best.cut = next <= n_bins ? best.cut + (last_equal - best.cut) / 2 : last_equal;
            best.missing_left = mean <= best.cut;
        } else {
            best.cut = next <= n_bins ? best.cut + (last_equal - best.cut) / 2 : last_equal;
            if (missing_count == 0.0) best.missing_left = 2.0 * best.left_count >= node.count;
        }
        if (missing_count > 0.0 && best.missing_left) {
            best.left_count += missing_count;
            for (int k = 0; k < n_classes_; ++k) best.left_mass[k] += missing_[k];
        }
    }

    const BinnedTable& table_;
    const InnerParams& params_;
    int n_classes_;
    CutLimits limits_{};
    std::vector<double> class_weight_, left_, bin_, missing_, masses_, counts_;
    std::vector<int> order_;
};

}  // namespace rankforest
