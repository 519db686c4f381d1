// Random cuts, as in extremely randomised trees: each feature gets one cut, drawn uniformly between its least and its
// largest value in the node, and the best of these cuts is taken. Works from the rows or from a histogram.
#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "cut_judge.hpp"
#include "random.hpp"
#include "rows.hpp"
#include "table.hpp"
#include "team.hpp"
#include "vector.hpp"

namespace rankforest {

template <class Criterion>
class RandomCuts : CutJudge<Criterion> {
public:
    RandomCuts(const BinnedTable& table, const InnerParams& params, int n_classes)
        : CutJudge<Criterion>(table, params, n_classes) {}

    // The threads of the team share the features of large nodes.
    void set_team(Team* team) { team_ = team; }

    // The best random cut from the rows of a node. Each feature has its own random stream, so its cut does not depend
    // on which other features are used.
    template <class Store>
    Split best(const Store& rows, const Segment& segment, const std::vector<int>& features, const NodeTotals& node) {
        list_columns(features);
        find_ranges(rows, segment);
        draw_cuts(node.key);
        weigh(rows, segment);
        return best_of(node, [&](const auto& use) { this->for_categories_of(rows, segment, features, use); });
    }

    // The same from the histogram of the node.
    template <class Histogram>
    Split best(const Histogram& histogram, const HistogramShape& shape, const NodeTotals& node) {
        list_columns(shape.features);
        const auto position_of = [&](int feature) {
            return static_cast<int>(std::find(shape.features.begin(), shape.features.end(), feature) -
                                    shape.features.begin());
        };
        for (Column& column : columns_) find_range(histogram, shape, position_of(column.feature), column);
        draw_cuts(node.key);
        for (Column& column : columns_) weigh(histogram, shape, position_of(column.feature), column);
        return best_of(node, [&](const auto& use) {
            for (const int feature : shape.features) {
                if (!table_.categorical[feature]) continue;
                this->read_categories(histogram, shape, position_of(feature));
                use(feature);
            }
        });
    }

private:
    using Judge = CutJudge<Criterion>;
    using Judge::table_, Judge::params_, Judge::n_sums_, Judge::left_;

    // A numeric feature, its cut, and the masses to the left of the cut and of the missing values.
    struct Column {
        int feature, low, high, cut;
        bool any_missing;
        double mean_sum, mean_mass;
        std::int64_t *left, *missing, left_count, missing_count;  // per class; rows
    };

    static std::uint64_t stream_of(int feature) { return 16 + static_cast<std::uint64_t>(feature); }

    template <class Store>
    static int code_of(const std::uint64_t* row, int feature) {
        return reinterpret_cast<const typename Store::Code*>(row)[feature];
    }

    void list_columns(const std::vector<int>& features) {
        columns_.clear();
        column_masses_.assign(features.size() * 2 * n_sums_, 0);
        std::int64_t* masses = column_masses_.data();
        for (const int feature : features) {
            if (table_.categorical[feature]) continue;
            columns_.push_back({feature, unlimited, 0, 0, false, 0.0, 0.0, masses, masses + n_sums_, 0, 0});
            masses += 2 * n_sums_;
        }
    }

    // A cut that is being searched: the largest number of `values`, all sorted, that are below `at`.
    struct Search {
        const double* values;
        int n_values, n_below;
        double at;
    };

    // Several searches take their steps together, so that they do not wait for each other's loads. Branchless: which
    // half is next is unpredictable.
    static constexpr int searches_at_once = 8;
    static void find(Search* searches, int n) {
        int most = 0;
        for (int i = 0; i < n; ++i) most = std::max(most, searches[i].n_values);
        for (int step = static_cast<int>(std::bit_floor(static_cast<unsigned>(most))); step > 0; step /= 2)
            for (int i = 0; i < n; ++i) {
                Search& s = searches[i];
                const int next = s.n_below + step, last = std::min(next, s.n_values) - 1;
                const bool below = s.values[std::max(last, 0)] < s.at;
                s.n_below += step & -static_cast<int>(below & (next <= s.n_values));
            }
    }

    // Each cut is one of those between the least and the largest value of the node.
    void draw_cuts(std::uint64_t key) {
        Search searches[searches_at_once];
        Column* searching[searches_at_once];
        int n = 0;
        const auto finish = [&] {
            find(searches, n);
            for (int i = 0; i < n; ++i) searching[i]->cut = searching[i]->low + searches[i].n_below;
            n = 0;
        };
        for (Column& column : columns_) {
            if (column.low >= column.high) {  // one value: only missing values can be split off
                column.cut = column.any_missing ? table_.n_bins[column.feature] : 0;
                continue;
            }
            const double* means = table_.bin_means + table_.mean_offsets[column.feature];
            const double low = means[column.low - 1], high = means[column.high - 1];
            Stream stream(child_key(key, stream_of(column.feature)));
            const double at = low + (high - low) * (static_cast<double>(stream.next() >> 11) * 0x1p-53);
            const double* cuts = table_.cuts + table_.cut_offsets[column.feature] + column.low - 1;
            searches[n] = {cuts, column.high - 1 - column.low, 0, at};
            searching[n++] = &column;
            if (n == searches_at_once) finish();
        }
        finish();
    }

