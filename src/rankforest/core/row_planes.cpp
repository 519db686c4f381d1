// Finds the thresholds and categories that trees use, and codes rows by them.
#include "row_planes.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace rankforest {
namespace {

constexpr std::int32_t page_codes = 128;
constexpr int page_bytes = page_codes / 8;

// A set that so many nodes test is evaluated once for all of them. Few categories have few sets: of 500 trees most
// nodes that test three categories share their sets with others. The planes of a group must leave room in the first
// cache.
constexpr int least_shared = 4;
constexpr std::size_t most_shared = 128;

// No value is above a NaN, as none is above infinity.
double cut_of(double threshold) { return std::isnan(threshold) ? std::numeric_limits<double>::infinity() : threshold; }

CutSegments segments_of(const double* cuts, const double* end) {
    CutSegments segments;
    std::fill(std::begin(segments.cuts), std::end(segments.cuts), std::numeric_limits<double>::infinity());
    std::copy(cuts, end, segments.cuts);
    for (int k = 0; k < CutSegments::size; ++k)
        segments.last[k] = segments.cuts[CutSegments::size * k + CutSegments::size - 1];
    return segments;
}

}  // namespace

RowPlanes::RowPlanes(const std::vector<std::shared_ptr<Dag>>& dags) {
    for (const auto& dag : dags)
        for (std::int32_t i = 0; i < dag->n_inner(); ++i) {
            const auto& node = dag->nodes()[i];
            if (dag->tests_set(i)) categorical_[{node.feature, dag->n_codes(i)}];
            else numeric_[node.feature].cuts.push_back(cut_of(node.threshold));
        }
    for (auto& [key, pages] : categorical_) {
        const auto n_pages = static_cast<std::uint32_t>((key.second + page_codes - 1) / page_codes);
        pages = {n_planes_, n_planes_ + 1, n_pages};
        n_planes_ += 1 + n_pages;
    }
    share_sets(dags);
    for (auto& [feature, numeric] : numeric_) {
        auto& cuts = numeric.cuts;
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        for (std::size_t begin = 0; begin < cuts.size(); begin += CutSegments::most_cuts) {
            const std::size_t end = std::min(begin + CutSegments::most_cuts, cuts.size());
            numeric.parts.push_back({{0, 0}, segments_of(cuts.data() + begin, cuts.data() + end)});
        }
    }
    for (const auto& dag : dags)
        for (std::int32_t i = 0; i < dag->n_inner(); ++i) {
            const auto& node = dag->nodes()[i];
            if (dag->tests_set(i)) continue;
            auto& numeric = numeric_[node.feature];
            auto& plane = numeric.parts[part_of(numeric, node.threshold).first].planes[node.missing_right];
            if (plane == 0) plane = n_planes_++;
        }
}

RowPlanes::Set RowPlanes::set_of(const Dag& dag, std::int32_t node) {
    const std::int32_t n_codes = dag.n_codes(node);
    Set set{dag.nodes()[node].feature, n_codes, std::string((n_codes + page_codes - 1) / page_codes * page_bytes, 0)};
    for (std::int32_t code = 0; code < n_codes; ++code)
        if (dag.code_goes_right(node, code)) set.members[code / 8] |= static_cast<char>(1 << (code & 7));
    return set;
}

std::uint32_t RowPlanes::add_tests(const Set& set, std::uint32_t to, std::vector<SetTest>& tests,
                                   std::vector<std::uint8_t>& tables) const {
    const Pages pages = categorical_.at({set.feature, set.n_codes});
    const std::size_t first = tests.size();
    for (std::uint32_t p = 0; p < pages.n_pages; ++p) {
        const auto table = set.members.begin() + p * page_bytes;
        const bool any = std::any_of(table, table + page_bytes, [](char byte) { return byte != 0; });
        if (!any && (p + 1 < pages.n_pages || tests.size() > first)) continue;  // but a test has at least one page
        tests.push_back({pages.bit, pages.first + p, static_cast<std::uint32_t>(tables.size()),
                         static_cast<std::uint16_t>(to), true});
        tables.insert(tables.end(), table, table + page_bytes);
    }
    tests.back().more = false;
    return static_cast<std::uint32_t>(tests.size() - first);
}

void RowPlanes::share_sets(const std::vector<std::shared_ptr<Dag>>& dags) {
    if (n_planes_ + most_shared > std::numeric_limits<std::uint16_t>::max()) return;
    std::unordered_map<Set, int, Hash> uses;
    std::vector<std::pair<const Set*, int>> often;  // in the order of the trees, whatever the order of the hashes
    for (const auto& dag : dags)
        for (std::int32_t i = 0; i < dag->n_inner(); ++i)
            if (dag->tests_set(i)) {
                const auto place = uses.try_emplace(set_of(*dag, i), 0).first;
                if (++place->second == least_shared) often.push_back({&place->first, 0});
            }
    for (auto& [set, n] : often) n = uses.at(*set);
    std::stable_sort(often.begin(), often.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    often.resize(std::min(often.size(), most_shared));
    for (const auto& [set, n] : often) {
        add_tests(*set, n_planes_, tests_, tables_);
        shared_.emplace(*set, n_planes_++);
    }
}

// A value is above cut k if its code, 1 + the number of cuts below it, is greater than k + 1.
std::pair<std::int64_t, std::uint8_t> RowPlanes::part_of(const Numeric& numeric, double threshold) {
    const auto& cuts = numeric.cuts;
    const std::int64_t k = std::lower_bound(cuts.begin(), cuts.end(), cut_of(threshold)) - cuts.begin();
    return {k / CutSegments::most_cuts, static_cast<std::uint8_t>(k % CutSegments::most_cuts + 1)};
}

RowPlanes::Cut RowPlanes::cut(const Dag::Node& node) const {
    const Numeric& numeric = numeric_.at(node.feature);
    const auto [part, code] = part_of(numeric, node.threshold);
    return {numeric.parts[part].planes[node.missing_right], code};
}

void RowPlanes::code(const PlaneKernel& kernel, const double* X, std::int64_t n, std::int64_t n_features,
                     int group_rows, std::uint8_t* planes) const {
    double values[most_group] = {};
    std::uint8_t codes[most_group];
    for (const auto& [feature, numeric] : numeric_) {
        for (std::int64_t i = 0; i < n; ++i) values[i] = X[i * n_features + feature];
        for (const Part& part : numeric.parts) {
            kernel.find(part.segments, values, group_rows, codes);
            if (part.planes[0] > 0) std::copy(codes, codes + group_rows, planes + part.planes[0] * group_rows);
            if (part.planes[1] == 0) continue;
            std::uint8_t* const plane = planes + part.planes[1] * group_rows;
            for (int i = 0; i < group_rows; ++i) plane[i] = codes[i] == 0 ? 255 : codes[i];
        }
    }
    for (const auto& [key, pages] : categorical_)
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t code = code_of(X[i * n_features + key.first], key.second);
            planes[pages.bit * group_rows + i] = static_cast<std::uint8_t>(1 << (code & 7));
            for (std::uint32_t p = 0; p < pages.n_pages; ++p)
                planes[(pages.first + p) * group_rows + i] =
                    static_cast<std::uint8_t>(code / page_codes == p ? code % page_codes / 8 : 128);
        }
    kernel.test(tests_.data(), tests_.data() + tests_.size(), tables_.data(), group_rows, planes);
}

}  // namespace rankforest
