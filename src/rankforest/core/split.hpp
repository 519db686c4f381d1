// The best cut of one node, read off its histogram: numeric features by threshold, categorical ones by the best
// prefix of the categories sorted by beta/alpha (ordered labels: by their mean), the missing on whichever side the rule
// for them says.
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "criterion.hpp"
#include "histogram.hpp"
#include "ordinal_criterion.hpp"
#include "scan.hpp"
#include "table.hpp"
#include "whole_sweep.hpp"

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

    // goes_left[code] for all codes of the feature.
    void sides(int n_codes, std::uint8_t* goes_left) const {
        if (left_codes.empty()) {
            std::memset(goes_left, 1, cut + 1);
            std::memset(goes_left + cut + 1, 0, n_codes - cut - 1);
        } else {
            for (int code = 1; code < n_codes; ++code) goes_left[code] = (left_codes[code >> 6] >> (code & 63)) & 1;
        }
        goes_left[0] = missing_left;
    }
};

// Odds of a node, for constraints of monotonicity. Masses are whole numbers and one division rounds correctly, so these
// never contradict the exact order of concavify().
inline double odds(const double* mass) {
    return mass[0] > 0.0 ? mass[1] / mass[0] : std::numeric_limits<double>::infinity();
}

// Class masses and row count of a node, with what its cell weighs.
struct NodeTotals {
    const double* mass;
    double count;
    const double* cell_mass;
};

// Cells, leaves or categories in the order that makes the ROC curve concave: beta/alpha non-increasing, alpha = 0
// first, ties by index. Products instead of quotients, so that no division by zero needs a case of its own, and exact
// ones, so that it is an order: where two products round to the same double, what rounding took away decides.
template <class MassOf>
void concavify(std::vector<int>& items, const MassOf& mass) {
    std::sort(items.begin(), items.end(), [&](int i, int j) {
        const double left = mass(i, 1) * mass(j, 0), right = mass(j, 1) * mass(i, 0);
        if (left != right) return left > right;
        const double more_left = std::fma(mass(i, 1), mass(j, 0), -left),
                     more_right = std::fma(mass(j, 1), mass(i, 0), -right);
        return more_left != more_right ? more_left > more_right : i < j;
    });
}

// What every way of finding a cut shares: which cuts are allowed, what they are worth, and how categories are parted.
template <class Criterion>
class CutJudge {
protected:
    CutJudge(const BinnedTable& table, const InnerParams& params, int n_classes)
        : table_(table), params_(params), n_classes_(n_classes), left_(n_classes) {}

    Criterion criterion_of(const NodeTotals& node) const {
        if constexpr (Criterion::bipartite) return Criterion(node.mass, node.cell_mass);
        else return Criterion(node.mass, node.cell_mass, params_.levels);
    }

    void set_limits(const NodeTotals& node) {
        if constexpr (!Criterion::bipartite) {  // nothing is balanced: rows alone count
            limits_.half_count = 0.5 * node.count;
            limits_.count_reach = 0.5 * node.count - static_cast<double>(params_.min_samples_leaf);
            return;
        }
        class_weight_.resize(n_classes_);
        double share = 0.0;
        for (int k = 0; k < n_classes_; ++k) {
            class_weight_[k] = 1.0 / (n_classes_ * node.cell_mass[k]);
            share += node.mass[k] * class_weight_[k];
        }
        const double least_share = params_.min_mass_leaf * (1.0 - 1e-12);  // a share that equals the floor passes
        limits_ = {0.5 * node.count,
                   0.5 * node.count - static_cast<double>(params_.min_samples_leaf),
                   class_weight_[0],
                   class_weight_[1],
                   0.5 * share,
                   0.5 * share * (1.0 + 1e-15) - least_share,
                   params_.min_samples_leaf <= 1 && params_.min_mass_leaf == 0.0};
    }

