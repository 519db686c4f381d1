// Histograms: sums over the rows of a node, for each feature and code. There are three kinds with the same interface.
// packed_histogram.hpp counts two classes in one word and has a layout for the vector scan. class_histogram.hpp holds
// counts or weights of any number of classes. gradient_histogram.hpp holds gradients and hessians.
//
// A histogram is a list of 64-bit words. The histogram of rows in several places is the sum of these words. No field of
// a word overflows into the next, because field widths are chosen by the totals of all rows.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "table.hpp"

namespace rankforest {

// Features and memory layout of a histogram. Positions are grouped in blocks of eight; the cells of one bin of a block
// are adjacent in memory. One spare bin per block or group keeps their distance from being a power of two, because
// equal codes would then fall into the same cache set.
struct HistogramShape {
    std::vector<int> features;
    std::vector<int> n_bins;                 // per position
    std::vector<std::int64_t> block_offset;  // in cells; the last entry is the total
    std::vector<int> block_bins;
    std::vector<std::int64_t> column_offset;  // in codes, for the column layout; the last entry is the total
    std::vector<std::int64_t> group_offset;   // the same for groups of four positions; cells [code][4]
    bool all = false;                         // all features are used, so rows can be read in words

    void set(const BinnedTable& table, const std::vector<int>& chosen) {
        features = chosen;
        all = static_cast<int>(chosen.size()) == table.n_features;
        n_bins.clear();
        column_offset.assign(1, 0);
        for (const int f : chosen) {
            n_bins.push_back(table.n_bins[f]);
            column_offset.push_back(column_offset.back() + table.n_bins[f] + 1);
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

// Copies the cells of a histogram to words, and back.
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

}  // namespace rankforest
