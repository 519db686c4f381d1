// A fitted tree of a booster, in compact nodes.
#pragma once
#include <cstdint>
#include <vector>

#include "grower.hpp"

namespace rankforest {

// Inner nodes and leaves are numbered separately, in order of creation. A child >= 0 is a node, a child < 0 is leaf
// ~child.
struct BoostedTree {
    struct Node {
        std::int32_t feature, cut, left, right;
        std::int32_t set_offset;      // categorical: words of the codes that go left; -1: numeric
        std::uint32_t first, n_left;  // numeric: codes first .. first + n_left - 1 go left
        bool missing_left;
    };
    std::vector<Node> nodes;
    std::vector<std::uint64_t> sets;
    std::vector<double> gain, value;  // per node; per leaf
    std::vector<Segment> leaf_rows;

    BoostedTree() = default;

    // value_of(node): value of a leaf.
    template <class ValueOf>
    BoostedTree(const GrownTree& grown, const ValueOf& value_of) {
        std::vector<std::int32_t> place(grown.nodes.size());
        std::int32_t n_inner = 0, n_leaves = 0;
        for (std::size_t i = 0; i < grown.nodes.size(); ++i)
            place[i] = grown.nodes[i].left >= 0 ? n_inner++ : ~n_leaves++;
        for (std::size_t i = 0; i < grown.nodes.size(); ++i) {
            const GrownNode& node = grown.nodes[i];
            if (node.left < 0) {
                value.push_back(value_of(static_cast<int>(i)));
                leaf_rows.push_back(node.rows);
                continue;
            }
            const Split& split = node.split;
            const auto cut = static_cast<std::uint32_t>(split.cut);
            nodes.push_back({split.feature, split.cut, place[node.left], place[node.right],
                             split.left_codes.empty() ? -1 : static_cast<std::int32_t>(sets.size()),
                             split.missing_left ? 0u : 1u, split.missing_left ? cut + 1 : cut, split.missing_left});
            sets.insert(sets.end(), split.left_codes.begin(), split.left_codes.end());
            gain.push_back(split.priority);
        }
    }
};

}  // namespace rankforest