    // The best of the drawn cuts. for_categories(use) calls use(feature) after the categories of a feature were read.
    template <class ForCategories>
    Split best_of(const NodeTotals& node, const ForCategories& for_categories) {
        Split best;
        const Criterion criterion = this->criterion_of(node);
        best.gain = this->to_beat(criterion);
        for (Column& column : columns_) judge(column, node, criterion, best);
        for_categories([&](int feature) {
            if (!node.allows(feature)) return;
            Stream stream(child_key(node.key, stream_of(feature)));
            this->split_categories(feature, node, criterion, best,
                                   [&](std::size_t n) { return stream.below(static_cast<std::uint32_t>(n)); });
        });
        if (best.valid()) best.priority = criterion.priority(best.gain);
        return best;
    }

    // ---- from a histogram

    template <class Histogram>
    void find_range(const Histogram& histogram, const HistogramShape& shape, int position, Column& column) {
        column.any_missing = !histogram.empty(shape, position, 0);
        for (int code = 1; code <= shape.n_bins[position]; ++code) {
            if (histogram.empty(shape, position, code)) continue;
            column.low = std::min(column.low, code);
            column.high = code;
        }
    }

    template <class Histogram>
    void weigh(const Histogram& histogram, const HistogramShape& shape, int position, Column& column) {
        const auto whole = [&](double count, std::int64_t* masses) {
            for (int k = 0; k < n_sums_; ++k) masses[k] = static_cast<std::int64_t>(left_[k]);
            return static_cast<std::int64_t>(count);
        };
        column.left_count = whole(histogram.sum(shape, position, 1, column.cut, left_.data()), column.left);
        column.missing_count = whole(histogram.read(shape, position, 0, left_.data()), column.missing);
        if (params_.missing == MissingKind::cell_mean)
            this->weigh_values(histogram, shape, position, column.mean_sum, column.mean_mass);
    }

    // ---- from rows

    template <class Work>
    void each(int n, const Segment& segment, const Work& work) const {
        if (n > 1 && is_shared(team_, segment.size() * static_cast<std::int64_t>(columns_.size())))
            team_->each(n, work);
        else
            for (int i = 0; i < n; ++i) work(i);
    }
    int n_groups() const { return (static_cast<int>(columns_.size()) + at_once - 1) / at_once; }

    template <class Store>
    void find_ranges(const Store& rows, const Segment& segment) {
        by_row_ = by_row<Store>();
        if (by_row_) {
            if constexpr (can_go_by_row<Store>)
                each(n_chunks_, segment, [&](int chunk) { find_ranges_by_row(rows, segment, chunk); });
        } else {
            each(n_groups(), segment, [&](int group) { find_ranges(rows, segment, group * at_once); });
        }
    }

    // Processes four features at a time, so that their sums stay in registers. The last group repeats the last feature.
    static constexpr int at_once = 4;
    template <class Code>
    struct Few {
        int feature[at_once];
        Code cut[at_once];
        Few(const std::vector<Column>& columns, std::size_t first) {
            for (int f = 0; f < at_once; ++f) {
                const Column& column = columns[std::min(first + f, columns.size() - 1)];
                feature[f] = column.feature;
                cut[f] = static_cast<Code>(column.cut);
            }
        }
    };

    template <class Store>
    void find_ranges(const Store& rows, const Segment& segment, std::size_t first) {
        using Code = typename Store::Code;
        const Few<Code> few(columns_, first);
        Code least[at_once], low[at_once],
            high[at_once];  // low: minimum of code - 1, where missing (0) wraps around to the maximum
        std::fill(least, least + at_once, static_cast<Code>(-1));
        std::fill(low, low + at_once, static_cast<Code>(-1));
        std::fill(high, high + at_once, Code{0});
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const Code* codes = reinterpret_cast<const Code*>(rows.row(segment.plane, i));
            for (int f = 0; f < at_once; ++f) {
                const Code code = codes[few.feature[f]];
                least[f] = std::min(least[f], code);
                low[f] = std::min(low[f], static_cast<Code>(code - 1));
                high[f] = std::max(high[f], code);
            }
        }
        for (std::size_t f = 0; f < at_once && first + f < columns_.size(); ++f) {
            Column& column = columns_[first + f];
            column.any_missing = least[f] == 0;
            column.high = high[f];
            column.low = column.high > 0 ? low[f] + 1 : unlimited;
        }
    }

