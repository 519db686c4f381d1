// Walks a grown tree on the codes of a row.
#pragma once
#include <cstdint>
#include <vector>

#include "grower.hpp"

namespace rankforest {

class CodeWalk {
public:
    explicit CodeWalk(const GrownTree& tree) {
        nodes_.reserve(tree.nodes.size());
        for (const GrownNode& from : tree.nodes) {
            Node node;
            if (from.left >= 0) {
                const Split& split = from.split;
                // code 0, a missing value, is below the first code, and wraps around to a large number otherwise
                node = {split.feature, split.missing_left ? 0u : 1u, 0u, -1, {from.right, from.left}};
                node.bound = static_cast<std::uint32_t>(split.cut) + 1 - node.first;
                if (!split.left_codes.empty()) {
                    node.set = static_cast<std::int32_t>(sets_.size());
                    sets_.insert(sets_.end(), split.left_codes.begin(), split.left_codes.end());
                    auto& word = sets_[node.set];
                    word = (word & ~std::uint64_t{1}) | static_cast<std::uint64_t>(split.missing_left);
                }
            }
            nodes_.push_back(node);
        }
    }

    // The leaf that a row ends in.
    template <class Code>
    int leaf_of(const Code* codes) const {
        int at = 0;
        while (nodes_[at].feature >= 0) {
            const Node& node = nodes_[at];
            const std::uint32_t code = codes[node.feature];
            const bool left =
                node.set < 0 ? code - node.first < node.bound : (sets_[node.set + (code >> 6)] >> (code & 63)) & 1;
            at = node.child[left];
        }
        return at;
    }

private:
    struct Node {
        std::int32_t feature = -1;           // -1: a leaf
        std::uint32_t first = 0, bound = 0;  // codes first .. first + bound - 1 go left
        std::int32_t set = -1;               // categorical: first word of the codes that go left
        std::int32_t child[2] = {-1, -1};    // right, left
    };
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> sets_;
};

}  // namespace rankforest
