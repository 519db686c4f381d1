// Histogram of any number of classes, with integer counts or fixed-point weights.
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "histogram.hpp"
#include "rows.hpp"

namespace rankforest {

// A cell holds the k class masses and, for weighted rows, the number of rows.
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
    // Number of words of a histogram, and the histogram whose words were added up elsewhere.
    static std::size_t n_words(const HistogramShape& shape, int n_classes, std::int64_t) {
        return (shape.column_offset.back() * (n_classes + !Tag::counts) * sizeof(CellT) + 7) / 8;
    }
    void put(const HistogramWords& words, const HistogramShape& shape, std::int64_t) {
        cells_.resize(shape.column_offset.back() * stride_);
        put(words);
    }

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

using CountHistogram = ClassHistogram<std::uint32_t, ClassTag>;
using MassHistogram = ClassHistogram<std::int64_t, MassTag>;

}  // namespace rankforest
