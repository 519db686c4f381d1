// Finds the best split of a small node from its rows. With a few dozen rows most bins are empty, and skipping them
// takes longer than comparing or sorting the rows. The result equals that of SplitFinder bit for bit.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "cut_judge.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "whole_sweep.hpp"

namespace rankforest {

template <class Store, class Histogram, class Criterion>
class SmallNodes : CutJudge<Criterion> {
public:
    SmallNodes(const BinnedTable& table, const InnerParams& params, int n_classes)
        : CutJudge<Criterion>(table, params, n_classes) {}

    // Largest weight and number of rows of a small node; -1 if this class does not apply. Missing values that follow
    // the mean of the node need a histogram, and so do monotonic constraints.
    std::int64_t most_weight() const {
        if (!applies()) return -1;
        return compares ? SmallScan::most_weight : std::numeric_limits<std::int64_t>::max();
    }
    std::int64_t most_rows() const { return applies() ? most_sorted_rows : -1; }

    Split best(const Store& rows, const Segment& segment, const std::vector<int>& features, const NodeTotals& node) {
        Split best;
        const Criterion criterion = this->criterion_of(node);
        best.gain = this->to_beat(criterion);
        if constexpr (compares) compare_rows(rows, segment, features, criterion, best);
        else sort_rows(rows, segment, features, node, criterion, best);
        this->for_categories_of(rows, segment, features,
                                [&](int feature) { this->split_categories(feature, node, criterion, best); });
        if (!best.valid()) return best;
        if (best.left_codes.empty()) settle(rows, segment, node, best);
        best.priority = criterion.priority(best.gain);
        return best;
    }

private:
    // With two counted classes and one-byte codes, all rows are compared with each other. Otherwise they are sorted.
    static constexpr bool compares = Histogram::packed && sizeof(typename Store::Code) == 1;
    // With more rows than this, a histogram is faster than sorting.
    static constexpr int most_sorted_rows = WholeSweep<Criterion>::exists && Histogram::Tag::counts ? 192 : 96;
    using Judge = CutJudge<Criterion>;
    using Judge::allowed, Judge::keep_numeric, Judge::unseen_go_left, Judge::value;
    using Judge::table_, Judge::params_, Judge::n_sums_, Judge::limits_, Judge::left_;

    bool applies() const {
        return (compares || !Histogram::packed) && params_.missing == MissingKind::learned && !params_.constrained();
    }

    void compare_rows(const Store& rows, const Segment& segment, const std::vector<int>& features,
                      const Criterion& criterion, Split& best) {
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
        for (std::size_t first = 0; first < features.size(); first += SmallScan::chunk)
            scan_chunk(rows, segment, features, first, criterion, best);
    }

    void scan_chunk(const Store& rows, const Segment& segment, const std::vector<int>& features, std::size_t first,
                    const Criterion& criterion, Split& best) {
        constexpr int chunk = SmallScan::chunk;
        const int n = static_cast<int>(std::min<std::size_t>(chunk, features.size() - first));
        const bool all = static_cast<int>(features.size()) == table_.n_features;
        for (int i = 0; i < small_.n_rows; ++i) {
            // bytes past the last feature keep old values: their lanes are ignored
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

    // A row of a small node.
    struct Member {
        int label;
        double weight, count;
    };

    void read_members(const Store& rows, const Segment& segment) {
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const auto tag = rows.tag(rows.row(segment.plane, i));
            small_members_[i - segment.begin] = {tag.label(), static_cast<double>(tag.weight()),
                                                 static_cast<double>(tag.count())};
        }
    }

    // Sorts the codes of a feature in a small node; entries are code << 8 | row. One-byte codes are sorted with a
    // linked list of rows for each code that occurs, and a bitmap of the codes that occur.
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

    // Scans all numeric features; with integer arithmetic (WholeSweep) if the criterion allows it.
    void sort_rows(const Store& rows, const Segment& segment, const std::vector<int>& features, const NodeTotals& node,
                   const Criterion& criterion, Split& best) {
        read_members(rows, segment);
        const auto scan = [&](auto& sweep) {
            for (const int feature : features)
                if (!table_.categorical[feature]) scan_sorted(rows, segment, feature, criterion, sweep, best);
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

    // Tries all cuts of a numeric feature in a small node: rows sorted by code move to the left one value at a time.
    template <class Sweep>
    void scan_sorted(const Store& rows, const Segment& segment, int feature, const Criterion& criterion, Sweep& sweep,
                     Split& best) {
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
        int first = 0;  // first row with a value
        while (code_of(first) == 0) ++first;
        for (int way = 0; way <= (first > 0); ++way) {  // missing values on the right, then on the left
            sweep.clear();
            count = 0.0;
            for (int i = 0; way == 1 && i < first; ++i) pass(i);
            for (int i = first; i < n; ++i) {
                pass(i);
                if ((i + 1 < n && code_of(i + 1) == code_of(i)) || !allowed(criterion, left_.data(), count)) continue;
                keep_numeric(feature, -1, sweep.gain(), code_of(i), way == 1, best);
            }
        }
    }

    // Same as settle() in split_finder.hpp, but from the rows of a small node.
    void settle(const Store& rows, const Segment& segment, const NodeTotals& node, Split& best) const {
        int next = table_.n_bins[best.feature] + 1;
        bool any_missing = false;
        best.left_mass.assign(n_sums_, 0.0);
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
        best.cut = middle_cut(best.cut, next, next - 1, table_.n_bins[best.feature]);
        if (!any_missing) best.missing_left = unseen_go_left(best, node);
    }

    WholeSweep<Criterion> whole_;
    Member small_members_[most_sorted_rows];
    std::uint32_t sorted_[most_sorted_rows];
    std::uint8_t first_row_[256], next_row_[most_sorted_rows];
    SmallScan small_{};
    alignas(64) std::uint8_t small_codes_[SmallScan::most_weight * SmallScan::chunk] = {};
    const std::uint8_t* members_[2][SmallScan::most_weight];
};

}  // namespace rankforest
