// Many trees over threads: what each of them sees, and who grows it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "interrupt.hpp"
#include "rows.hpp"
#include "sampling.hpp"
#include "table.hpp"

namespace rankforest {

// Fills plane 0 with the rows that a tree sees; returns their number and the largest weight among them.
template <class Store>
std::int64_t fill_rows(Store& rows, const BinnedTable& table, const std::uint8_t* labels, const std::int64_t* weights,
                       const Sampling& sampling, std::uint64_t key, std::int64_t& max_weight) {
    using Code = typename Store::Code;
    const auto* codes = static_cast<const Code*>(table.codes);
    const int q = table.n_features;
    const std::vector<std::uint32_t> times = draw_sample(labels, table.n_rows, sampling, key);
    std::int64_t n = 0;
    max_weight = 1;
    for (std::int64_t i = 0; i < table.n_rows; ++i) {
        const std::int64_t multiplicity = times.empty() ? 1 : times[i];
        if (multiplicity == 0) continue;
        const std::int64_t weight = multiplicity * (weights ? weights[i] : 1);
        auto tag = Store::Tag::make(labels[i], weight);
        if constexpr (requires { tag.multiplicity; }) tag.multiplicity = static_cast<std::int32_t>(multiplicity);
        max_weight = std::max(max_weight, weight);
        rows.put(0, n++, codes + i * q, q, tag);
    }
    return n;
}

// grow_one(tree, rows, n_threads) for every tree; each thread reuses one store. Threads share the trees when there are
// several; a single tree is given all of them if it can use them (`shares_cells`).
template <class Store, class GrowOne>
void grow_many(const BinnedTable& table, const Sampling& sampling, int n_trees, int n_threads, bool shares_cells,
               StopFlag& stop, const SignalCheck& signalled, const GrowOne& grow_one) {
    // Rows of a bootstrap sample are at most all rows, and at most as many as are drawn.
    const std::int64_t capacity = sampling.size > 0 ? std::min(table.n_rows, sampling.size) : table.n_rows;
    const bool small = table.n_rows * table.n_features * static_cast<std::int64_t>(n_trees) < 200'000;
    if (small) {  // a few milliseconds: not worth a thread
        Store rows(capacity, table.n_features);
        for (int t = 0; t < n_trees; ++t) grow_one(t, rows, 1);
    } else if (n_trees == 1 && n_threads > 1 && shares_cells) {
        Store rows(capacity, table.n_features);
        grow_one(0, rows, n_threads);
    } else {
        n_threads = std::clamp(n_threads, 1, std::max(n_trees, 1));
        std::vector<std::unique_ptr<Store>> stores(n_threads);
        parallel_for(n_trees, n_threads, stop, signalled, [&](std::int64_t tree, int worker) {
            if (!stores[worker]) stores[worker] = std::make_unique<Store>(capacity, table.n_features);
            grow_one(static_cast<int>(tree), *stores[worker], 1);
        });
    }
}

}  // namespace rankforest