    // Processes 16 adjacent one-byte codes of a row together, including features that are not used. This is by far the
    // fastest way if most features are used or if there are few.
    static constexpr int chunk_bytes = 16;
    template <class Store>
    static constexpr bool can_go_by_row =
        sizeof(typename Store::Code) == 1 && std::is_same_v<typename Store::Tag, CountTag>;

    template <class Store>
    bool by_row() {
        if (!can_go_by_row<Store> || columns_.empty()) return false;
        n_chunks_ = (table_.n_features + chunk_bytes - 1) / chunk_bytes;
        if (n_chunks_ > (static_cast<int>(columns_.size()) + at_once - 1) / at_once) return false;
        first_column_.assign(n_chunks_ + 1, static_cast<int>(columns_.size()));
        for (int i = static_cast<int>(columns_.size()); i-- > 0;) first_column_[columns_[i].feature / chunk_bytes] = i;
        for (int chunk = n_chunks_; chunk-- > 0;)
            first_column_[chunk] = std::min(first_column_[chunk], first_column_[chunk + 1]);
        return true;
    }

    using Bytes = BytesOf<chunk_bytes>::u8;
    static Bytes bytes_at(const std::uint64_t* row, int chunk) {
        Bytes bytes;
        std::memcpy(&bytes, reinterpret_cast<const std::uint8_t*>(row) + chunk * chunk_bytes, chunk_bytes);
        return bytes;
    }
    static Bytes all(int value) { return Bytes{} + static_cast<std::uint8_t>(value); }

    // Calls use(column, byte) for all columns in a chunk; columns are in the order of their features.
    template <class Use>
    void for_columns(int chunk, const Use& use) {
        for (int i = first_column_[chunk]; i < first_column_[chunk + 1]; ++i)
            use(columns_[i], columns_[i].feature - chunk * chunk_bytes);
    }

