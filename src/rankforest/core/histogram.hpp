// Histograms: for every feature and every code, sums over the rows of a node. Three kinds with one interface.
// PackedHistogram counts two classes in one word and is laid out for the vector scan; ClassHistogram has any number of
// classes, counted or weighted; GradientHistogram has gradients and hessians.
//
// A histogram is a list of 64-bit words. The histogram of rows that lie in several places is the sum of these words: no
// field of a word overflows into the next, as widths are chosen by the totals of all rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "gradient_criterion.hpp"
#include "rows.hpp"
#include "scan.hpp"
#include "table.hpp"

namespace rankforest {

// Which features a histogram holds, and where. Positions are grouped in blocks of eight; the cells of one bin of
// a block lie side by side. One spare bin per block or column keeps their distance off powers of two, where equal codes
// would compete for the same cache set.
struct HistogramShape {
    std::vector<int> features;
    std::vector<int> n_bins;                 // per position
    std::vector<std::int64_t> block_offset;  // in cells; the last entry is the total
    std::vector<int> block_bins;
    std::vector<std::int64_t> column_offset;  // in codes, for the column layout; the last entry is the total
    std::vector<std::int64_t> group_offset;   // the same for groups of four positions; cells [code][4]
    bool all = false;                         // the features are 0 .. n_features-1: rows can be read in words

    void set(const BinnedTable& table, const std::vector<int>& chosen) {
        features = chosen;
        all = static_cast<int>(chosen.size()) == table.n_features;
        n_bins.clear();
        column_offset.assign(1, 0);
        for (const int f : chosen) {
            n_bins.push_back(table.n_bins[f]);
            column_offset.push_back(column_offset.back() + table.n_bins[f] + 2);
        }
        block_offset.assign(1, 0);
        block_bins.clear();
        for (std::size_t first = 0; first < chosen.size(); first += 8) {
            const auto last = std::min(first + 8, chosen.size());
            const int bins = *std::max_element(n_bins.begin() + first, n_bins.begin() + last);
            block_bins.push_back(bins);
            block_offset.push_back(block_offset.back() + (bins + 2) * 8);
        }
        group_offset.assign(1, 0);
        for (std::size_t first = 0; first < chosen.size(); first += 4) {
            const auto last = std::min(first + 4, chosen.size());
            const int bins = *std::max_element(n_bins.begin() + first, n_bins.begin() + last);
            group_offset.push_back(group_offset.back() + (bins + 2) * 4);
        }
    }
    int size() const { return static_cast<int>(features.size()); }
    int n_blocks() const { return static_cast<int>(block_bins.size()); }
};

using HistogramWords = std::vector<std::uint64_t>;

inline void add_words(HistogramWords& to, const HistogramWords& what) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

// The cells of a histogram as words, and back.
template <class Cell>
void take_cells(const std::vector<Cell>& cells, HistogramWords& words) {
    words.assign((cells.size() * sizeof(Cell) + 7) / 8, 0);
    std::memcpy(words.data(), cells.data(), cells.size() * sizeof(Cell));
}
template <class Cell>
void put_cells(const HistogramWords& words, std::vector<Cell>& cells) {
    std::memcpy(static_cast<void*>(cells.data()), words.data(), cells.size() * sizeof(Cell));
}
template <class Cell>
void add_cells(std::vector<Cell>& to, const std::vector<Cell>& what) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += what[i];
}

// Two classes, whole-number multiplicities. A cell of total weight below 2^16 is "narrow" (16 bits per class in
// a 32-bit word), any other "broad" (32 bits per class in a 64-bit word): narrow words halve the memory traffic.
class PackedHistogram {
public:
    using Tag = CountTag;
    static constexpr bool packed = true;
    static constexpr int n_classes() { return 2; }

    explicit PackedHistogram(int /* n_classes */ = 2) {}

    bool narrow() const { return narrow_; }
    const std::uint32_t* narrow_block(const HistogramShape& shape, int block) const {
        return narrow_cells_.data() + shape.block_offset[block];
    }
    const std::uint64_t* broad_block(const HistogramShape& shape, int block) const {
        return broad_cells_.data() + shape.block_offset[block];
    }

