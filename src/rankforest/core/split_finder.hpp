// Finds the best split of a node from its histogram: a threshold for numeric features, the best prefix of the sorted
// categories for categorical ones.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "cut_judge.hpp"
#include "group_scan.hpp"
#include "histogram.hpp"
#include "random.hpp"
#include "scan.hpp"

namespace rankforest {

template <class Histogram, class Criterion>
class SplitFinder : CutJudge<Criterion> {
public:
    SplitFinder(const BinnedTable& table, const typename Criterion::Params& params, int n_sums)
        : CutJudge<Criterion>(table, params, n_sums), missing_(n_sums) {}

    Split best(const Histogram& histogram, const HistogramShape& shape, const NodeTotals& node) {
        Split best;
        const Criterion criterion = this->criterion_of(node);
        best.gain = this->to_beat(criterion);
        if constexpr (of_gradients<Criterion>) {
            for (int first = 0; first < shape.size(); first += FeatureGroup::lanes)
                scan_gradient_group(histogram, shape, first, node, criterion, best);
        } else {
            if constexpr (Histogram::packed) {
                for (int block = 0; block < shape.n_blocks(); ++block)
                    scan_numeric_block(histogram, shape, block, node, criterion, best);
            } else {
                for (int p = 0; p < shape.size(); ++p)
                    if (!table_.categorical[shape.features[p]] && node.allows(shape.features[p]))
                        scan_numeric_column(histogram, shape, p, node, criterion, best);
            }
            for (int p = 0; p < shape.size(); ++p)
                if (table_.categorical[shape.features[p]] && node.allows(shape.features[p]))
                    scan_categorical(histogram, shape, p, node, criterion, best);
        }
        if (!best.valid()) return best;
        if (best.left_codes.empty()) settle(histogram, shape, node, best);
        best.priority = criterion.priority(best.gain);
        return best;
    }

private:
    using Judge = CutJudge<Criterion>;
    using Judge::allowed, Judge::in_order, Judge::keep_numeric, Judge::value, Judge::unseen_go_left;
    using Judge::table_, Judge::params_, Judge::n_sums_, Judge::limits_, Judge::left_;
    static constexpr int never = std::numeric_limits<int>::max();

    // Whether missing values go to the side of the node's mean. Trees of gradients learn the side instead.
    bool by_mean() const {
        if constexpr (of_gradients<Criterion>) return false;
        else return params_.missing == MissingKind::cell_mean;
    }
    // Code of the mean of the observed values in the node; 0 if all values are missing.
    int mean_code([[maybe_unused]] const Histogram& histogram, [[maybe_unused]] const HistogramShape& shape,
                  [[maybe_unused]] int position) {
        if constexpr (of_gradients<Criterion>) return 0;
        else {
            const int feature = shape.features[position];
            double sum, mass;
            this->weigh_values(histogram, shape, position, sum, mass);
            if (mass == 0.0) return 0;
            const double* first = table_.cuts + table_.cut_offsets[feature];
            const double* last = table_.cuts + table_.cut_offsets[feature + 1];
            return 1 + static_cast<int>(std::lower_bound(first, last, sum / mass) - first);
        }
    }

    void scan_numeric_block(const Histogram& histogram, const HistogramShape& shape, int block, const NodeTotals& node,
                            const Criterion& criterion, Split& best) {
        if (histogram.narrow())
            scan_cells(histogram.narrow_block(shape, block), histogram, shape, block, node, criterion, best);
        else scan_cells(histogram.broad_block(shape, block), histogram, shape, block, node, criterion, best);
    }

    template <class Cell>
    void scan_cells(const Cell* bins, const Histogram& histogram, const HistogramShape& shape, int block,
                    const NodeTotals& node, const Criterion& criterion, Split& best) {
        const int first = block * lanes, last = std::min(first + lanes, shape.size());
        BlockScan<Cell> scan{bins, shape.block_bins[block], {}, {}, {}};
        std::fill(scan.joins_left, scan.joins_left + lanes, never);
        std::fill(scan.gain, scan.gain + lanes, least_gain);
        bool any_missing = false;
        for (int p = first; p < last; ++p) {
            if (bins[p - first] == 0 || table_.categorical[shape.features[p]]) continue;
            any_missing = true;
            if (by_mean()) scan.joins_left[p - first] = mean_code(histogram, shape, p);
        }
        scan_block(scan, criterion, limits_);
        BlockScan<Cell> left = scan;
        const bool both = any_missing && !by_mean();
        if (both) {  // keeps only cuts that gain more with the missing values on the left
            std::fill(left.joins_left, left.joins_left + lanes, 0);
            std::fill(left.cut, left.cut + lanes, 0);
            scan_block(left, criterion, limits_);
        }
        for (int p = first, lane = 0; p < last; ++p, ++lane) {
            if (!node.allows(shape.features[p])) continue;
            if (params_.direction(shape.features[p]) !=
                0) {  // the vector scan ignores constraints: scan this column again
                scan_numeric_column(histogram, shape, p, node, criterion, best);
                continue;
            }
            keep_numeric(shape.features[p], p, scan.gain[lane], scan.cut[lane], scan.joins_left[lane] <= scan.cut[lane],
                         best);
            if (both) keep_numeric(shape.features[p], p, left.gain[lane], left.cut[lane], true, best);
        }
    }

