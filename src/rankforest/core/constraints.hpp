// Constraints on the cuts of a tree: directions of features, the order of categories, and features that may be
// combined.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace rankforest {

struct Constraints {
    // Of each feature: 1 the score never falls when the feature rises, -1 it never rises, 0 none. Empty: no feature has
    // a direction.
    std::vector<std::int8_t> monotonic;
    // Codes of each categorical feature with a direction, from the lowest to the highest; empty for other features.
    // Such a feature is cut along this order. Empty: there is none.
    std::vector<std::vector<std::int32_t>> order;
    // Features that may be cut on one path: those that are in a group with all features of the path. Empty: all.
    std::vector<std::vector<std::int32_t>> groups;
    int most_together = 0;  // most features on one path; 0: any number

    bool any_direction() const { return !monotonic.empty(); }
    int direction(int feature) const { return monotonic.empty() ? 0 : monotonic[feature]; }
    bool is_ordered(int feature) const { return !order.empty() && !order[feature].empty(); }
    bool limits_paths() const { return !groups.empty() || most_together > 0; }

    // Marks the features that may be cut below a path, which is sorted; false if there is none.
    bool allow(const std::vector<int>& path, int n_features, std::vector<std::uint8_t>& allowed) const {
        const bool full = most_together > 0 && static_cast<int>(path.size()) >= most_together;
        allowed.assign(n_features, groups.empty() && !full);
        for (const auto& group : groups) {
            const auto is_in = [&](int feature) {
                return std::find(group.begin(), group.end(), feature) != group.end();
            };
            if (full || !std::all_of(path.begin(), path.end(), is_in)) continue;
            for (const int feature : group) allowed[feature] = 1;
        }
        // a full path may be cut again on its own features; a cell of a master tree may have more than a path may have
        if (groups.empty() && static_cast<int>(path.size()) <= most_together)
            for (const int feature : path) allowed[feature] = 1;
        return std::find(allowed.begin(), allowed.end(), 1) != allowed.end();
    }
};

// A path with one more feature.
inline std::vector<int> longer_path(std::vector<int> path, int feature) {
    const auto at = std::lower_bound(path.begin(), path.end(), feature);
    if (at == path.end() || *at != feature) path.insert(at, feature);
    return path;
}

// What the constraints demand of a node: the range of the values below it, and the features of its path.
struct NodeRules {
    double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
    std::vector<int> path;              // sorted
    std::vector<std::uint8_t> allowed;  // of each feature; empty: all

    bool bounded() const {
        return low > -std::numeric_limits<double>::infinity() || high < std::numeric_limits<double>::infinity();
    }
};

}  // namespace rankforest