    bool allowed(const double* left, double count) const {
        if constexpr (!Criterion::bipartite) return std::abs(count - limits_.half_count) <= limits_.count_reach;
        double share = 0.0;
        for (int k = 0; k < n_classes_; ++k) share += left[k] * class_weight_[k];
        return std::abs(count - limits_.half_count) <= limits_.count_reach &&
               std::abs(share - limits_.half_share) <= limits_.share_reach;
    }

    // Whether the sides of a cut stand in the order that the constraint on its feature asks for.
    static bool in_order(int direction, const double* left, const NodeTotals& node) {
        const double right[2] = {node.mass[0] - left[0], node.mass[1] - left[1]};
        return direction > 0 ? odds(left) <= odds(right) : odds(left) >= odds(right);
    }

    static double value(const Criterion& criterion, const double* left) {
        if constexpr (Criterion::bipartite) {
            double gain, over;
            criterion.gain(left[0], left[1], gain, over);
            return gain / over;
        } else {
            return criterion.gain(left);
        }
    }

    // Missing values that a node has not seen follow the majority of its mass.
    bool most_go_left(const Split& best, const NodeTotals& node) const {
        double left = 0.0, all = 0.0;
        for (int k = 0; k < n_classes_; ++k) {
            left += best.left_mass[k] * params_.unit_of(k);
            all += node.mass[k] * params_.unit_of(k);
        }
        return 2.0 * left >= all;
    }

    void clear_categories(int n_codes) {
        masses_.assign(n_codes * n_classes_, 0.0);
        counts_.assign(n_codes, 0.0);
        mean_label_.resize(n_codes);
    }

    template <class Store>
    void count_categories(const Store& rows, const Segment& segment, int feature) {
        clear_categories(table_.n_bins[feature] + 1);
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const int code = reinterpret_cast<const typename Store::Code*>(row)[feature];
            const auto tag = rows.tag(row);
            masses_[code * n_classes_ + tag.label()] += static_cast<double>(tag.weight());
            counts_[code] += static_cast<double>(tag.count());
        }
    }

    // The best prefix of the categories, sorted by beta/alpha or by their mean label, whose masses and counts are at
    // hand; or, if `only` is given, one prefix of the categories in an order that it draws. An order that knows the
    // labels would be no random cut: a feature with many categories would lead, having learned its rows by heart.
    template <class Draw = std::nullptr_t>
    bool part_categories(int feature, const NodeTotals& node, const Criterion& criterion, Split& best,
                         const Draw& only = nullptr) {
        const int n_codes = static_cast<int>(counts_.size());
        order_.clear();
        for (int code = 0; code < n_codes; ++code)
            if (counts_[code] > 0.0) order_.push_back(code);
        const auto mass = [&](int code, int k) { return masses_[code * n_classes_ + k]; };
        std::size_t drawn = 0;
        if constexpr (!std::is_same_v<Draw, std::nullptr_t>) {
            for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[only(i)]);
            if (order_.size() > 1) drawn = 1 + only(order_.size() - 1);
        } else if constexpr (Criterion::bipartite) {
            concavify(order_, mass);
        } else {
            sort_by_mean_label(order_, params_.levels, mean_label_, mass);
        }
        std::fill(left_.begin(), left_.end(), 0.0);
        double count = 0.0;
        std::size_t best_prefix = 0;
        for (std::size_t i = 0; i + 1 < order_.size(); ++i) {
            for (int k = 0; k < n_classes_; ++k) left_[k] += masses_[order_[i] * n_classes_ + k];
            count += counts_[order_[i]];
            if ((drawn > 0 && drawn != i + 1) || !allowed(left_.data(), count)) continue;
            const double gain = value(criterion, left_.data());
            if (gain <= best.gain) continue;
            best.gain = gain;
            best_prefix = i + 1;
            best.left_mass = left_;
            best.left_count = count;
        }
        if (best_prefix == 0) return false;
        best.feature = feature;
        best.cut = 0;
        // Codes that the node has not seen behave as the missing; unseen missing values follow the majority.
        const bool seen = counts_[0] > 0.0;
        best.missing_left = !seen && most_go_left(best, node);
        best.left_codes.assign((n_codes + 63) / 64, 0);
        for (std::size_t i = 0; i < best_prefix; ++i) {
            if (order_[i] == 0) best.missing_left = true;
            best.left_codes[order_[i] >> 6] |= std::uint64_t{1} << (order_[i] & 63);
        }
        for (int code = 0; code < n_codes; ++code)
            if (counts_[code] == 0.0 && best.missing_left)
                best.left_codes[code >> 6] |= std::uint64_t{1} << (code & 63);
        return true;
    }

    const BinnedTable& table_;
    const InnerParams& params_;
    int n_classes_;
    CutLimits limits_{};
    std::vector<double> class_weight_, left_, masses_, counts_, mean_label_;
    std::vector<int> order_;
};