    // Four features whose cells lie side by side. The vector kernel finds the best cuts if the criterion is the Newton
    // gain and no monotone constraint matters; all others, and random cuts, are evaluated feature by feature.
    void scan_gradient_group(const Histogram& histogram, const HistogramShape& shape, int first, const NodeTotals& node,
                             const Criterion& criterion, Split& best) {
        constexpr bool newton = requires { criterion.least_hessian(); };
        const int last = std::min(first + FeatureGroup::lanes, shape.size());
        [[maybe_unused]] BestCuts cuts[2];  // missing values right, left
        if constexpr (newton)
            if (!params_.random_cuts && !criterion.bounded())
                find_cuts(histogram, shape, first, last, node, criterion, best.gain, cuts);
        for (int p = first; p < last; ++p) {
            const int feature = shape.features[p];
            if (!node.allows(feature)) continue;
            if (table_.categorical[feature]) {
                scan_categorical(histogram, shape, p, node, criterion, best);
            } else if constexpr (newton) {
                const int lane = FeatureGroup::lane_of[p - first];
                if (params_.random_cuts) scan_random_cut(histogram, shape, p, node, criterion, best);
                else if (criterion.bounded() || params_.direction(feature) != 0)
                    scan_numeric_column(histogram, shape, p, node, criterion, best);
                else
                    for (const int way : {0, 1})
                        keep_numeric(feature, p, cuts[way].gain[lane], cuts[way].cut[lane], way == 1, best);
            } else {
                scan_numeric_column(histogram, shape, p, node, criterion, best);
            }
        }
    }

    void find_cuts(const Histogram& histogram, const HistogramShape& shape, int first, int last, const NodeTotals& node,
                   const Criterion& criterion, double to_beat, BestCuts* cuts) {
        int n_bins = 0;
        bool missing = false;
        for (int p = first; p < last; ++p) {
            if (table_.categorical[shape.features[p]]) continue;
            n_bins = std::max(n_bins, shape.n_bins[p]);
            missing |= !histogram.empty(shape, p, 0);
        }
        FeatureGroup group{histogram.column(shape, first),
                           n_bins,
                           params_.units.count_bits,
                           false,
                           node.mass[0],
                           node.mass[1],
                           criterion.l2()};
        for (const int way : {0, 1}) {
            cuts[way].count = node.count;
            cuts[way].least_hessian = criterion.least_hessian();
            cuts[way].least_count = criterion.least_count();
            std::fill(cuts[way].gain, cuts[way].gain + FeatureGroup::lanes, to_beat);
            std::fill(cuts[way].cut, cuts[way].cut + FeatureGroup::lanes, 0);
            group.missing_left = way == 1;
            if (way == 0 || missing) find_best_cuts(group, cuts[way]);
        }
    }

    void scan_random_cut(const Histogram& histogram, const HistogramShape& shape, int position, const NodeTotals& node,
                         const Criterion& criterion, Split& best) {
        const int feature = shape.features[position];
        const int cut = draw_code(histogram, shape, position, Criterion::cut_key(node.key, feature));
        if (cut == 0) return;
        const double missing_count = histogram.read(shape, position, 0, missing_.data());
        double count = histogram.sum(shape, position, 1, cut, left_.data());
        for (const bool missing_left : {false, true}) {
            if (missing_left) {
                if (missing_count == 0.0) break;
                count += missing_count;
                for (int k = 0; k < n_sums_; ++k) left_[k] += missing_[k];
            }
            if (!allowed(criterion, left_.data(), count)) continue;
            if (!params_.constrained() ||
                in_order(feature, cut < shape.n_bins[position], left_.data(), node, criterion))
                keep_numeric(feature, position, value(criterion, left_.data()), cut, missing_left, best);
        }
    }

