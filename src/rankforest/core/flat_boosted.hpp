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

}  // namespace rankforest
