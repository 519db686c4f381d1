// Finds the cut points of columns and codes their values.
#include "binning.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <utility>

#include "random.hpp"
#include "vector.hpp"

namespace rankforest {
namespace {

// Doubles as integers in the same order: flip all bits of negatives, the sign bit of the others.
std::uint64_t sortable(double x) {
    const auto bits = std::bit_cast<std::uint64_t>(x + 0.0);  // -0.0 becomes 0.0
    return bits ^ ((bits >> 63) ? ~std::uint64_t{0} : std::uint64_t{1} << 63);
}
double from_sortable(std::uint64_t key) {
    return std::bit_cast<double>(key ^ ((key >> 63) ? std::uint64_t{1} << 63 : ~std::uint64_t{0}));
}

// Least-significant-digit radix sort in 11-bit digits; a digit that is equal in all keys needs no pass.
void radix_sort(std::vector<std::uint64_t>& keys) {
    constexpr int bits = 11, passes = 6;
    if (keys.size() < 2048) return std::sort(keys.begin(), keys.end());
    std::vector<std::array<std::uint32_t, 1 << bits>> counts(passes);
    for (auto& c : counts) c.fill(0);
    for (const auto key : keys)
        for (int p = 0; p < passes; ++p) ++counts[p][(key >> (p * bits)) & ((1 << bits) - 1)];
    std::vector<std::uint64_t> other(keys.size());
    for (int p = 0; p < passes; ++p) {
        auto& count = counts[p];
        if (count[(keys[0] >> (p * bits)) & ((1 << bits) - 1)] == keys.size()) continue;
        std::uint32_t sum = 0;
        for (auto& c : count) sum += std::exchange(c, sum);
        for (const auto key : keys) other[count[(key >> (p * bits)) & ((1 << bits) - 1)]++] = key;
        keys.swap(other);
    }
}

// A point between two neighbouring values with a <= point < b, whatever the rounding.
double between(double a, double b) {
    const double middle = a / 2 + b / 2;
    return middle < b && middle >= a ? middle : a;
}

constexpr int all_digits = 17;  // enough digits to identify every double

std::uint8_t digits_between(double low, double cut, double high) {
    const double room = std::min(cut - low, high - cut);
    double unit =
        cut == 0.0 ? 0.0 : std::pow(10.0, std::floor(std::log10(std::abs(cut))));  // approximate unit of the last digit
    int least = 1;
    for (int digits = 1; digits < all_digits; ++digits, unit /= 10.0) {
        char text[32];
        std::snprintf(text, sizeof text, "%.*e", digits - 1, cut);
        const double rounded = std::strtod(text, nullptr);
        if (!(low < rounded && rounded < high)) least = digits + 1;
        else if (unit < room) break;  // all longer ones fit as well
    }
    return static_cast<std::uint8_t>(least);
}

// Ends of the bins (as indices of the last distinct value in each). A value with at least the average count of a bin is
// heavy: two heavy values never share a bin, and a heavy value shares its bin with light values only if these lie
// between heavy ones and there are too few bins. The light values share the remaining bins about equally.
std::vector<std::size_t> bin_ends(const std::vector<std::uint32_t>& counts, int max_bins) {
    std::vector<std::size_t> ends;
    if (counts.size() <= static_cast<std::size_t>(max_bins)) {
        for (std::size_t i = 0; i < counts.size(); ++i) ends.push_back(i);
        return ends;
    }
    const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    const double mean_size = static_cast<double>(total) / max_bins;
    std::int64_t light = 0;  // rows of the values that are not heavy and not yet in a bin
    int heavy_left = 0;
    for (const auto count : counts) {
        if (count >= mean_size) ++heavy_left;
        else light += count;
    }
    int light_bins = max_bins - heavy_left;
    std::int64_t in_bin = 0;
    int bins_left = max_bins;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const bool is_heavy = counts[i] >= mean_size;
        in_bin += counts[i];
        if (is_heavy) --heavy_left;
        else light -= counts[i];
        const bool last = i + 1 == counts.size();
        const bool next_heavy = !last && counts[i + 1] >= mean_size;
        const double wanted = light_bins > 0 ? static_cast<double>(light + (is_heavy ? 0 : in_bin)) / light_bins : 0.0;
        const bool full =
            is_heavy || next_heavy || (light_bins > 0 && in_bin + 0.5 * (last ? 0 : counts[i + 1]) >= wanted);
        if (!last && full && bins_left - 1 >= std::max(1, heavy_left)) {
            ends.push_back(i);
            --bins_left;
            if (!is_heavy) light_bins = std::max(0, light_bins - 1);
            in_bin = 0;
        }
    }
    ends.push_back(counts.size() - 1);
    return ends;
}

// Calls visit(row) for one row out of each of max_sample equal stretches of the table, or for every row of a shorter
// one.
template <class Visit>
void visit_sample(std::int64_t n_rows, std::int64_t max_sample, std::uint64_t seed, Visit&& visit) {
    const bool all = n_rows <= max_sample;
    const std::int64_t n = all ? n_rows : max_sample;
    Stream stream(mix(seed));
    for (std::int64_t i = 0; i < n; ++i) {
        std::int64_t row = i;
        if (!all) {
            const std::int64_t begin = i * n_rows / n, end = (i + 1) * n_rows / n;
            row = begin + stream.below(static_cast<std::uint32_t>(end - begin));
        }
        visit(row);
    }
}

}  // namespace