    template <class Store>
    void build(const Store& rows, const Segment& segment, const HistogramShape& shape, std::int64_t total_weight,
               std::int64_t max_weight) {
        const auto cells = shape.block_offset.back();
        narrow_ = total_weight < 65536;
        if (narrow_) {
            clear(narrow_cells_, cells);
            add_rows(rows, segment.plane, segment.begin, segment.end, shape);
            return;
        }
        // 16-bit counters fill up after 65535: count in runs that cannot, and pour each run into broad cells.
        broad_cells_.assign(cells, 0);
        const std::int64_t run = std::max<std::int64_t>(1, 65535 / max_weight);
        for (std::int64_t begin = segment.begin; begin < segment.end; begin += run) {
            clear(narrow_cells_, cells);
            add_rows(rows, segment.plane, begin, std::min(begin + run, segment.end), shape);
            for (std::int64_t i = 0; i < cells; ++i) broad_cells_[i] += widen(narrow_cells_[i]);
        }
    }

    // Whether the histogram of a larger child is cheaper as parent - sibling than from its rows.
    static bool pays_to_subtract(std::int64_t, const HistogramShape&) { return true; }

    void take(HistogramWords& words) const {
        if (narrow_) take_cells(narrow_cells_, words);
        else take_cells(broad_cells_, words);
    }
    void put(const HistogramWords& words) {
        if (narrow_) put_cells(words, narrow_cells_);
        else put_cells(words, broad_cells_);
    }

    // Rows of the same node that were counted apart.
    void add(const PackedHistogram& other) {
        if (narrow_) add_cells(narrow_cells_, other.narrow_cells_);
        else add_cells(broad_cells_, other.broad_cells_);
    }

    // This histogram of a parent becomes that of the sibling of `child`.
    void subtract(const PackedHistogram& child, std::int64_t remaining_weight) {
        if (narrow_) {
            subtract_words(narrow_cells_.data(), child.narrow_cells_.data(), narrow_cells_.size());
            return;
        }
        const std::size_t cells = broad_cells_.size();
        if (child.narrow_) {
            for (std::size_t i = 0; i < cells; ++i) broad_cells_[i] -= widen(child.narrow_cells_[i]);
        } else {
            for (std::size_t i = 0; i < cells; ++i) broad_cells_[i] -= child.broad_cells_[i];
        }
        if (remaining_weight < 65536) {
            narrow_ = true;
            narrow_cells_.resize(cells);
            for (std::size_t i = 0; i < cells; ++i)
                narrow_cells_[i] = static_cast<std::uint32_t>((broad_cells_[i] >> 16) | (broad_cells_[i] & 0xffffu));
        }
    }

    // Masses of one code of the feature at a position; returns the number of rows.
    double read(const HistogramShape& shape, int position, int code, double* mass) const {
        const auto i = shape.block_offset[position / 8] + code * 8 + position % 8;
        const std::uint64_t cell = narrow_ ? widen(narrow_cells_[i]) : broad_cells_[i];
        mass[0] = static_cast<double>(cell & 0xffffffffu);
        mass[1] = static_cast<double>(cell >> 32);
        return mass[0] + mass[1];
    }

    // The same, added to `mass`.
    double add_to(const HistogramShape& shape, int position, int code, double* mass) const {
        double of_code[2];
        const double rows = read(shape, position, code, of_code);
        mass[0] += of_code[0];
        mass[1] += of_code[1];
        return rows;
    }

    bool empty(const HistogramShape& shape, int position, int code) const {
        const auto i = shape.block_offset[position / 8] + code * 8 + position % 8;
        return narrow_ ? narrow_cells_[i] == 0 : broad_cells_[i] == 0;
    }

    // The same for the codes first .. last together.
    double sum(const HistogramShape& shape, int position, int first, int last, double* mass) const {
        const auto start = shape.block_offset[position / 8] + position % 8;
        std::uint64_t cell = 0;
        if (narrow_) {
            std::uint32_t sum = 0;
            for (int code = first; code <= last; ++code) sum += narrow_cells_[start + code * 8];
            cell = widen(sum);
        } else {
            for (int code = first; code <= last; ++code) cell += broad_cells_[start + code * 8];
        }
        mass[0] = static_cast<double>(cell & 0xffffffffu);
        mass[1] = static_cast<double>(cell >> 32);
        return mass[0] + mass[1];
    }

private:
    static void clear(std::vector<std::uint32_t>& words, std::int64_t n) {
        words.resize(n);
        std::memset(words.data(), 0, n * sizeof(std::uint32_t));
    }

