// Histogram of gradients and hessians, for the trees of boosting.
#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "gradient_criterion.hpp"
#include "histogram.hpp"
#include "joint_columns.hpp"
#include "rows.hpp"

namespace rankforest {

// A cell has two words: the gradient, and the hessian together with the number of rows.
class GradientHistogram {
public:
    struct Tag {
        static constexpr bool counts = false;  // sums are not numbers of rows
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

    // The same histogram of all features, from joint columns.
    template <class Rows>
    void build_joint(const Rows& rows, const Segment& segment, const HistogramShape& shape, const JointColumns& joint) {
        count_bits_ = rows.units().count_bits;
        cells_.assign(shape.group_offset.back(), Pair{});
        const auto& columns = joint.joined();
        joint_cells_.assign((columns.size() + 3) / 4 * JointColumns::most_codes * 4, Pair{});
        first_cell_.clear();
        for (const int feature : joint.single()) first_cell_.push_back(cells_.data() + index(shape, feature, 0));
        for (std::size_t c = 0; c < columns.size(); ++c) first_cell_.push_back(joint_cell(c, 0));
        const int q = joint.width();
        for (std::int64_t i = segment.begin; i < segment.end; ++i) {
            if (i + ahead < segment.end) rows.prefetch_joint(i + ahead);
            const std::uint8_t* codes = rows.joint_codes(i);
            const Pair pair = pair_of(rows, i);
            for (int p = 0; p < q; ++p) first_cell_[p][codes[p] * 4] += pair;
        }
        for (std::size_t c = 0; c < columns.size(); ++c)
            for (const auto& part : columns[c].parts)
                for (int code = 0; code < columns[c].n_codes; ++code)
                    cells_[index(shape, part.feature, part.first_code + code / part.step % part.n_codes)] +=
                        *joint_cell(c, code);
    }

    // With few rows most cells are empty, and building the histogram is faster than subtracting all cells.
    static bool pays_to_subtract(std::int64_t n_rows, const HistogramShape& shape) {
        return n_rows * shape.size() > shape.group_offset.back();
    }

    // The histogram whose words were added up elsewhere.
    void put(const std::uint64_t* words, const HistogramShape& shape, const GradientUnits& units) {
        count_bits_ = units.count_bits;
        cells_.resize(shape.group_offset.back());
        std::memcpy(static_cast<void*>(cells_.data()), words, cells_.size() * sizeof(Pair));
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

    // Cells of a feature: gradient, then hessian and count; [code][4 features].
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

    Pair* joint_cell(std::size_t column, int code) {
        return joint_cells_.data() + (column / 4 * JointColumns::most_codes + code) * 4 + column % 4;
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

    // For histograms of all features: loads four codes at once, whose cells share a base address. Then the remaining
    // features.
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

    static constexpr std::int64_t ahead = 16;  // prefetch distance in rows
    int count_bits_ = 1;
    std::vector<Pair> cells_, joint_cells_;
    std::vector<Pair*> first_cell_;
};

}  // namespace rankforest
