// Walks rows down a boosted tree by their codes, several rows in lock-step and without a branch on their side.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "boosted_tree.hpp"
#include "table.hpp"

namespace rankforest {

class RowWalk {
public:
    RowWalk(const BoostedTree& tree, const BinnedTable& table)
        : n_inner_(static_cast<std::uint32_t>(tree.nodes.size())) {
        const auto at = [&](std::int32_t child) {
            return child >= 0 ? static_cast<std::uint32_t>(child) : n_inner_ + static_cast<std::uint32_t>(~child);
        };
        for (const auto& node : tree.nodes) {
            steps_.push_back(
                {node.feature, static_cast<std::uint32_t>(words_.size()), {at(node.right), at(node.left)}});
            add_words(tree, node, table.n_bins[node.feature] + 1);
        }
        for (std::uint32_t leaf = 0; leaf < tree.value.size(); ++leaf)  // a row that has arrived stays
            steps_.push_back({0, static_cast<std::uint32_t>(words_.size()), {n_inner_ + leaf, n_inner_ + leaf}});
        words_.resize(words_.size() + most_words(table), 0);
    }

    // Calls use(i, leaf) for i = begin .. end - 1; codes(i) are the codes of row i.
    template <class CodesOf, class Use>
    void operator()(std::int64_t begin, std::int64_t end, const CodesOf& codes, const Use& use) const {
        std::int64_t i = begin;
        for (; i + rows_at_once <= end; i += rows_at_once) walk<rows_at_once>(i, codes, use);
        for (; i < end; ++i) walk<1>(i, codes, use);
    }

private:
    static constexpr int rows_at_once = 8;
    struct Step {
        std::int32_t feature;
        std::uint32_t set;      // first of the words with a bit for each code that goes left
        std::uint32_t next[2];  // right, left
    };

    static std::size_t most_words(const BinnedTable& table) {
        return (*std::max_element(table.n_bins, table.n_bins + table.n_features) + 64) / 64;
    }

    void add_words(const BoostedTree& tree, const BoostedTree::Node& node, int n_codes) {
        const std::size_t first = words_.size();
        words_.resize(first + (n_codes + 63) / 64, 0);
        if (node.set_offset >= 0) {
            std::copy_n(tree.sets.begin() + node.set_offset, (n_codes + 63) / 64, words_.begin() + first);
            return;
        }
        for (std::uint32_t code = node.first; code < node.first + node.n_left; ++code)
            words_[first + (code >> 6)] |= std::uint64_t{1} << (code & 63);
    }

    template <int n, class CodesOf, class Use>
    void walk(std::int64_t first, const CodesOf& codes_of, const Use& use) const {
        decltype(codes_of(0)) codes[n];
        std::uint32_t at[n];
        for (int k = 0; k < n; ++k) {
            codes[k] = codes_of(first + k);
            at[k] = 0;
        }
        for (bool moving = n_inner_ > 0; moving;) {
            moving = false;
            for (int k = 0; k < n; ++k) {
                const Step& step = steps_[at[k]];
                const std::uint32_t code = codes[k][step.feature];
                at[k] = step.next[(words_[step.set + (code >> 6)] >> (code & 63)) & 1];
                moving |= at[k] < n_inner_;
            }
        }
        for (int k = 0; k < n; ++k) use(first + k, at[k] - n_inner_);
    }

    const std::uint32_t n_inner_;
    std::vector<Step> steps_;
    std::vector<std::uint64_t> words_;
};

}  // namespace rankforest