    static std::uint64_t widen(std::uint32_t cell) {
        return (static_cast<std::uint64_t>(cell >> 16) << 32) | (cell & 0xffffu);
    }

    template <class Store>
    void add_rows(const Store& rows, int plane, std::int64_t begin, std::int64_t end, const HistogramShape& shape) {
        using Code = typename Store::Code;
        if (shape.all) {
            switch (rows.padded_features() / 4) {  // few features: the compiler knows how many and unrolls
                case 1: return add_words<1>(rows, plane, begin, end, shape);
                case 2: return add_words<2>(rows, plane, begin, end, shape);
                case 3: return add_words<3>(rows, plane, begin, end, shape);
                case 4: return add_words<4>(rows, plane, begin, end, shape);
                case 5: return add_words<5>(rows, plane, begin, end, shape);
                case 6: return add_words<6>(rows, plane, begin, end, shape);
                case 7: return add_words<7>(rows, plane, begin, end, shape);
                case 8: return add_words<8>(rows, plane, begin, end, shape);
                default: return add_words<0>(rows, plane, begin, end, shape);
            }
        }
        std::uint32_t* const cells = narrow_cells_.data();
        const int n = shape.size();
        for (std::int64_t i = begin; i < end; ++i) {
            const std::uint64_t* row = rows.row(plane, i);
            const auto* codes = reinterpret_cast<const Code*>(row);
            const std::uint32_t increment = rows.tag(row).increment;
            for (int p = 0; p < n; ++p)
                cells[shape.block_offset[p / 8] + codes[shape.features[p]] * 8 + p % 8] += increment;
        }
    }

    // All features: four codes in one load, two such groups per block. Rows are padded with code 0 past the last
    // feature, so the padding counts into bin 0 of a lane that nobody reads.
    template <int fixed_groups, class Store>
    void add_words(const Store& rows, int plane, std::int64_t begin, std::int64_t end, const HistogramShape& shape) {
        using Code = typename Store::Code;
        using Word = std::conditional_t<sizeof(Code) == 1, std::uint32_t, std::uint64_t>;
        constexpr int bits = 8 * sizeof(Code);
        constexpr Word mask = (Word{1} << bits) - 1;
        const int groups = fixed_groups ? fixed_groups : rows.padded_features() / 4;
        group_cells_.resize(groups);
        for (int g = 0; g < groups; ++g)
            group_cells_[g] = narrow_cells_.data() + shape.block_offset[g / 2] + (g & 1) * 4;
        std::uint32_t* const* const group = group_cells_.data();
        const auto* row = reinterpret_cast<const unsigned char*>(rows.row(plane, begin));
        const std::size_t stride = rows.words() * 8, tag_offset = rows.tag_offset();
        for (std::int64_t i = begin; i < end; ++i, row += stride) {
            std::uint32_t increment;
            std::memcpy(&increment, row + tag_offset, sizeof increment);
            for (int g = 0; g < groups; ++g) {
                Word word;
                std::memcpy(&word, row + g * sizeof(Word), sizeof(Word));
                std::uint32_t* const h = group[g];
                h[(word & mask) * 8] += increment;
                h[((word >> bits) & mask) * 8 + 1] += increment;
                h[((word >> (2 * bits)) & mask) * 8 + 2] += increment;
                h[(word >> (3 * bits)) * 8 + 3] += increment;
            }
        }
    }

    bool narrow_ = true;
    std::vector<std::uint32_t> narrow_cells_;
    std::vector<std::uint64_t> broad_cells_;
    std::vector<std::uint32_t*> group_cells_;
};

// Any number of classes; cell = the k masses and, where a row may weigh something else than one, the number of rows.
template <class CellT, class TagT>
class ClassHistogram {
public:
    using Tag = TagT;
    static constexpr bool packed = false;

    explicit ClassHistogram(int n_classes) : n_classes_(n_classes), stride_(n_classes + !Tag::counts) {}
    int n_classes() const { return n_classes_; }

