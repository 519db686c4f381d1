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
    std::vector<std::int32_t> lengths(nodes_.size(), 0);
    for (std::int32_t i = n_inner_ - 1; i >= 0; --i)
        for (const auto child : nodes_[i].child) lengths[i] = std::max(lengths[i], lengths[child] + 1);
    length_ = lengths[start_];
}

template <bool categorical, class RowAt>
void Dag::walk_rows(const RowAt& row_at, std::int64_t n, std::int32_t* label) const {
    // Sixteen rows take a step together, so that their loads overlap, without a branch on the side. A row that reaches
    // a terminal makes place for the next one; the last rows stay there.
    constexpr int lockstep = 16;
    const std::int32_t inner = n_inner_;
    if (start_ >= inner) {
        std::fill_n(label, n, start_ - inner);
        return;
    }
    const double* row[lockstep];
    std::int64_t number[lockstep];
    std::int32_t at[lockstep];
    const auto enter = [&](int i, std::int64_t which) {
        number[i] = which;
        row[i] = row_at(which);
        at[i] = start_;
    };
    const auto step = [&](int i) { at[i] = categorical ? next(at[i], row[i]) : next_of(nodes_[at[i]], row[i]); };
    for (int i = 0; i < lockstep; ++i) enter(i, std::min<std::int64_t>(i, n - 1));
    for (std::int64_t ahead = lockstep; ahead < n;)
        for (int i = 0; i < lockstep; ++i) {
            step(i);
            if (at[i] < inner) continue;
            label[number[i]] = at[i] - inner;
            if (ahead < n) enter(i, ahead++);
        }
    for (std::int32_t signs = -1; signs < 0;) {
        signs = 0;  // negative while any row is at an inner node
        for (int i = 0; i < lockstep; ++i) {
            step(i);
            signs |= at[i] - inner;
        }
    }
    for (int i = 0; i < lockstep; ++i) label[number[i]] = at[i] - inner;
}

// To wait for the slowest of sixteen rows costs less than to change rows if paths are short.
template <class RowAt>
void Dag::walk_together(const RowAt& row_at, std::int64_t n, std::int32_t* label) const {
    constexpr std::int64_t together = 16;
    const std::int64_t size = length_ > 40 ? n : together;
    for (std::int64_t begin = 0; begin < n; begin += size) {
        const std::int64_t m = std::min(size, n - begin);
        const auto row = [&](std::int64_t i) { return row_at(begin + i); };
        if (categorical_) walk_rows<true>(row, m, label + begin);
        else walk_rows<false>(row, m, label + begin);
    }
}

void Dag::walk(const double* X, std::int64_t n, std::int32_t* label) const {
    walk_together([&](std::int64_t i) { return X + i * n_features_; }, n, label);
}

void Dag::walk_some(const double* X, const std::int32_t* rows, std::int64_t n, std::int32_t* label) const {
    walk_together([&](std::int64_t i) { return X + rows[i] * std::int64_t{n_features_}; }, n, label);
}

}  // namespace rankforest
