// Finds the thresholds and categories that trees use, and codes rows by them.
#include "row_planes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rankforest {
namespace {

constexpr std::int32_t page_codes = 128;

// No value is above a NaN, as none is above infinity.
double cut_of(double threshold) { return std::isnan(threshold) ? std::numeric_limits<double>::infinity() : threshold; }

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
    for (auto& [feature, numeric] : numeric_) {
        auto& cuts = numeric.cuts;
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        numeric.search.emplace_back(cuts.data(), static_cast<std::int64_t>(cuts.size()));
        numeric.parts.resize((cuts.size() + part_cuts - 1) / part_cuts, {none, none});
    }
    for (const auto& dag : dags)
        for (std::int32_t i = 0; i < dag->n_inner(); ++i) {
            const auto& node = dag->nodes()[i];
            if (dag->tests_set(i)) continue;
            auto& numeric = numeric_[node.feature];
            auto& plane = numeric.parts[part_of(numeric, node.threshold).first][node.missing_right];
            if (plane == none) plane = n_planes_++;
        }
}

// A value is above cut k if its code, 1 + the number of cuts below it, is greater than k + 1.
std::pair<std::int64_t, std::uint8_t> RowPlanes::part_of(const Numeric& numeric, double threshold) const {
    const auto& cuts = numeric.cuts;
    const std::int64_t k = std::lower_bound(cuts.begin(), cuts.end(), cut_of(threshold)) - cuts.begin();
    return {k / part_cuts, static_cast<std::uint8_t>(k % part_cuts + 1)};
}

RowPlanes::Cut RowPlanes::cut(const Dag::Node& node) const {
    const Numeric& numeric = numeric_.at(node.feature);
    const auto [part, code] = part_of(numeric, node.threshold);
    return {numeric.parts[part][node.missing_right], code};
}

void RowPlanes::code(const double* X, std::int64_t n, std::int64_t n_features, int group_rows,
                     std::uint8_t* planes) const {
    std::int32_t codes[large_group];
    for (const auto& [feature, numeric] : numeric_) {
        for (std::int64_t begin = 0; begin < n; begin += CutSearch::lockstep) {
            const std::int64_t m = std::min<std::int64_t>(CutSearch::lockstep, n - begin);
            double values[CutSearch::lockstep] = {};
            for (std::int64_t i = 0; i < m; ++i) values[i] = X[(begin + i) * n_features + feature];
            numeric.search[0](values, codes + begin);
        }
        code_numbers(numeric, codes, n, group_rows, planes);
    }
    for (const auto& [key, pages] : categorical_)
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t code = code_of(X[i * n_features + key.first], key.second);
            planes[pages.bit * group_rows + i] = static_cast<std::uint8_t>(1 << (code & 7));
            for (std::uint32_t p = 0; p < pages.n_pages; ++p)
                planes[(pages.first + p) * group_rows + i] =
                    static_cast<std::uint8_t>(code / page_codes == p ? code % page_codes / 8 : 128);
        }
}

void RowPlanes::code_numbers(const Numeric& numeric, const std::int32_t* codes, std::int64_t n, int group_rows,
                             std::uint8_t* planes) const {
    std::int32_t before = 0;  // cuts of the parts before
    for (const auto& part : numeric.parts) {
        for (const int missing_right : {0, 1}) {
            if (part[missing_right] == none) continue;
            std::uint8_t* const plane = planes + std::size_t{part[missing_right]} * group_rows;
            const std::int32_t missing = missing_right ? 255 : 0;
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int32_t own = std::clamp(codes[i] - before, 1, 255);
                plane[i] = static_cast<std::uint8_t>(codes[i] == 0 ? missing : own);
            }
        }
        before += static_cast<std::int32_t>(part_cuts);
    }
}

}  // namespace rankforest