template <class Histogram, class Criterion>
class SplitFinder : CutJudge<Criterion> {
public:
    SplitFinder(const BinnedTable& table, const InnerParams& params, int n_classes)
        : CutJudge<Criterion>(table, params, n_classes),
          bin_(n_classes),
          missing_(n_classes),
          small_histogram_(n_classes) {}

    Split best(const Histogram& histogram, const HistogramShape& shape, const NodeTotals& node) {
        Split best;
        best.gain = least_gain;
        const Criterion criterion = this->criterion_of(node);
        set_limits(node);
        if constexpr (Histogram::packed) {
            for (int block = 0; block < shape.n_blocks(); ++block)
                scan_numeric_block(histogram, shape, block, node, criterion, best);
        } else {
            for (int p = 0; p < shape.size(); ++p)
                if (!table_.categorical[shape.features[p]])
                    scan_numeric_column(histogram, shape, p, node, criterion, best);
        }
        for (int p = 0; p < shape.size(); ++p)
            if (table_.categorical[shape.features[p]]) scan_categorical(histogram, shape, p, node, criterion, best);
        if (!best.valid()) return best;
        if (best.left_codes.empty()) settle_numeric(histogram, shape, node, best);
        best.priority = criterion.priority(best.gain);
        return best;
    }

    // Whether the rows of a node are few enough to be compared with each other. The mean of a cell is read off a
    // histogram, so the rule that needs it does without; so do constraints, which the comparison of rows does not know.
    template <class Store>
    bool is_small(std::int64_t weight, std::int64_t n_rows) const {
        if (params_.missing != MissingKind::learned || params_.constrained()) return false;
        if constexpr (Histogram::packed) return sizeof(typename Store::Code) == 1 && weight <= SmallScan::most_weight;
        else return n_rows <= most_sorted_rows;
    }