    template <class Store>
    void find_ranges_by_row(const Store& rows, const Segment& segment, int chunk) {
        Bytes least = all(255), low = all(255), high = all(0);
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const Bytes codes = bytes_at(rows.row(segment.plane, i), chunk), before = codes - 1;
            least = codes < least ? codes : least;
            low = before < low ? before : low;
            high = codes > high ? codes : high;
        }
        for_columns(chunk, [&](Column& column, int f) {
            column.any_missing = least[f] == 0;
            column.high = high[f];
            column.low = column.high > 0 ? low[f] + 1 : unlimited;
        });
    }

    // Only without missing values. Adjacent chunks share the work on the tags. One-byte sums are added to the totals
    // before they overflow.
    static constexpr int chunks_at_once = 4;  // their sums fit into the registers
    template <int n_chunks, class Store>
    void weigh_by_row(const Store& rows, const Segment& segment, int first) {
        Bytes cut[n_chunks]{}, sums[2][n_chunks]{};  // sums: negatives, positives
        for (int c = 0; c < n_chunks; ++c)
            for_columns(first + c, [&](Column& column, int f) { cut[c][f] = static_cast<std::uint8_t>(column.cut); });
        std::uint32_t totals[2][n_chunks][chunk_bytes] = {};
        std::uint32_t carried = 0;
        const auto carry = [&] {
            for (const int k : {0, 1})
                for (int c = 0; c < n_chunks; ++c) {
                    for (int f = 0; f < chunk_bytes; ++f) totals[k][c][f] += sums[k][c][f];
                    sums[k][c] = Bytes{};
                }
            carried = 0;
        };
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const CountTag tag = rows.tag(row);
            const auto label = static_cast<std::uint32_t>(tag.label());
            for (auto weight = static_cast<std::uint32_t>(tag.weight());
                 weight > 0;) {  // one pass, unless the row was drawn more than 255 times
                const std::uint32_t part = std::min<std::uint32_t>(weight, 255);
                if (carried + part > 255) carry();
                carried += part;
                weight -= part;
                const Bytes negative = all(static_cast<int>(part & (label - 1))),
                            positive = all(static_cast<int>(part & (0u - label)));
                for (int c = 0; c < n_chunks; ++c) {
                    const Bytes is_left = reinterpret_cast<Bytes>(bytes_at(row, first + c) <= cut[c]);
                    sums[0][c] += is_left & negative;
                    sums[1][c] += is_left & positive;
                }
            }
        }
        carry();
        for (int c = 0; c < n_chunks; ++c)
            for_columns(first + c, [&](Column& column, int f) {
                for (const int k : {0, 1}) column.left[k] = totals[k][c][f];
                column.left_count = column.left[0] + column.left[1];
            });
    }

    template <class Store>
    void weigh(const Store& rows, const Segment& segment) {
        if constexpr (can_go_by_row<Store>) {
            const bool any_missing =
                std::any_of(columns_.begin(), columns_.end(), [](const Column& c) { return c.any_missing; });
            if (by_row_ && !any_missing) {
                each((n_chunks_ + chunks_at_once - 1) / chunks_at_once, segment, [&](int part) {
                    const int first = part * chunks_at_once, n = std::min(n_chunks_ - first, chunks_at_once);
                    if (n == 4) return weigh_by_row<4>(rows, segment, first);
                    if (n == 3) return weigh_by_row<3>(rows, segment, first);
                    if (n == 2) return weigh_by_row<2>(rows, segment, first);
                    weigh_by_row<1>(rows, segment, first);
                });
                return;
            }
        }
        if constexpr (std::is_same_v<typename Store::Tag, CountTag>) {
            each(n_groups(), segment, [&](int group) { weigh_counts(rows, segment, group * at_once); });
        } else {
            weigh_masses(rows, segment);
        }
    }

    // Sums both classes in one word: negatives in the lower half, positives in the upper.
    template <class Store>
    void weigh_counts(const Store& rows, const Segment& segment, std::size_t first) {
        using Code = typename Store::Code;
        const Few<Code> few(columns_, first);
        std::uint64_t left[at_once] = {}, missing[at_once] = {};
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const Code* codes = reinterpret_cast<const Code*>(row);
            const std::uint64_t tag = rows.tag(row).increment, word = (tag & 0xffff) | (tag >> 16) << 32;
            for (int f = 0; f < at_once; ++f) {
                const Code code = codes[few.feature[f]];
                left[f] += static_cast<Code>(code - 1) < few.cut[f] ? word : 0;
                missing[f] += code == 0 ? word : 0;
            }
        }
        for (std::size_t f = 0; f < at_once && first + f < columns_.size(); ++f) {
            Column& column = columns_[first + f];
            for (const int k : {0, 1}) {
                column.left[k] = static_cast<std::uint32_t>(left[f] >> (32 * k));
                column.missing[k] = static_cast<std::uint32_t>(missing[f] >> (32 * k));
            }
            column.left_count = column.left[0] + column.left[1];
            column.missing_count = column.missing[0] + column.missing[1];
        }
    }

    template <class Store>
    void weigh_masses(const Store& rows, const Segment& segment) {
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const auto tag = rows.tag(row);
            const int label = tag.label();
            const std::int64_t weight = tag.weight(), count = tag.count();
            for (Column& column : columns_) {
                const int code = code_of<Store>(row, column.feature);
                const std::int64_t is_left =
                    -static_cast<std::int64_t>(code != 0 && code <= column.cut);  // branchless: sides are unpredictable
                column.left[label] += weight & is_left;
                column.left_count += count & is_left;
                if (code == 0) {
                    column.missing[label] += weight;
                    column.missing_count += count;
                }
            }
        }
    }

    void judge(const Column& column, const NodeTotals& node, const Criterion& criterion, Split& best) {
        if (column.cut == 0 || !node.allows(column.feature)) return;
        const bool constrained = params_.constrained(), parts_values = column.low < column.high;
        const bool by_mean = params_.missing == MissingKind::cell_mean;
        int first = 0, last = column.any_missing ? 1 : 0;  // the missing on the right, on the left
        if (by_mean)
            first = last = column.mean_mass > 0.0 &&
                           column.mean_sum / column.mean_mass <= table_.threshold(column.feature, column.cut);
        for (int way = first; way <= last; ++way) {
            for (int k = 0; k < n_sums_; ++k) left_[k] = static_cast<double>(column.left[k] + way * column.missing[k]);
            const double* left = left_.data();
            const double count = static_cast<double>(column.left_count + way * column.missing_count);
            if (!this->allowed(criterion, left, count)) continue;
            if (constrained && !this->in_order(column.feature, parts_values, left, node, criterion)) continue;
            const double gain = this->value(criterion, left);
            if (gain <= best.gain) continue;
            best.feature = column.feature;
            best.gain = gain;
            best.cut = column.cut;
            best.left_codes.clear();
            best.left_mass = left_;
            best.left_count = count;
            best.missing_left = column.any_missing || by_mean ? way == 1 : this->unseen_go_left(best, node);
        }
    }

    std::vector<Column> columns_;
    std::vector<std::int64_t> column_masses_;
    bool by_row_ = false;
    int n_chunks_ = 0;
    std::vector<int> first_column_;  // of each chunk
    Team* team_ = nullptr;
};

}  // namespace rankforest
