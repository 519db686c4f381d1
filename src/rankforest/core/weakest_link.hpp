// Weakest-link pruning: again and again collapse the node that loses the least gain per leaf removed.
#pragma once
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace rankforest {

// The lambda at which each node of a binary tree collapses; 0 for leaves. Parents come before children; -1 is none.
// own: what the split of each node gains on top of the splits below it; not negative.
inline std::vector<double> weakest_link(const std::vector<int>& parent, const std::vector<int>& left,
                                        const std::vector<int>& right, const std::vector<double>& own) {
    constexpr double rounding = 1e-10;  // relative: nodes with closer losses per leaf collapse at one lambda
    const int n = static_cast<int>(parent.size());
    std::vector<double> gain = own, collapse_at(n, 0.0);
    std::vector<int> splits(n), below;
    std::vector<char> gone(n);
    for (int node = 0; node < n; ++node) {
        splits[node] = left[node] >= 0;
        gone[node] = left[node] < 0;
    }
    for (int node = n - 1; node > 0; --node) {
        gain[parent[node]] += gain[node];
        splits[parent[node]] += splits[node];
    }
    const auto add_up = [&](int node) {
        // a new sum: a subtraction would leave rounding errors as large as small gains
        gain[node] = own[node] + gain[left[node]] + gain[right[node]];
    };
    // Nodes below which nothing gains collapse first, at 0; in trees that separate noise these are most of them.
    std::vector<char> fewer_below(n, 0);
    for (int node = n - 1; node >= 0; --node) {
        if (gone[node]) continue;
        const int children[2] = {left[node], right[node]};
        if (gain[node] == 0.0) {
            gone[node] = fewer_below[node] = 1;
            splits[node] = 0;
            continue;
        }
        for (const int child : children) fewer_below[node] |= fewer_below[child];
        if (!fewer_below[node]) continue;
        splits[node] = 1 + splits[children[0]] + splits[children[1]];
        add_up(node);
    }
    using Entry = std::pair<double, int>;
    std::vector<Entry> entries;
    for (int node = 0; node < n; ++node)
        if (!gone[node]) entries.emplace_back(gain[node] / splits[node], node);
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap(std::greater<>(), std::move(entries));
    double complexity = 0.0;
    while (!heap.empty()) {
        const auto [ratio, node] = heap.top();
        heap.pop();
        if (gone[node] || ratio != gain[node] / splits[node]) continue;  // an outdated entry
        if (ratio > complexity * (1.0 + rounding)) complexity = ratio;
        below.assign(1, node);
        while (!below.empty()) {
            const int at = below.back();
            below.pop_back();
            if (gone[at]) continue;
            gone[at] = 1;
            collapse_at[at] = complexity;
            below.push_back(left[at]);
            below.push_back(right[at]);
        }
        const int fewer = splits[node];
        gain[node] = 0.0;
        for (int ancestor = parent[node]; ancestor >= 0; ancestor = parent[ancestor]) {
            add_up(ancestor);
            splits[ancestor] -= fewer;
            heap.emplace(gain[ancestor] / splits[ancestor], ancestor);
        }
    }
    return collapse_at;
}

}  // namespace rankforest