    // The same split as best(), for a small node, straight from its rows.
    template <class Store>
    Split best_of_rows(const Store& rows, const Segment& segment, const std::vector<int>& features,
                       const NodeTotals& node) {
        Split best;
        if constexpr (Histogram::packed && sizeof(typename Store::Code) == 1) {
            best.gain = least_gain;
            const Criterion criterion = this->criterion_of(node);
            set_limits(node);
            small_.n_rows = static_cast<int>(segment.size());
            small_.codes = small_codes_;
            small_.n_members[0] = small_.n_members[1] = 0;
            for (int i = 0; i < small_.n_rows; ++i) {
                const auto tag = rows.tag(rows.row(segment.plane, segment.begin + i));
                for (std::int64_t times = tag.weight(); times > 0; --times)
                    members_[tag.label()][small_.n_members[tag.label()]++] = small_codes_ + i * SmallScan::chunk;
            }
            small_.members[0] = members_[0];
            small_.members[1] = members_[1];
            categorical_.clear();
            for (const int f : features)
                if (table_.categorical[f]) categorical_.push_back(f);
            for (std::size_t first = 0; first < features.size(); first += SmallScan::chunk)
                scan_chunk(rows, segment, features, first, criterion, best);
            if (!categorical_.empty()) {
                small_shape_.set(table_, categorical_);
                small_histogram_.build(rows, segment, small_shape_, SmallScan::most_weight, 1);
                for (int p = 0; p < small_shape_.size(); ++p)
                    scan_categorical(small_histogram_, small_shape_, p, node, criterion, best);
            }
            if (!best.valid()) return best;
            if (best.left_codes.empty()) settle_rows(rows, segment, node, best);
            best.priority = criterion.priority(best.gain);
        } else if constexpr (!Histogram::packed) {
            best.gain = least_gain;
            const Criterion criterion = this->criterion_of(node);
            set_limits(node);
            read_members(rows, segment);
            scan_rows(rows, segment, features, node, criterion, best);
            for (const int feature : features) {
                if (!table_.categorical[feature]) continue;
                this->count_categories(rows, segment, feature);
                this->part_categories(feature, node, criterion, best);
            }
            if (!best.valid()) return best;
            if (best.left_codes.empty()) settle_rows(rows, segment, node, best);
            best.priority = criterion.priority(best.gain);
        }
        return best;
    }

private:
    // More rows are quicker counted into bins than sorted.
    static constexpr int most_sorted_rows = WholeSweep<Criterion>::exists && Histogram::Tag::counts ? 192 : 96;
    using Judge = CutJudge<Criterion>;
    using Judge::set_limits, Judge::allowed, Judge::in_order, Judge::value, Judge::most_go_left;
    using Judge::table_, Judge::params_, Judge::n_classes_, Judge::limits_, Judge::left_, Judge::masses_,
        Judge::counts_;
    static constexpr int never = std::numeric_limits<int>::max();

    // Code of the mean of the observed values in the node; 0 when nothing is observed.
    int mean_code(const Histogram& histogram, const HistogramShape& shape, int position) {
        const int feature = shape.features[position];
        const double* means = table_.bin_means + table_.mean_offsets[feature];
        double sum = 0.0, mass = 0.0;
        for (int code = 1; code <= shape.n_bins[position]; ++code) {
            histogram.read(shape, position, code, bin_.data());
            double weight = 0.0;
            for (int k = 0; k < n_classes_; ++k) weight += bin_[k] * params_.unit_of(k);
            sum += weight * means[code - 1];
            mass += weight;
        }
        if (mass == 0.0) return 0;
        const double* first = table_.cuts + table_.cut_offsets[feature];
        const double* last = table_.cuts + table_.cut_offsets[feature + 1];
        return 1 + static_cast<int>(std::lower_bound(first, last, sum / mass) - first);
    }

    void scan_numeric_block(const Histogram& histogram, const HistogramShape& shape, int block, const NodeTotals& node,
                            const Criterion& criterion, Split& best) {
        if (histogram.narrow())
            scan_cells(histogram.narrow_block(shape, block), histogram, shape, block, node, criterion, best);
        else scan_cells(histogram.broad_block(shape, block), histogram, shape, block, node, criterion, best);
    }

