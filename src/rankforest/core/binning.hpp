// Binning: cut points of one column, and the codes of many columns.
#pragma once
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace rankforest {

// A column of doubles somewhere in the caller's memory; NaN is missing.
struct Column {
    const double* data;
    std::int64_t stride;  // in doubles
    double operator[](std::int64_t i) const { return data[i * stride]; }
};

struct Bins {
    std::vector<double> cuts;   // increasing; bin c contains cuts[c-2] < x <= cuts[c-1]
    std::vector<double> means;  // mean of the sampled values in each bin
    // For each cut, the number d of decimal digits that separates its two neighbours among all rows of the column: the
    // cut, rounded to d digits or more, still lies between them. 17 if no shorter decimal does.
    std::vector<std::uint8_t> digits;
    std::vector<double> low;  // for each cut, the greatest value up to it among all rows
};

// At most max_bins bins. If there are at most max_bins distinct values, each has its own bin. Otherwise bins contain
// about equally many rows, and a very frequent value has its own bin. Reads at most max_sample rows, evenly spread by a
// seeded draw.
Bins find_bins(const Column& column, std::int64_t n_rows, int max_bins, std::int64_t max_sample, std::uint64_t seed);

// The rows that find_bins reads, in ascending order.
std::vector<std::int64_t> sample_rows(std::int64_t n_rows, std::int64_t max_sample, std::uint64_t seed);

// Of each cut, the greatest value of the bin below it and the least value of the bin above it; -inf and inf if that bin
// is empty. Those of two parts of a column are merged by max and min.
struct Neighbours {
    std::vector<double> low, high;
};
Neighbours neighbours(const Column& column, std::int64_t n_rows, const double* cuts, std::int64_t n_cuts);

// The digits of `Bins`, given the neighbours of each cut among all rows.
std::vector<std::uint8_t> digits_of_cuts(const double* low, const double* cuts, const double* high, std::size_t n);

// Binary searches among the cuts of one column, for sixteen values in lock-step, which hides the latency of each step.
class CutSearch {
public:
    static constexpr int lockstep = 16;
    CutSearch(const double* cuts, std::int64_t n_cuts);
    // 0 if a value is NaN, else 1 + number of cuts below it.
    void operator()(const double* values, std::int32_t* codes) const;

private:
    std::vector<double> padded_;  // 2^levels - 1 cuts, the real ones followed by infinities
    int levels_;
};

// codes[i * n_features + first_feature + j] = 0 if columns[j][i] is NaN, else 1 + number of cuts below it.
template <class Code>
void encode(const std::vector<Column>& columns, std::int64_t n_rows, const std::vector<const double*>& cuts,
            const std::vector<std::int64_t>& n_cuts, Code* codes, std::int64_t n_features, std::int64_t first_feature,
            int n_threads, const SignalCheck& signalled);

}  // namespace rankforest