std::vector<std::int64_t> sample_rows(std::int64_t n_rows, std::int64_t max_sample, std::uint64_t seed) {
    std::vector<std::int64_t> rows;
    rows.reserve(std::min(n_rows, max_sample));
    visit_sample(n_rows, max_sample, seed, [&](std::int64_t row) { rows.push_back(row); });
    return rows;
}

Neighbours neighbours(const Column& column, std::int64_t n_rows, const double* cuts, std::int64_t n_cuts) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    std::vector<double> least(n_cuts + 2, inf),
        most(n_cuts + 2, -inf);  // of each code; that of missing values is not read
    const CutSearch search(cuts, n_cuts);
    constexpr int lockstep = CutSearch::lockstep;
    for (std::int64_t i = 0; i < n_rows; i += lockstep) {
        const int n = static_cast<int>(std::min<std::int64_t>(lockstep, n_rows - i));
        double values[lockstep] = {};
        std::int32_t codes[lockstep];
        for (int k = 0; k < n; ++k) values[k] = column[i + k];
        search(values, codes);
        for (int k = 0; k < n; ++k) {
            least[codes[k]] = std::min(least[codes[k]], values[k]);
            most[codes[k]] = std::max(most[codes[k]], values[k]);
        }
    }
    return {{most.begin() + 1, most.begin() + 1 + n_cuts}, {least.begin() + 2, least.end()}};
}

std::vector<std::uint8_t> digits_of_cuts(const double* low, const double* cuts, const double* high, std::size_t n) {
    std::vector<std::uint8_t> digits(n);
    for (std::size_t c = 0; c < n; ++c) digits[c] = digits_between(low[c], cuts[c], high[c]);
    return digits;
}

Bins find_bins(const Column& column, std::int64_t n_rows, int max_bins, std::int64_t max_sample, std::uint64_t seed) {
    std::vector<std::uint64_t> keys;
    keys.reserve(std::min(n_rows, max_sample));
    visit_sample(n_rows, max_sample, seed, [&](std::int64_t row) {
        const double x = column[row];
        if (!std::isnan(x)) keys.push_back(sortable(x));
    });
    radix_sort(keys);
    // distinct values, in place, and how often each occurs
    std::vector<std::uint32_t> counts;
    std::size_t n_values = 0;
    for (std::size_t i = 0; i < keys.size();) {
        std::size_t j = i + 1;
        while (j < keys.size() && keys[j] == keys[i]) ++j;
        keys[n_values++] = keys[i];
        counts.push_back(static_cast<std::uint32_t>(j - i));
        i = j;
    }
    Bins bins;
    if (n_values == 0) return bins;
    Neighbours around;
    std::size_t begin = 0;
    for (const std::size_t end : bin_ends(counts, max_bins)) {
        // relative to the first value, so that a large offset does not lose digits
        double offset = 0.0;
        std::int64_t count = 0;
        const double first = from_sortable(keys[begin]);
        for (std::size_t i = begin; i <= end; ++i) {
            offset += (from_sortable(keys[i]) - first) * counts[i];
            count += counts[i];
        }
        // clipped to the bin, in case the sum overflows
        bins.means.push_back(std::min(first + offset / static_cast<double>(count), from_sortable(keys[end])));
        if (end + 1 < n_values) {
            around.low.push_back(from_sortable(keys[end]));
            around.high.push_back(from_sortable(keys[end + 1]));
            bins.cuts.push_back(between(around.low.back(), around.high.back()));
        }
        begin = end + 1;
    }
    if (n_rows > max_sample)
        around = neighbours(column, n_rows, bins.cuts.data(), static_cast<std::int64_t>(bins.cuts.size()));
    bins.digits = digits_of_cuts(around.low.data(), bins.cuts.data(), around.high.data(), bins.cuts.size());
    bins.low = std::move(around.low);
    return bins;
}

