// Grows many trees on several threads: draws the rows of each tree, then either shares the trees between the threads or
// gives one large tree all of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "give_back.hpp"
#include "interrupt.hpp"
#include "listed_rows.hpp"
#include "row_holder.hpp"
#include "row_scan.hpp"
#include "rows.hpp"
#include "sampling.hpp"
#include "table.hpp"
#include "team.hpp"

namespace rankforest {

// What to grow. labels: class of each row. weights: fixed-point mass of each row, or null if each row counts one. unit:
// weight of one mass unit. Tree b draws with the key (seed, first_tree + b), so the trees do not depend on the number
// of threads. times: how often each row counts, instead of a draw; null if rows are drawn.
struct GrowRequest {
    const BinnedTable& table;
    const std::uint8_t* labels;
    const std::int64_t* weights;
    double unit;
    std::uint64_t seed;
    const Sampling& sampling;
    int n_trees, first_tree, n_threads;
    const SignalCheck& signalled;
    const std::function<void(int)>& finished;
    const std::uint32_t* times = nullptr;
    bool in_place = false;  // rows are not copied to a store of the tree, which takes less memory and more time

    std::uint64_t key(int tree) const { return child_key(mix(seed), first_tree + tree); }
};

// The rows of one tree, copied to plane 0 of a store.
struct Filled {
    std::int64_t n_rows = 0, max_weight = 1;
};

// Copies the drawn ones of the rows into the store. times: how often each row is drawn, empty if once. The threads of a
// team copy a part each.
template <class Store>
Filled fill_rows(Store& store, const BinnedTable& table, const std::uint8_t* labels, const std::int64_t* weights,
                 const std::vector<std::uint32_t>& times, Team* team) {
    const auto* codes = static_cast<const typename Store::Code*>(table.codes);
    const int q = table.n_features;
    const std::int64_t n = table.n_rows;
    // Copies rows begin .. end to positions `at`, `at` + 1, ...
    const auto fill = [&](std::int64_t begin, std::int64_t end, std::int64_t at) {
        Filled filled{at, 1};
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t multiplicity = times.empty() ? 1 : times[i];
            if (multiplicity == 0) continue;
            const std::int64_t weight = multiplicity * (weights ? weights[i] : 1);
            auto tag = Store::Tag::make(labels[i], weight);
            if constexpr (requires { tag.multiplicity; }) tag.multiplicity = static_cast<std::int32_t>(multiplicity);
            filled.max_weight = std::max(filled.max_weight, weight);
            store.put(0, filled.n_rows++, codes + i * q, q, tag);
        }
        return filled;
    };
    if (!is_shared(team, n)) return fill(0, n, 0);
    std::vector<std::int64_t> at(team->size() + 1, 0);
    std::vector<Filled> parts(team->size());
    team->share(0, n, [&](int m, std::int64_t begin, std::int64_t end) {
        at[m + 1] = end - begin;
        if (times.empty()) return;
        for (std::int64_t i = begin; i < end; ++i) at[m + 1] -= times[i] == 0;
    });
    for (int m = 0; m < team->size(); ++m) at[m + 1] += at[m];
    team->share(0, n, [&](int m, std::int64_t begin, std::int64_t end) { parts[m] = fill(begin, end, at[m]); });
    Filled all{at.back(), 1};
    for (const Filled& part : parts) all.max_weight = std::max(all.max_weight, part.max_weight);
    return all;
}

// The rows of one cell, copied, so that its descendants are grown on them.
template <class Histogram>
struct CellRows {
    std::unique_ptr<RowHolder<Histogram>> rows;
    MakeScan make_scan;
    std::shared_ptr<void> store;  // keeps the rows
};

// The rows of a tree, as its grower uses them. `alone` holds the same rows but does not use the team.
template <class Histogram>
struct TreeRows {
    RowHolder<Histogram>& rows;
    RowHolder<Histogram>& alone;
    MakeScan make_scan;
    int n_threads;
    std::function<void()> release;  // frees the memory of the rows
    // If rows are not copied: copies those of a cell; cells below `most_copied` rows are grown on copies.
    std::function<CellRows<Histogram>(const Segment&)> copy_cell = {};
    std::int64_t most_copied = 0;
};