    template <class Store>
    void scan_chunk(const Store& rows, const Segment& segment, const std::vector<int>& features, std::size_t first,
                    const Criterion& criterion, Split& best) {
        constexpr int chunk = SmallScan::chunk;
        const int n = static_cast<int>(std::min<std::size_t>(chunk, features.size() - first));
        const bool all = static_cast<int>(features.size()) == table_.n_features;
        for (int i = 0; i < small_.n_rows; ++i) {
            // bytes past the last feature keep what was there before: their lanes are not looked at
            const auto* codes = reinterpret_cast<const std::uint8_t*>(rows.row(segment.plane, segment.begin + i));
            if (all) std::memcpy(small_codes_ + i * chunk, codes + first, n);
            else
                for (int f = 0; f < n; ++f) small_codes_[i * chunk + f] = codes[features[first + f]];
        }
        small_.n_features = n;
        for (int way = 0; way < 2; ++way) {
            std::fill(small_.gain[way], small_.gain[way] + chunk, least_gain);
            std::fill(small_.cut[way], small_.cut[way] + chunk, 0.0);
        }
        scan_small(small_, criterion, limits_);
        for (int f = 0; f < n; ++f)
            for (int way = 0; way <= static_cast<int>(small_.any_missing); ++way)
                keep_numeric(features[first + f], -1, small_.gain[way][f],
                             static_cast<std::int64_t>(small_.cut[way][f]), way == 1, best);
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
            if (params_.missing == MissingKind::cell_mean) scan.joins_left[p - first] = mean_code(histogram, shape, p);
        }
        scan_block(scan, criterion, limits_);
        BlockScan<Cell> left = scan;
        const bool both = any_missing && params_.missing == MissingKind::learned;
        if (both) {  // finds only cuts that are better with the missing on the left
            std::fill(left.joins_left, left.joins_left + lanes, 0);
            std::fill(left.cut, left.cut + lanes, 0);
            scan_block(left, criterion, limits_);
        }
        for (int p = first, lane = 0; p < last; ++p, ++lane) {
            if (params_.direction(shape.features[p]) != 0) {  // the vector scan does not know the constraint
                scan_numeric_column(histogram, shape, p, node, criterion, best);
                continue;
            }
            keep_numeric(shape.features[p], p, scan.gain[lane], scan.cut[lane], scan.joins_left[lane] <= scan.cut[lane],
                         best);
            if (both) keep_numeric(shape.features[p], p, left.gain[lane], left.cut[lane], true, best);
        }
    }

    void keep_numeric(int feature, int position, double gain, std::int64_t cut, bool missing_left, Split& best) const {
        if (cut == 0 || gain <= best.gain || table_.categorical[feature]) return;
        best.feature = feature;
        best.position = position;
        best.gain = gain;
        best.cut = static_cast<int>(cut);
        best.missing_left = missing_left;
    }

    void scan_numeric_column(const Histogram& histogram, const HistogramShape& shape, int position,
                             const NodeTotals& node, const Criterion& criterion, Split& best) {
        const int feature = shape.features[position];
        [[maybe_unused]] const int direction = params_.direction(feature);
        const double missing_count = histogram.read(shape, position, 0, missing_.data());
        const bool both = missing_count > 0.0 && params_.missing == MissingKind::learned;
        int join = never;
        if (missing_count > 0.0 && params_.missing == MissingKind::cell_mean)
            join = mean_code(histogram, shape, position);
        for (int way = 0; way <= both; ++way, join = 0) {
            std::fill(left_.begin(), left_.end(), 0.0);
            double count = 0.0;
            bool joined = false;
            for (int cut = 1; cut <= shape.n_bins[position]; ++cut) {
                const bool joins = !joined && join <= cut;
                if (!joins && histogram.empty(shape, position, cut)) continue;  // the same sides as at the bin before
                count += histogram.add(shape, position, cut, left_.data());
                if (joins) {
                    joined = true;
                    count += missing_count;
                    for (int k = 0; k < n_classes_; ++k) left_[k] += missing_[k];
                }
                if (!allowed(left_.data(), count)) continue;
                // the missing against all others: no two values are parted, so they may stand in any order
                [[maybe_unused]] const bool parts_values = joined || count + missing_count < node.count;
                if constexpr (Criterion::bipartite)
                    if (direction != 0 && parts_values && !in_order(direction, left_.data(), node)) continue;
                keep_numeric(feature, position, value_of(criterion, left_.data(), count), cut, joined, best);
            }
        }
    }

    // Where a row weighs what it counts, the criterion need not sum the masses up again.
    static double value_of(const Criterion& criterion, const double* left, [[maybe_unused]] double count) {
        if constexpr (Criterion::bipartite || !Histogram::Tag::counts) return value(criterion, left);
        else return criterion.gain(left, count);
    }

    // A row of a small node.
    struct Member {
        int label;
        double weight, count;
    };

    template <class Store>
    void read_members(const Store& rows, const Segment& segment) {
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const auto tag = rows.tag(rows.row(segment.plane, i));
            small_members_[i - segment.begin] = {tag.label(), static_cast<double>(tag.weight()),
                                                 static_cast<double>(tag.count())};
        }
    }

    // Codes of a feature in a small node, ascending, each with its row: code << 8 | row. Bytes are put into lists, one
    // per code that occurs, and a bit for each says which do.
    template <class Store>
    void sort_codes(const Store& rows, const Segment& segment, int feature) {
        using Code = typename Store::Code;
        const int n = static_cast<int>(segment.size());
        const Code* const first = reinterpret_cast<const Code*>(rows.row(segment.plane, segment.begin)) + feature;
        const std::size_t stride = rows.words() * (sizeof(std::uint64_t) / sizeof(Code));
        const auto code_at = [&](int i) { return first[i * stride]; };
        if constexpr (sizeof(Code) > 1) {
            for (int i = 0; i < n; ++i)
                sorted_[i] = static_cast<std::uint32_t>(code_at(i)) << 8 | static_cast<std::uint32_t>(i);
            std::sort(sorted_, sorted_ + n);
        } else {
            constexpr std::uint8_t last = 255;
            std::uint64_t occurs[4] = {};
            for (int i = 0; i < n; ++i) {
                const Code code = code_at(i);
                const std::uint64_t bit = std::uint64_t{1} << (code & 63);
                next_row_[i] = occurs[code >> 6] & bit ? first_row_[code] : last;
                first_row_[code] = static_cast<std::uint8_t>(i);
                occurs[code >> 6] |= bit;
            }
            std::uint32_t* to = sorted_;
            for (int word = 0; word < 4; ++word)
                for (std::uint64_t left = occurs[word]; left; left &= left - 1) {
                    const auto code = static_cast<std::uint32_t>(word * 64 + std::countr_zero(left));
                    for (std::uint8_t i = first_row_[code]; i != last; i = next_row_[i]) *to++ = code << 8 | i;
                }
        }
    }

    // All numeric features of a small node; in whole numbers where the criterion can be had in them.
    template <class Store>
    void scan_rows(const Store& rows, const Segment& segment, const std::vector<int>& features, const NodeTotals& node,
                   const Criterion& criterion, Split& best) {
        const auto scan = [&](auto& sweep) {
            for (const int feature : features)
                if (!table_.categorical[feature]) scan_sorted(rows, segment, feature, sweep, best);
        };
        if constexpr (WholeSweep<Criterion>::exists && Histogram::Tag::counts)
            if (whole_.fits(node.count, params_.levels)) {
                whole_.set(node.mass, node.count, params_.levels);
                return scan(whole_);
            }
        const auto of_masses = [&](const double* left) { return value(criterion, left); };
        PlainSweep plain(left_, of_masses);
        scan(plain);
    }

    // The cuts of a numeric feature in a small node: its rows, sorted by their codes, pass to the left one value at a
    // time.
    template <class Store, class Sweep>
    void scan_sorted(const Store& rows, const Segment& segment, int feature, Sweep& sweep, Split& best) {
        const int n = static_cast<int>(segment.size());
        sort_codes(rows, segment, feature);
        const auto code_of = [&](int i) { return static_cast<int>(sorted_[i] >> 8); };
        if (code_of(0) == code_of(n - 1)) return;
        double count = 0.0;
        const auto pass = [&](int i) {
            const Member& member = small_members_[sorted_[i] & 0xffu];
            sweep.pass(member.label, member.weight);
            count += member.count;
        };
        int first = 0;  // row with a value
        while (code_of(first) == 0) ++first;
        for (int way = 0; way <= (first > 0); ++way) {  // the missing on the right, then on the left
            sweep.clear();
            count = 0.0;
            for (int i = 0; way == 1 && i < first; ++i) pass(i);
            for (int i = first; i < n; ++i) {
                pass(i);
                if ((i + 1 < n && code_of(i + 1) == code_of(i)) || !allowed(left_.data(), count)) continue;
                keep_numeric(feature, -1, sweep.gain(), code_of(i), way == 1, best);
            }
        }
    }

    void scan_categorical(const Histogram& histogram, const HistogramShape& shape, int position, const NodeTotals& node,
                          const Criterion& criterion, Split& best) {
        const int n_codes = shape.n_bins[position] + 1;
        this->clear_categories(n_codes);
        for (int code = 0; code < n_codes; ++code)
            counts_[code] = histogram.read(shape, position, code, masses_.data() + code * n_classes_);
        if (this->part_categories(shape.features[position], node, criterion, best)) best.position = position;
    }

    // The same as settle_numeric, from the rows of a small node.
    template <class Store>
    void settle_rows(const Store& rows, const Segment& segment, const NodeTotals& node, Split& best) const {
        int next = table_.n_bins[best.feature] + 1;
        bool any_missing = false;
        best.left_mass.assign(n_classes_, 0.0);
        best.left_count = 0.0;
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const int code = reinterpret_cast<const typename Store::Code*>(row)[best.feature];
            any_missing |= code == 0;
            if (code > best.cut) next = std::min(next, code);
            if (code > best.cut || (code == 0 && !best.missing_left)) continue;
            const auto tag = rows.tag(row);
            best.left_mass[tag.label()] += static_cast<double>(tag.weight());
            best.left_count += static_cast<double>(tag.count());
        }
        best.cut = middle(best.cut, next, next - 1, table_.n_bins[best.feature]);
        if (!any_missing) best.missing_left = most_go_left(best, node);
    }

    // Between the last occupied bin on the left and the next on the right; past all bins when there is none.
    static int middle(int cut, int next, int last_equal, int n_bins) {
        return next <= n_bins ? cut + (last_equal - cut) / 2 : n_bins;
    }

    // The cut moves to the middle of the empty bins that follow it (in ranks, so that an increasing transform of the
    // feature changes nothing), and the missing get a side even where the node has none.
    void settle_numeric(const Histogram& histogram, const HistogramShape& shape, const NodeTotals& node, Split& best) {
        const int position = best.position, n_bins = shape.n_bins[position];
        const double missing_count = histogram.read(shape, position, 0, missing_.data());
        best.left_mass.resize(n_classes_);
        best.left_count = histogram.sum(shape, position, 1, best.cut, best.left_mass.data());
        int next = best.cut + 1;
        while (next <= n_bins && histogram.read(shape, position, next, bin_.data()) == 0.0) ++next;
        if (params_.missing == MissingKind::cell_mean) {
            const int mean = mean_code(histogram, shape, position);
            // as far as the side of the mean, and with it that of the missing, stays the same
            best.cut = middle(best.cut, next, (mean > best.cut ? std::min(next, mean) : next) - 1, n_bins);
            best.missing_left = mean <= best.cut;
        } else {
            best.cut = middle(best.cut, next, next - 1, n_bins);
            if (missing_count == 0.0) best.missing_left = most_go_left(best, node);
        }
        if (missing_count > 0.0 && best.missing_left) {
            best.left_count += missing_count;
            for (int k = 0; k < n_classes_; ++k) best.left_mass[k] += missing_[k];
        }
    }

    std::vector<double> bin_, missing_;
    // for small nodes
    WholeSweep<Criterion> whole_;
    Member small_members_[most_sorted_rows];
    std::uint32_t sorted_[most_sorted_rows];
    std::uint8_t first_row_[256], next_row_[most_sorted_rows];
    SmallScan small_{};
    alignas(64) std::uint8_t small_codes_[SmallScan::most_weight * SmallScan::chunk] = {};
    const std::uint8_t* members_[2][SmallScan::most_weight];
    std::vector<int> categorical_;
    HistogramShape small_shape_;
    Histogram small_histogram_;
};

}  // namespace rankforest
