// Decides when the trees of a forest are coded, and walks single rows down many trees.
#include "forest.hpp"

#include <algorithm>

namespace rankforest {
namespace {

// Coding the trees costs about as much as it saves on this many rows.
constexpr std::int64_t rows_to_code = 512;

constexpr int lockstep = 16;

template <bool categorical>
void walk_together(const std::shared_ptr<Dag>* dags, int n, const double* row, std::int32_t* labels) {
    std::int32_t at[lockstep];
    for (int i = 0; i < n; ++i) at[i] = dags[i]->start();
    for (bool moving = true; moving;) {
        moving = false;
        for (int i = 0; i < n; ++i) {
            at[i] = dags[i]->next<categorical>(at[i], row);
            moving |= at[i] < dags[i]->n_inner();
        }
    }
    for (int i = 0; i < n; ++i) labels[i] = at[i] - dags[i]->n_inner();
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
        const bool categorical = std::any_of(dags, dags + n, [](const auto& dag) { return dag->categorical(); });
        if (categorical) walk_together<true>(dags, n, row, labels + t - first);
        else walk_together<false>(dags, n, row, labels + t - first);
    }
}

}  // namespace rankforest
