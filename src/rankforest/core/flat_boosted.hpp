// Boosted trees as flat arrays.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "binding_tools.hpp"
#include "boosted_tree.hpp"
#include "table.hpp"

namespace rankforest {

// All trees in one set of arrays; the inner nodes, leaves and category sets of a tree are contiguous. A child >= 0 is a
// node of the same tree, a child < 0 is its leaf ~child.
struct FlatTrees {
    std::vector<std::int32_t> feature, left, right, set_offset;
    std::vector<double> threshold, gain, value;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;
    std::vector<std::int64_t> node_bounds{0}, leaf_bounds{0}, set_bounds{0};

    void add(const BoostedTree& tree, const BinnedTable& table) {
        for (const auto& node : tree.nodes) {
            const bool categorical = node.set_offset >= 0;
            feature.push_back(node.feature);
            threshold.push_back(categorical ? 0.0 : table.threshold(node.feature, node.cut));
            left.push_back(node.left);
            right.push_back(node.right);
            missing_left.push_back(node.missing_left);
            set_offset.push_back(node.set_offset);
        }
        gain.insert(gain.end(), tree.gain.begin(), tree.gain.end());
        value.insert(value.end(), tree.value.begin(), tree.value.end());
        sets.insert(sets.end(), tree.sets.begin(), tree.sets.end());
        node_bounds.push_back(static_cast<std::int64_t>(feature.size()));
        leaf_bounds.push_back(static_cast<std::int64_t>(value.size()));
        set_bounds.push_back(static_cast<std::int64_t>(sets.size()));
    }

    nb::dict to_dict() {
        nb::dict d;
        d["feature"] = to_numpy(std::move(feature));
        d["threshold"] = to_numpy(std::move(threshold));
        d["left"] = to_numpy(std::move(left));
        d["right"] = to_numpy(std::move(right));
        d["missing_left"] = to_numpy(std::move(missing_left));
        d["set_offset"] = to_numpy(std::move(set_offset));
        d["sets"] = to_numpy(std::move(sets));
        d["gain"] = to_numpy(std::move(gain));
        d["value"] = to_numpy(std::move(value));
        d["node_bounds"] = to_numpy(std::move(node_bounds));
        d["leaf_bounds"] = to_numpy(std::move(leaf_bounds));
        d["set_bounds"] = to_numpy(std::move(set_bounds));
        return d;
    }
};

template <class T>
Vector<T> array_of(const nb::dict& arrays, const char* name) {
    return nb::cast<Vector<T>>(arrays[name]);
}

// The trees of a dictionary as FlatTrees::to_dict() makes it, by round and then by booster, for each booster. All their
// splits are categorical.
inline std::vector<std::vector<BoostedTree>> trees_of_dict(const nb::dict& arrays, std::size_t n_boosters,
                                                           const BinnedTable& table) {
    const auto feature = array_of<std::int32_t>(arrays, "feature"), left = array_of<std::int32_t>(arrays, "left"),
               right = array_of<std::int32_t>(arrays, "right"),
               set_offset = array_of<std::int32_t>(arrays, "set_offset");
    const auto gain = array_of<double>(arrays, "gain"), value = array_of<double>(arrays, "value");
    const auto missing_left = array_of<std::uint8_t>(arrays, "missing_left");
    const auto sets = array_of<std::uint64_t>(arrays, "sets");
    const auto nodes = array_of<std::int64_t>(arrays, "node_bounds"),
               leaves = array_of<std::int64_t>(arrays, "leaf_bounds"),
               words = array_of<std::int64_t>(arrays, "set_bounds");
    std::vector<std::vector<BoostedTree>> found(n_boosters);
    for (std::size_t t = 0; t + 1 < nodes.size(); ++t) {
        BoostedTree tree;
        for (std::int64_t i = nodes.data()[t]; i < nodes.data()[t + 1]; ++i) {
            const std::int32_t j = feature.data()[i];
            require(j >= 0 && j < table.n_features && table.categorical[j], "a first tree has a split of numbers");
            tree.nodes.push_back(
                {j, 0, left.data()[i], right.data()[i], set_offset.data()[i], 0u, 0u, missing_left.data()[i] != 0});
            tree.gain.push_back(gain.data()[i]);
        }
        tree.value.assign(value.data() + leaves.data()[t], value.data() + leaves.data()[t + 1]);
        tree.sets.assign(sets.data() + words.data()[t], sets.data() + words.data()[t + 1]);
        found[t % n_boosters].push_back(std::move(tree));
    }
    return found;
}

}  // namespace rankforest