// Calls grow_one(rows) with rows that stay in the table.
template <class Code, class Histogram, class Criterion, class GrowOne>
auto grow_in_place(const GrowRequest& r, const InnerParams& params, int n_classes, Multiplicities times, Team* team,
                   const GrowOne& grow_one) {
    using Rows = ListedRows<Code, Histogram>;
    using Store = typename Rows::Store;
    Rows rows(r.table, r.labels, r.weights, std::move(times), n_classes, team);
    const auto copy_cell = [&](const Segment& cell) {
        auto store = std::make_shared<Store>(cell.size(), r.table.n_features);
        rows.copy_to(*store, cell);
        auto holder = std::make_unique<LocalRows<Store, Histogram>>(*store, cell.size(), rows.max_weight(), n_classes);
        const auto make_scan = [&r, &params, n_classes, store](bool) {
            return std::make_unique<LocalScan<Store, Histogram, Criterion>>(*store, r.table, params, n_classes);
        };
        return CellRows<Histogram>{std::move(holder), make_scan, store};
    };
    const auto row_bytes = static_cast<std::int64_t>(2 * 8 * Store(0, r.table.n_features).words());
    const auto no_scan = [](bool) { return std::unique_ptr<RowScan>(); };
    return grow_one(TreeRows<Histogram>{rows, rows, no_scan, team ? team->size() : 1, [] {}, copy_cell,
                                        r.table.cell_bytes / row_bytes});
}

// Calls grow_one(tree, rows, stop) for every tree. Several trees are shared between the threads; a single large tree
// uses all threads.
template <class Code, class Histogram, class Criterion, class Tree, class GrowOne>
std::vector<Tree> grow_all(const GrowRequest& r, const InnerParams& params, int n_classes, const GrowOne& grow_one) {
    using Store = RowStore<Code, typename Histogram::Tag>;
    using Local = LocalRows<Store, Histogram>;
    std::vector<Tree> trees(r.n_trees);
    StopFlag stop;
    // The number of distinct rows is at most n_rows, and at most the size of the sample.
    const std::int64_t capacity = r.sampling.most_rows(r.table.n_rows);
    const auto grow = [&](int tree, std::unique_ptr<Store>& store, Team* team) {
        const auto given = [&] { return std::vector<std::uint32_t>(r.times, r.times + r.table.n_rows); };
        const std::uint64_t key = sample_key(r.seed, r.first_tree + tree);
        if (r.in_place) {
            auto times =
                r.times ? Multiplicities(given()) : Multiplicities::drawn(r.labels, r.table.n_rows, r.sampling, key);
            trees[tree] =
                grow_in_place<Code, Histogram, Criterion>(r, params, n_classes, std::move(times), team,
                                                          [&](const auto& rows) { return grow_one(tree, rows, stop); });
            if (r.finished) r.finished(tree);
            return;
        }
        const auto times = r.times ? given() : draw_sample(r.labels, r.table.n_rows, r.sampling, key);
        if (!store) store = std::make_unique<Store>(capacity, r.table.n_features);
        const Filled filled = fill_rows(*store, r.table, r.labels, r.weights, times, team);
        Local rows(*store, filled.n_rows, filled.max_weight, n_classes, team);
        Local alone(*store, filled.n_rows, filled.max_weight, n_classes);
        const auto make_scan = [&](bool shared) {
            return std::make_unique<LocalScan<Store, Histogram, Criterion>>(*store, r.table, params, n_classes,
                                                                            shared ? team : nullptr);
        };
        const auto release = [&] {
            if (r.n_trees == 1) store->release();
        };
        trees[tree] =
            grow_one(tree, TreeRows<Histogram>{rows, alone, make_scan, team ? team->size() : 1, release}, stop);
        if (r.finished) r.finished(tree);
    };
    const bool small = r.table.n_rows * r.table.n_features * static_cast<std::int64_t>(r.n_trees) < 200'000;
    if (small) {  // takes a few milliseconds: starting threads does not pay
        std::unique_ptr<Store> store;
        for (int tree = 0; tree < r.n_trees; ++tree) grow(tree, store, nullptr);
        return trees;
    }
    const int at_once = std::clamp(r.n_threads, 1, std::max(r.n_trees, 1)), per_tree = r.n_threads / at_once;
    std::vector<std::unique_ptr<Store>> stores(at_once);
    std::vector<std::unique_ptr<Team>> teams(at_once);
    parallel_for(r.n_trees, at_once, stop, r.signalled, [&](std::int64_t tree, int worker) {
        if (per_tree > 1 && !teams[worker]) teams[worker] = std::make_unique<Team>(per_tree);
        grow(static_cast<int>(tree), stores[worker], teams[worker].get());
    });
    teams.clear();
    if (r.in_place) give_back_memory();
    return trees;
}

// Calls grow.operator()<Code, Histogram>() with the types of a table: codes of one or two bytes, counts or weights.
template <class Counted, class Weighted, class Grow>
auto with_types(const GrowRequest& r, const Grow& grow) {
    if (r.table.code_bytes == 1) {
        if (r.weights) return grow.template operator()<std::uint8_t, Weighted>();
        return grow.template operator()<std::uint8_t, Counted>();
    }
    if (r.weights) return grow.template operator()<std::uint16_t, Weighted>();
    return grow.template operator()<std::uint16_t, Counted>();
}

}  // namespace rankforest