    // A random cut between the least and the greatest code of the node; 0 if there is none.
    static int draw_code(const Histogram& histogram, const HistogramShape& shape, int position, std::uint64_t key) {
        int low = 1, high = shape.n_bins[position];
        while (low < high && histogram.empty(shape, position, low)) ++low;
        while (high > low && histogram.empty(shape, position, high)) --high;
        if (low < high) return low + static_cast<int>(Stream(key).below(static_cast<std::uint32_t>(high - low)));
        return histogram.empty(shape, position, 0) ? 0 : shape.n_bins[position];  // missing values against all others
    }

    void scan_numeric_column(const Histogram& histogram, const HistogramShape& shape, int position,
                             const NodeTotals& node, const Criterion& criterion, Split& best) {
        const int feature = shape.features[position];
        const bool constrained = params_.constrained();
        const double missing_count = histogram.read(shape, position, 0, missing_.data());
        const bool both = missing_count > 0.0 && !by_mean();
        int join = never;
        if (missing_count > 0.0 && by_mean()) join = mean_code(histogram, shape, position);
        for (int way = 0; way <= both; ++way, join = 0) {
            std::fill(left_.begin(), left_.end(), 0.0);
            double count = 0.0;
            bool joined = false;
            for (int cut = 1; cut <= shape.n_bins[position]; ++cut) {
                const bool joins = !joined && join <= cut;
                if (!joins && histogram.empty(shape, position, cut)) continue;  // same split as the bin before
                count += histogram.add_to(shape, position, cut, left_.data());
                if (joins) {
                    joined = true;
                    count += missing_count;
                    for (int k = 0; k < n_sums_; ++k) left_[k] += missing_[k];
                }
                if (!allowed(criterion, left_.data(), count)) continue;
                // if the cut only splits off the missing values, no two values are separated and the constraint does
                // not apply
                const bool parts_values = joined || count + missing_count < node.count;
                if (constrained && !in_order(feature, parts_values, left_.data(), node, criterion)) continue;
                keep_numeric(feature, position, value_of(criterion, left_.data(), count), cut, joined, best);
            }
        }
    }

    // The gain of a cut. If weights are counts, `count` is the sum of the masses and the criterion need not add them
    // up.
    static double value_of(const Criterion& criterion, const double* left, [[maybe_unused]] double count) {
        if constexpr (Criterion::bipartite || of_gradients<Criterion> || !Histogram::Tag::counts)
            return value(criterion, left);
        else return criterion.gain(left, count);
    }

    void scan_categorical(const Histogram& histogram, const HistogramShape& shape, int position, const NodeTotals& node,
                          const Criterion& criterion, Split& best) {
        this->read_categories(histogram, shape, position);
        const int feature = shape.features[position];
        bool found;
        if constexpr (of_gradients<Criterion>) {
            if (params_.random_cuts) {
                Stream stream(Criterion::cut_key(node.key, feature));
                const auto draw = [&](std::size_t n) { return stream.below(static_cast<std::uint32_t>(n)); };
                found = this->split_categories(feature, node, criterion, best, draw);
            } else {
                found = this->split_categories(feature, node, criterion, best);
            }
        } else {
            found = this->split_categories(feature, node, criterion, best);
        }
        if (found) best.position = position;
    }

    // Completes the best numeric split: sums of the left side, and the side of missing values if the node has none. The
    // cut moves to the middle of the empty bins after it. The middle is one of ranks, so an increasing transform of the
    // feature does not change the tree. In trees of gradients the cut stays at the last occupied bin.
    void settle(const Histogram& histogram, const HistogramShape& shape, const NodeTotals& node, Split& best) {
        const int position = best.position, n_bins = shape.n_bins[position];
        const double missing_count = histogram.read(shape, position, 0, missing_.data());
        best.left_mass.resize(n_sums_);
        best.left_count = histogram.sum(shape, position, 1, best.cut, best.left_mass.data());
        int next = best.cut + 1;
        while (next <= n_bins && histogram.empty(shape, position, next)) ++next;
        if (by_mean()) {
            const int mean = mean_code(histogram, shape, position);
            // the mean, and so the missing values, must stay on the same side
            best.cut = middle_cut(best.cut, next, (mean > best.cut ? std::min(next, mean) : next) - 1, n_bins);
            best.missing_left = mean <= best.cut;
        } else {
            // A cut of a feature with a direction that splits off only the missing values must hold for all values.
            if (!of_gradients<Criterion> || (next > n_bins && params_.direction(best.feature) != 0))
                best.cut = middle_cut(best.cut, next, next - 1, n_bins);
            if (missing_count == 0.0) best.missing_left = unseen_go_left(best, node);
        }
        if (missing_count > 0.0 && best.missing_left) {
            best.left_count += missing_count;
            for (int k = 0; k < n_sums_; ++k) best.left_mass[k] += missing_[k];
        }
    }

    std::vector<double> missing_;
};

}  // namespace rankforest
