// Checks and simplifies a decision DAG, and walks rows down it.
#include "dag.hpp"

#include <algorithm>
#include <stdexcept>

namespace rankforest {
namespace {

void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

}  // namespace

Dag::Dag(const DagArrays& a, const std::vector<std::int32_t>& n_codes)
    : sets_(a.sets, a.sets + a.n_sets), n_features_(static_cast<int>(n_codes.size())) {
    require(n_features_ >= 1, "a ranking tree needs at least one feature");
    require(a.n_terminals >= 1, "a ranking tree needs at least one terminal");
    require(a.n_nodes + a.n_terminals < std::int64_t{1} << 30, "the ranking tree has too many nodes");
    for (std::int64_t t = 0; t < a.n_terminals; ++t) {
        require(a.terminal_label[t] >= 0 && a.terminal_label[t] < a.n_terminals,
                "a terminal of the ranking tree has a label out of range");
        n_labels_ = std::max(n_labels_, a.terminal_label[t] + 1);
    }
    // Target of each child: ~label, or an inner node that is kept. From the last node, because children come after
    // parents.
    std::vector<std::int32_t> place(a.n_nodes);
    const auto lead = [&](std::int64_t node, std::int32_t child) {
        const bool fine = child >= 0 ? child > node && child < a.n_nodes : ~child < a.n_terminals;
        require(fine, "a node of the ranking tree points at a child that does not exist or comes before it");
        return child >= 0 ? place[child] : ~a.terminal_label[~child];
    };
    std::vector<Node> reversed;
    std::vector<Set> reversed_sets;
    for (std::int64_t i = a.n_nodes - 1; i >= 0; --i) {
        require(a.feature[i] >= 0 && a.feature[i] < n_features_,
                "a node of the ranking tree cuts on a feature that does not exist");
        Set set;
        if (a.set_offset[i] >= 0) {
            set = {a.set_offset[i], n_codes[a.feature[i]]};
            require(set.n_codes >= 1 && set.offset + (std::int64_t{set.n_codes} + 63) / 64 <= a.n_sets,
                    "a categorical node of the ranking tree has no set of categories");
        }
        const std::int32_t left = lead(i, a.left[i]), right = lead(i, a.right[i]);
        if (left == right) {
            place[i] = left;
            continue;
        }
        place[i] = static_cast<std::int32_t>(reversed.size());
        reversed.push_back({a.threshold[i], {left, right}, a.feature[i], a.missing_left[i] == 0});
        reversed_sets.push_back(set);
    }
    n_inner_ = static_cast<std::int32_t>(reversed.size());
    const auto final_place = [&](std::int32_t p) { return p >= 0 ? n_inner_ - 1 - p : n_inner_ + ~p; };
    start_ = a.n_nodes > 0 ? final_place(place[0]) : n_inner_ + a.terminal_label[0];
    nodes_.assign(reversed.rbegin(), reversed.rend());
    node_sets_.assign(reversed_sets.rbegin(), reversed_sets.rend());
    for (auto& node : nodes_)
        for (auto& child : node.child) child = final_place(child);
    for (const auto& set : node_sets_) categorical_ |= set.offset >= 0;
    for (std::int32_t label = 0; label < n_labels_; ++label) {
        const std::int32_t self = n_inner_ + label;
        nodes_.push_back({0.0, {self, self}, 0, 0});
    }
    node_sets_.resize(nodes_.size());
}

template <bool categorical>
void Dag::walk_rows(const double* X, std::int64_t n, std::int32_t* label) const {
    // Sixteen rows take a step together, so that their loads overlap, without a branch on the side; rows that have
    // reached a terminal stay there.
    constexpr int lockstep = 16;
    for (std::int64_t begin = 0; begin < n; begin += lockstep) {
        const int m = static_cast<int>(std::min<std::int64_t>(lockstep, n - begin));
        const double* rows[lockstep];
        std::int32_t at[lockstep];
        for (int i = 0; i < lockstep; ++i) {
            rows[i] = X + (begin + std::min(i, m - 1)) * n_features_;
            at[i] = start_;
        }
        const std::int32_t inner = n_inner_;
        for (bool moving = start_ < inner; moving;) {
            std::int32_t signs = 0;  // negative while any row is at an inner node
            for (int i = 0; i < lockstep; ++i) {
                at[i] = categorical ? next(at[i], rows[i]) : next_of(nodes_[at[i]], rows[i]);
                signs |= at[i] - inner;
            }
            moving = signs < 0;
        }
        for (int i = 0; i < m; ++i) label[begin + i] = at[i] - inner;
    }
}

void Dag::walk(const double* X, std::int64_t n, std::int32_t* label) const {
    if (categorical_) walk_rows<true>(X, n, label);
    else walk_rows<false>(X, n, label);
}

}  // namespace rankforest
