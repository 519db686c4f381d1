// Histogram of two classes with integer counts, both packed in one word per code.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "histogram.hpp"
#include "rows.hpp"
#include "scan.hpp"

namespace rankforest {

// Nodes of total weight below 2^16 have "narrow" cells (16 bits per class in a 32-bit word), others have "broad" cells
// (32 bits per class in a 64-bit word). Narrow words halve the memory traffic.
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
        // 16-bit counters overflow after 65535: count runs of rows that cannot overflow, and add each run to the broad
        // cells.
        broad_cells_.assign(cells, 0);
        const std::int64_t run = std::max<std::int64_t>(1, 65535 / max_weight);
        for (std::int64_t begin = segment.begin; begin < segment.end; begin += run) {
            clear(narrow_cells_, cells);
            add_rows(rows, segment.plane, begin, std::min(begin + run, segment.end), shape);
            for (std::int64_t i = 0; i < cells; ++i) broad_cells_[i] += widen(narrow_cells_[i]);
        }
    }

    // Whether parent - sibling is cheaper than building the histogram of the larger child from its rows.
    static bool pays_to_subtract(std::int64_t, const HistogramShape&) { return true; }

    // Number of words of a histogram, and the histogram whose words were added up elsewhere.
    static std::size_t n_words(const HistogramShape& shape, int /* n_classes */, std::int64_t total_weight) {
        const auto cells = static_cast<std::size_t>(shape.block_offset.back());
        return total_weight < 65536 ? (cells + 1) / 2 : cells;
    }
    void put(const HistogramWords& words, const HistogramShape& shape, std::int64_t total_weight) {
        narrow_ = total_weight < 65536;
        if (narrow_) narrow_cells_.resize(shape.block_offset.back());
        else broad_cells_.resize(shape.block_offset.back());
        put(words);
    }

    void take(HistogramWords& words) const {
        if (narrow_) take_cells(narrow_cells_, words);
        else take_cells(broad_cells_, words);
    }
    void put(const HistogramWords& words) {
        if (narrow_) put_cells(words, narrow_cells_);
        else put_cells(words, broad_cells_);
    }

    // Adds the histogram of other rows of the same node.
    void add(const PackedHistogram& other) {
        if (narrow_) add_cells(narrow_cells_, other.narrow_cells_);
        else add_cells(broad_cells_, other.broad_cells_);
    }

    // Turns the histogram of the parent into that of the sibling of `child`.
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

    // Reads the class masses of one code of the feature at a position; returns the number of rows.
    double read(const HistogramShape& shape, int position, int code, double* mass) const {
        const auto i = shape.block_offset[position / 8] + code * 8 + position % 8;
        const std::uint64_t cell = narrow_ ? widen(narrow_cells_[i]) : broad_cells_[i];
        mass[0] = static_cast<double>(cell & 0xffffffffu);
        mass[1] = static_cast<double>(cell >> 32);
        return mass[0] + mass[1];
    }

    // Like read(), but adds to `mass`.
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

    // Like read(), for the sum over the codes first .. last.
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
        if (shape.all)
            unrolled(rows.padded_features() / 4,
                     [&]<int groups>() { add_words<groups>(rows, plane, begin, end, shape); });
        else unrolled(shape.size(), [&]<int features>() { add_some<features>(rows, plane, begin, end, shape); });
    }

    // Calls add.operator()<n>(): a fixed number lets the compiler unroll the loop. 0 stands for more than eight.
    template <class Add>
    static void unrolled(int n, const Add& add) {
        switch (n) {
            case 1: return add.template operator()<1>();
            case 2: return add.template operator()<2>();
            case 3: return add.template operator()<3>();
            case 4: return add.template operator()<4>();
            case 5: return add.template operator()<5>();
            case 6: return add.template operator()<6>();
            case 7: return add.template operator()<7>();
            case 8: return add.template operator()<8>();
            default: return add.template operator()<0>();
        }
    }

    // For histograms of some features.
    template <int fixed_features, class Store>
    void add_some(const Store& rows, int plane, std::int64_t begin, std::int64_t end, const HistogramShape& shape) {
        using Code = typename Store::Code;
        const int n = fixed_features ? fixed_features : shape.size();
        some_.resize(n);
        for (int p = 0; p < n; ++p)
            some_[p] = {narrow_cells_.data() + shape.block_offset[p / 8] + p % 8, shape.features[p]};
        const SomeCells* const some = some_.data();
        for (std::int64_t i = begin; i < end; ++i) {
            const std::uint64_t* row = rows.row(plane, i);
            const auto* codes = reinterpret_cast<const Code*>(row);
            const std::uint32_t increment = rows.tag(row).increment;
            for (int p = 0; p < n; ++p) some[p].cells[codes[some[p].feature] * 8] += increment;
        }
    }

    // For histograms of all features: loads four codes at once, two such groups per block. Rows are padded with code 0
    // after the last feature; the padding is counted in lanes that are never read.
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
    struct SomeCells {
        std::uint32_t* cells;  // of a feature
        int feature;
    };
    std::vector<SomeCells> some_;
};

}  // namespace rankforest
