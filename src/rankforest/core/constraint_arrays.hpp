// Checks of the constraints that Python gives.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "binding_tools.hpp"
#include "table.hpp"

namespace rankforest {

inline void require_constraints(const Constraints& constraints, const BinnedTable& table) {
    const auto n = static_cast<std::size_t>(table.n_features);
    const auto& [monotonic, order, groups, most_together] = constraints;
    require(monotonic.empty() || monotonic.size() == n, "one direction per feature is needed");
    require(order.empty() || order.size() == n, "one order per feature is needed");
    for (std::size_t j = 0; j < monotonic.size(); ++j)
        require(monotonic[j] == 0 || !table.categorical[j] || constraints.is_ordered(static_cast<int>(j)),
                "a categorical feature with a direction needs an order of its categories");
    for (std::size_t j = 0; j < order.size(); ++j) {
        std::vector<std::int32_t> codes = order[j];
        if (codes.empty()) continue;
        std::sort(codes.begin(), codes.end());
        require(table.categorical[j] && codes.size() == static_cast<std::size_t>(table.n_bins[j]),
                "an order must have all categories");
        for (std::size_t i = 0; i < codes.size(); ++i)
            require(codes[i] == static_cast<std::int32_t>(i) + 1, "an order must have each category once");
    }
    require(most_together >= 0, "paths have at least one feature");
    for (const auto& group : groups)
        for (const auto feature : group)
            require(feature >= 0 && feature < table.n_features, "a group has an unknown feature");
}

}  // namespace rankforest
