// Decides when the trees of a forest are coded, and walks single rows down many trees.
#include "forest.hpp"

#include <algorithm>

namespace rankforest {
namespace {

// Coding the trees costs about as much as it saves on this many rows.
constexpr std::int64_t rows_to_code = 512;

constexpr int lockstep = 16;

// Sixteen trees take a step together, so that their loads overlap.
template <bool categorical>
void walk_together(const std::shared_ptr<Dag>* dags, int n, const double* row, std::int32_t* labels) {
    const Dag::Node* nodes[lockstep];
    std::int32_t at[lockstep], inner[lockstep];
    for (int i = 0; i < lockstep; ++i) {
        const Dag& dag = *dags[i < n ? i : 0];
        nodes[i] = dag.nodes().data();
        at[i] = dag.start();
        inner[i] = dag.n_inner();
    }
    for (std::int32_t signs = -1; signs < 0;) {
        signs = 0;  // negative while any row is at an inner node
        for (int i = 0; i < lockstep; ++i) {
            at[i] = categorical ? dags[i < n ? i : 0]->next(at[i], row) : Dag::next_of(nodes[i][at[i]], row);
            signs |= at[i] - inner[i];
        }
    }
    for (int i = 0; i < n; ++i) labels[i] = at[i] - inner[i];
}

}  // namespace

std::int64_t Forest::bytes(std::int64_t first, std::int64_t last) const {
    std::int64_t bytes = 0;
    for (std::int64_t t = first; t < last; ++t) bytes += dags_[t]->bytes();
    return bytes;
}

const CodedTrees* Forest::coded_for(std::int64_t n_rows, std::int64_t n_trees) const {
    if (n_trees == 0 || rows_scored_ + n_rows < rows_to_code) return nullptr;
    std::call_once(once_, [&] { coded_.emplace(dags_); });
    return coded_->pays(n_rows, n_trees) ? &*coded_ : nullptr;
}

void Forest::walk_row(const double* row, std::int64_t first, std::int64_t last, std::int32_t* labels) const {
    for (std::int64_t t = first; t < last; t += lockstep) {
        const int n = static_cast<int>(std::min<std::int64_t>(lockstep, last - t));
        const auto* const dags = dags_.data() + t;
        for (std::int64_t ahead = t + lockstep; ahead < std::min(t + 3 * lockstep, last); ++ahead)
            __builtin_prefetch(dags_[ahead].get());
        for (std::int64_t ahead = t + lockstep; ahead < std::min(t + 2 * lockstep, last); ++ahead)
            __builtin_prefetch(dags_[ahead]->nodes().data());
        const bool categorical = std::any_of(dags, dags + n, [](const auto& dag) { return dag->categorical(); });
        if (categorical) walk_together<true>(dags, n, row, labels + t - first);
        else walk_together<false>(dags, n, row, labels + t - first);
    }
}

}  // namespace rankforest