    template <class Store>
    void build(const Store& rows, const Segment& segment, const HistogramShape& shape, std::int64_t, std::int64_t) {
        using Code = typename Store::Code;
        cells_.assign(shape.column_offset.back() * stride_, 0);
        const int n = shape.size(), stride = stride_, rows_at = n_classes_;
        CellT* const cells = cells_.data();
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            const std::uint64_t* row = rows.row(segment.plane, i);
            const auto* codes = reinterpret_cast<const Code*>(row);
            const Tag tag = rows.tag(row);
            const int label = tag.label();
            const auto weight = static_cast<CellT>(tag.weight());
            for (int p = 0; p < n; ++p) {
                CellT* cell = cells + (shape.column_offset[p] + codes[shape.features[p]]) * stride;
                cell[label] += weight;
                if constexpr (!Tag::counts) cell[rows_at] += static_cast<CellT>(tag.count());
            }
        }
    }

    static bool pays_to_subtract(std::int64_t, const HistogramShape&) { return true; }
    void take(HistogramWords& words) const { take_cells(cells_, words); }
    void put(const HistogramWords& words) { put_cells(words, cells_); }
    void add(const ClassHistogram& other) { add_cells(cells_, other.cells_); }
    void subtract(const ClassHistogram& child, std::int64_t) {
        for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] -= child.cells_[i];
    }

    double read(const HistogramShape& shape, int position, int code, double* mass) const {
        const CellT* cell = cells_.data() + (shape.column_offset[position] + code) * stride_;
        double total = 0.0;
        for (int k = 0; k < n_classes_; ++k) {
            mass[k] = static_cast<double>(cell[k]);
            total += mass[k];
        }
        if constexpr (Tag::counts) return total;
        else return static_cast<double>(cell[n_classes_]);
    }

    double add_to(const HistogramShape& shape, int position, int code, double* mass) const {
        const CellT* cell = cells_.data() + (shape.column_offset[position] + code) * stride_;
        CellT total = 0;
        for (int k = 0; k < n_classes_; ++k) {
            mass[k] += static_cast<double>(cell[k]);
            total += cell[k];
        }
        return static_cast<double>(Tag::counts ? total : cell[n_classes_]);
    }

    bool empty(const HistogramShape& shape, int position, int code) const {
        const CellT* cell = cells_.data() + (shape.column_offset[position] + code) * stride_;
        if constexpr (!Tag::counts) return cell[n_classes_] == 0;
        CellT any = 0;
        for (int k = 0; k < n_classes_; ++k) any |= cell[k];
        return any == 0;
    }

    double sum(const HistogramShape& shape, int position, int first, int last, double* mass) const {
        std::fill(mass, mass + n_classes_, 0.0);
        const CellT* cell = cells_.data() + (shape.column_offset[position] + first) * stride_;
        double count = 0.0;
        for (int code = first; code <= last; ++code, cell += stride_) {
            for (int k = 0; k < n_classes_; ++k) mass[k] += static_cast<double>(cell[k]);
            if constexpr (!Tag::counts) count += static_cast<double>(cell[n_classes_]);
        }
        if constexpr (Tag::counts) count = std::accumulate(mass, mass + n_classes_, 0.0);
        return count;
    }

private:
    int n_classes_, stride_;
    std::vector<CellT> cells_;
};

// Gradients and hessians; the number of rows shares a word with the hessian.
class GradientHistogram {
public:
    struct Tag {
        static constexpr bool counts = false;  // the sums of a code are not its number of rows
    };
    static constexpr bool packed = false;

    explicit GradientHistogram(int /* n_sums */ = 2) {}

    template <class Rows>
    void build(const Rows& rows, const Segment& segment, const HistogramShape& shape, std::int64_t, std::int64_t) {
        count_bits_ = rows.units().count_bits;
        cells_.assign(shape.group_offset.back(), Pair{});
        if (shape.all) add_words(rows, segment, shape);
        else add_rows(rows, segment, shape);
    }

    // Few rows leave most cells empty: counting them is quicker than subtracting all cells.
    static bool pays_to_subtract(std::int64_t n_rows, const HistogramShape& shape) {
        return n_rows * shape.size() > shape.group_offset.back();
    }

    void take(HistogramWords& words) const { take_cells(cells_, words); }
    void put(const HistogramWords& words) { put_cells(words, cells_); }
    void add(const GradientHistogram& other) { add_cells(cells_, other.cells_); }
    void subtract(const GradientHistogram& child, std::int64_t) {
        for (std::size_t i = 0; i < cells_.size(); ++i) cells_[i] -= child.cells_[i];
    }