namespace {

constexpr int lockstep = CutSearch::lockstep;

RANKFOREST_CLONES void search(const double* values, const double* padded, int levels, std::int32_t* codes) {
    std::int64_t below[lockstep] = {};
    for (std::int64_t step = (std::int64_t{1} << levels) >> 1; step > 0; step >>= 1)
        for (int i = 0; i < lockstep; ++i) below[i] += padded[below[i] + step - 1] < values[i] ? step : 0;
    for (int i = 0; i < lockstep; ++i) codes[i] = values[i] != values[i] ? 0 : static_cast<std::int32_t>(below[i]) + 1;
}

}  // namespace

CutSearch::CutSearch(const double* cuts, std::int64_t n_cuts)
    : levels_(std::bit_width(static_cast<std::uint64_t>(n_cuts))) {
    padded_.assign(std::max<std::size_t>((std::size_t{1} << levels_) - 1, 1), std::numeric_limits<double>::infinity());
    std::copy(cuts, cuts + n_cuts, padded_.begin());
}

void CutSearch::operator()(const double* values, std::int32_t* codes) const {
    search(values, padded_.data(), levels_, codes);
}

template <class Code>
void encode(const std::vector<Column>& columns, std::int64_t n_rows, const std::vector<const double*>& cuts,
            const std::vector<std::int64_t>& n_cuts, Code* codes, std::int64_t n_features, std::int64_t first_feature,
            int n_threads, const SignalCheck& signalled) {
    std::vector<CutSearch> searches;
    for (std::size_t j = 0; j < columns.size(); ++j) searches.emplace_back(cuts[j], n_cuts[j]);
    // A block of rows of all columns stays in the cache while its columns are read one after the other.
    constexpr std::int64_t block = 1024;
    const std::int64_t n_blocks = (n_rows + block - 1) / block;
    StopFlag stop;
    const auto encode_block = [&](std::int64_t b) {
        const std::int64_t begin = b * block, end = std::min(begin + block, n_rows);
        for (std::size_t j = 0; j < columns.size(); ++j) {
            Code* out = codes + first_feature + j;
            for (std::int64_t i = begin; i < end; i += lockstep) {
                const int n = static_cast<int>(std::min<std::int64_t>(lockstep, end - i));
                double values[lockstep] = {};
                std::int32_t found[lockstep];
                for (int k = 0; k < n; ++k) values[k] = columns[j][i + k];
                searches[j](values, found);
                for (int k = 0; k < n; ++k) out[(i + k) * n_features] = static_cast<Code>(found[k]);
            }
        }
    };
    if (n_rows * static_cast<std::int64_t>(columns.size()) < 1'000'000) {
        for (std::int64_t b = 0; b < n_blocks; ++b) encode_block(b);
        return;
    }
    parallel_for(n_blocks, n_threads, stop, signalled, [&](std::int64_t b, int) { encode_block(b); });
}

template void encode(const std::vector<Column>&, std::int64_t, const std::vector<const double*>&,
                     const std::vector<std::int64_t>&, std::uint8_t*, std::int64_t, std::int64_t, int,
                     const SignalCheck&);
template void encode(const std::vector<Column>&, std::int64_t, const std::vector<const double*>&,
                     const std::vector<std::int64_t>&, std::uint16_t*, std::int64_t, std::int64_t, int,
                     const SignalCheck&);

}  // namespace rankforest
