// From values to bins: cut points of one column, and the codes of many.
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
    std::vector<double> cuts;   // increasing; bin c holds cuts[c-2] < x <= cuts[c-1]
    std::vector<double> means;  // mean of the sampled values in each bin
    // Of each cut, how many decimal digits tell its two neighbours in the column apart, all rows counted: rounded to d
    // digits or more, the cut still lies between them. 17 where no shorter decimal does.
    std::vector<std::uint8_t> digits;
};

// At most max_bins bins. Each distinct value has its own bin when there are no more than that; otherwise bins hold
// about equally many rows, and values too frequent for one keep a bin to themselves. Reads at most max_sample rows,
// evenly spread by a seeded draw.
Bins find_bins(const Column& column, std::int64_t n_rows, int max_bins, std::int64_t max_sample, std::uint64_t seed);

// Binary searches among the cuts of one column, of sixteen values side by side: the steps of one hide the latency of
// the others.
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