    double read(const HistogramShape& shape, int position, int code, double* sums) const {
        return unpack(cells_[index(shape, position, code)], sums);
    }
    double add_to(const HistogramShape& shape, int position, int code, double* sums) const {
        double of_code[2];
        const double rows = read(shape, position, code, of_code);
        sums[0] += of_code[0];
        sums[1] += of_code[1];
        return rows;
    }
    bool empty(const HistogramShape& shape, int position, int code) const {
        return cells_[index(shape, position, code)][1] == 0;
    }
    double sum(const HistogramShape& shape, int position, int first, int last, double* sums) const {
        Pair total{};
        for (int code = first; code <= last; ++code) total += cells_[index(shape, position, code)];
        return unpack(total, sums);
    }

    // Words of a feature: gradient, then hessian and count. Those of the next code are `column_stride` further on.
    static constexpr int column_stride = 8;
    const std::int64_t* column(const HistogramShape& shape, int position) const {
        return reinterpret_cast<const std::int64_t*>(cells_.data() + index(shape, position, 0));
    }

private:
    typedef std::int64_t Pair __attribute__((vector_size(16)));  // both words in one addition

    double unpack(const Pair& cell, double* sums) const {
        sums[0] = static_cast<double>(cell[0]);
        sums[1] = static_cast<double>(cell[1] >> count_bits_);
        return static_cast<double>(cell[1] & ((std::int64_t{1} << count_bits_) - 1));
    }

    static std::int64_t index(const HistogramShape& shape, int position, int code) {
        return shape.group_offset[position / 4] + code * 4 + position % 4;
    }

    template <class Rows>
    void add_rows(const Rows& rows, const Segment& segment, const HistogramShape& shape) {
        const int q = shape.size();
        first_cell_.resize(q);
        for (int p = 0; p < q; ++p) first_cell_[p] = cells_.data() + index(shape, p, 0);
        const int* const features = shape.features.data();
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            if (i + ahead < segment.end) rows.prefetch(i + ahead);
            const auto* codes = rows.codes(i);
            const Pair pair = pair_of(rows, i);
            for (int p = 0; p < q; ++p) first_cell_[p][codes[features[p]] * 4] += pair;
        }
    }

    // All features: four codes in one load, whose cells have one base address. Then what is left over.
    template <class Rows>
    void add_words(const Rows& rows, const Segment& segment, const HistogramShape& shape) {
        using Code = typename Rows::Code;
        using Word = std::conditional_t<sizeof(Code) == 1, std::uint32_t, std::uint64_t>;
        constexpr int bits = 8 * sizeof(Code);
        constexpr Word mask = (Word{1} << bits) - 1;
        const int q = shape.size(), groups = q / 4;
        const std::int64_t* const offset = shape.group_offset.data();
        Pair* const cells = cells_.data();
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            if (i + ahead < segment.end) rows.prefetch(i + ahead);
            const auto* codes = rows.codes(i);
            const Pair pair = pair_of(rows, i);
            for (int g = 0; g < groups; ++g) {
                Word word;
                std::memcpy(&word, codes + g * 4, sizeof(Word));
                Pair* const h = cells + offset[g];
                h[(word & mask) * 4] += pair;
                h[((word >> bits) & mask) * 4 + 1] += pair;
                h[((word >> (2 * bits)) & mask) * 4 + 2] += pair;
                h[(word >> (3 * bits)) * 4 + 3] += pair;
            }
            for (int p = groups * 4; p < q; ++p) cells[offset[groups] + codes[p] * 4 + p % 4] += pair;
        }
    }

    template <class Rows>
    static Pair pair_of(const Rows& rows, std::int64_t i) {
        Pair pair;
        std::memcpy(&pair, rows.pair(i), sizeof pair);
        return pair;
    }

    static constexpr std::int64_t ahead = 16;  // rows that are fetched in advance
    int count_bits_ = 1;
    std::vector<Pair> cells_;
    std::vector<Pair*> first_cell_;
};

using CountHistogram = ClassHistogram<std::uint32_t, ClassTag>;
using MassHistogram = ClassHistogram<std::int64_t, MassTag>;

}  // namespace rankforest
