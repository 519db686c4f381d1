#include "dag.hpp"

#include <algorithm>

#include "vector.hpp"

namespace rankforest {

Dag::Dag(const DagArrays& a, const std::vector<std::int32_t>& n_codes)
    : sets_(a.sets, a.sets + a.n_sets), n_terminals_(a.n_terminals), n_inner_(a.n_nodes), n_features_(static_cast<int>(n_codes.size())) {
    if (a.n_terminals < 1) throw std::invalid_argument("a ranking tree needs at least one terminal");
    if (a.n_nodes + a.n_terminals > std::int64_t{1} << 30) throw std::invalid_argument("the ranking tree has too many nodes");
    nodes_.reserve(a.n_nodes + a.n_terminals);
    for (std::int64_t i = 0; i < a.n_nodes; ++i) {
        if (a.feature[i] < 0 || a.feature[i] >= n_features_) throw std::invalid_argument("a node of the ranking tree cuts on a feature that does not exist");
        Node node{a.threshold[i], 0, 0, a.feature[i], a.missing_left[i] != 0, a.set_offset[i], n_codes[a.feature[i]]};
        for (const auto [child, place] : {std::pair{a.left[i], &node.left}, std::pair{a.right[i], &node.right}}) {
            // children come after parents: every walk ends
            const bool fine = child >= 0 ? child > i && child < a.n_nodes : ~child < a.n_terminals;
            if (!fine) throw std::invalid_argument("a node of the ranking tree points at a child that does not exist or comes before it");
            *place = child >= 0 ? child : static_cast<std::int32_t>(a.n_nodes + ~child);
        }
        if (node.set_offset >= 0) {
            if (node.set_offset + (node.n_codes + 63) / 64 > a.n_sets || node.n_codes < 1)
                throw std::invalid_argument("a categorical node of the ranking tree has no set of categories");
            categorical_ = true;
        }
        nodes_.push_back(node);
    }
    for (std::int64_t t = 0; t < a.n_terminals; ++t) {
        const auto self = static_cast<std::int32_t>(a.n_nodes + t);
        nodes_.push_back({0.0, self, self, 0, 0, -1, 0});
    }
}

namespace {
constexpr int lockstep = 16;
}

template <bool categorical>
void Dag::walk_rows(const double* X, std::int64_t n, std::int32_t* terminal) const {
    const Node* const nodes = nodes_.data();
    const auto inner = static_cast<std::int32_t>(n_inner_);
    for (std::int64_t begin = 0; begin < n; begin += lockstep) {
        const int m = static_cast<int>(std::min<std::int64_t>(lockstep, n - begin));
        const double* rows[lockstep];
        std::int32_t at[lockstep];
        for (int i = 0; i < lockstep; ++i) {
            rows[i] = X + (begin + std::min(i, m - 1)) * n_features_;
            at[i] = 0;
        }
        // Sixteen rows take a step together: their cache misses overlap. Rows that have arrived step in place.
        for (bool moving = inner > 0; moving;) {
            std::int32_t least = inner;
            for (int i = 0; i < lockstep; ++i) {
                const Node& node = nodes[at[i]];
                const double x = rows[i][node.feature];
                bool left;
                if (categorical && node.set_offset >= 0) {
                    // a missing value, or a category outside the table, is code 0
                    const std::int64_t code = x >= 0.0 && x < node.n_codes - 1 ? static_cast<std::int64_t>(x) + 1 : 0;
                    left = code == 0 ? node.missing_left : (sets_[node.set_offset + (code >> 6)] >> (code & 63)) & 1;
                } else {
                    left = (x <= node.threshold) | ((x != x) & node.missing_left);
                }
                at[i] = left ? node.left : node.right;
                least = std::min(least, at[i]);
            }
            moving = least < inner;
        }
        for (int i = 0; i < m; ++i) terminal[begin + i] = at[i] - inner;
    }
}

void Dag::walk(const double* X, std::int64_t n, std::int32_t* terminal) const {
    if (categorical_) walk_rows<true>(X, n, terminal);
    else walk_rows<false>(X, n, terminal);
}

}  // namespace rankforest
