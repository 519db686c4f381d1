// The strongly connected components of the majority graph, in an order that an optimal ranking follows.
//
// Call "k before l" free if no other choice for the pair costs less. If every pair (k in K, l outside K) is free in
// this direction, then some optimal ranking puts all of K first: take any optimal ranking, list the items of K in its
// order and then the others in its order. Pairs on the same side keep their cost, and all other pairs have their least
// cost. The argument only uses that the cost is a sum over pairs, and holds with and without ties. So draw an arc k ->
// l if "l before k" is not free: the components of this graph, in topological order, can be ranked separately.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace rankforest {

// OUT: the component of each item; 0 is ranked first. The gains are those of preferences.hpp; strict: no ties in the
// ranking.
template <class Cell>
std::vector<std::int32_t> majority_components(const Cell* margin, const Cell* tied, std::int64_t n, bool strict) {
    const auto arc = [&](std::int64_t k, std::int64_t l) {
        // the margin of l over k is -margin[k][l]; "l before k" is free if it is at least 0 and at least the gain of a
        // tie
        return margin[k * n + l] > (strict ? Cell{0} : -tied[k * n + l]);
    };
    // Tarjan's algorithm with an explicit stack: components are finished in reverse topological order.
    constexpr std::int32_t none = -1;
    std::vector<std::int32_t> found(n, none), low(n, 0), component(n, none), open, path;
    // From the last item to the first, so that items keep their order if the arcs leave a choice.
    std::vector<std::int64_t> next(n, n - 1);
    std::int32_t n_found = 0, n_components = 0;
    for (auto root = static_cast<std::int32_t>(n - 1); root >= 0; --root) {
        if (found[root] != none) continue;
        path.push_back(root);
        while (!path.empty()) {
            const std::int32_t k = path.back();
            if (found[k] == none) {
                found[k] = low[k] = n_found++;
                open.push_back(k);
            }
            bool deeper = false;
            for (; next[k] >= 0; --next[k]) {
                const auto l = static_cast<std::int32_t>(next[k]);
                if (l == k || !arc(k, l)) continue;
                if (found[l] == none) {
                    path.push_back(l);
                    deeper = true;
                    break;
                }
                if (component[l] == none) low[k] = std::min(low[k], low[l]);
            }
            if (deeper) continue;
            path.pop_back();
            if (low[k] == found[k]) {
                std::int32_t l;
                do {
                    l = open.back();
                    open.pop_back();
                    component[l] = n_components;
                } while (l != k);
                ++n_components;
            }
        }
    }
    for (auto& c : component) c = n_components - 1 - c;
    return component;
}

}  // namespace rankforest
