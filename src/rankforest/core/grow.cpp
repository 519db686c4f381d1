#include "grow.hpp"

#include <algorithm>

namespace rankforest {
namespace {

struct Request {
    const BinnedTable& table;
    const std::uint8_t* labels;
    const std::int64_t* weights;
    double unit;
    const MasterParams& params;
    const Sampling& sampling;
    int n_trees, first_tree, n_threads;
    const SignalCheck& signalled;
    const std::function<void(int)>& finished;
    std::optional<std::uint64_t> root_key;
};

// Fills plane 0 with the rows that a tree sees; returns their number and the largest weight among them.
template <class Store>
std::int64_t fill(Store& rows, const Request& r, std::uint64_t key, std::int64_t& max_weight) {
    using Code = typename Store::Code;
    const auto* codes = static_cast<const Code*>(r.table.codes);
    const int q = r.table.n_features;
    const std::vector<std::uint32_t> times = draw_sample(r.labels, r.table.n_rows, r.sampling, key);
    std::int64_t n = 0;
    max_weight = 1;
    for (std::int64_t i = 0; i < r.table.n_rows; ++i) {
        const std::int64_t multiplicity = times.empty() ? 1 : times[i];
        if (multiplicity == 0) continue;
        const std::int64_t weight = multiplicity * (r.weights ? r.weights[i] : 1);
        auto tag = Store::Tag::make(r.labels[i], weight);
        if constexpr (requires { tag.multiplicity; }) tag.multiplicity = static_cast<std::int32_t>(multiplicity);
        max_weight = std::max(max_weight, weight);
        rows.put(0, n++, codes + i * q, q, tag);
    }
    return n;
}

template <class Code, class Histogram, class Criterion>
std::vector<FlatTree> grow_all(const Request& r) {
    using Store = RowStore<Code, typename Histogram::Tag>;
    StopFlag stop;
    std::vector<FlatTree> trees(r.n_trees);
    auto grow_one = [&](int tree, Store& rows, int n_threads, const SignalCheck& signalled) {
        const std::uint64_t key = child_key(mix(r.params.seed), r.first_tree + tree);
        std::int64_t max_weight = 1;
        const std::int64_t n = fill(rows, r, sample_key(r.params.seed, r.first_tree + tree), max_weight);
        MasterGrower<Store, Histogram, Criterion> grower(r.table, r.params, max_weight, stop);
        const MasterCell root = grower.grow(rows, n, n_threads, signalled, r.root_key.value_or(child_key(key, 1)));
        if (r.n_trees == 1) rows.release();  // the rows are the bulk of the memory, and nobody needs them any more
        const double unit[2] = {r.unit * r.params.inner.unit_of(0), r.unit * r.params.inner.unit_of(1)};
        trees[tree] = flatten(root, unit);
        if (r.finished) r.finished(tree);
    };
    // Rows of a bootstrap sample are at most all rows, and at most as many as are drawn.
    const std::int64_t capacity = r.sampling.size > 0 ? std::min(r.table.n_rows, r.sampling.size) : r.table.n_rows;
    const bool small = r.table.n_rows * r.table.n_features * static_cast<std::int64_t>(r.n_trees) < 200'000;
    if (small) {  // a few milliseconds: not worth a thread
        Store rows(capacity, r.table.n_features);
        for (int t = 0; t < r.n_trees; ++t) grow_one(t, rows, 1, {});
    } else if (r.n_trees == 1 && r.n_threads > 1 && r.params.max_leaf_nodes == unlimited) {
        Store rows(capacity, r.table.n_features);
        grow_one(0, rows, r.n_threads, r.signalled);
    } else {
        const int n_threads = std::clamp(r.n_threads, 1, std::max(r.n_trees, 1));
        std::vector<std::unique_ptr<Store>> stores(n_threads);
        parallel_for(r.n_trees, n_threads, stop, r.signalled, [&](std::int64_t tree, int worker) {
            if (!stores[worker]) stores[worker] = std::make_unique<Store>(capacity, r.table.n_features);
            grow_one(static_cast<int>(tree), *stores[worker], 1, {});
        });
    }
    return trees;
}

template <class Code, class Histogram>
std::vector<FlatTree> with_criterion(const Request& r) {
    if (r.params.inner.criterion == CriterionKind::gini) return grow_all<Code, Histogram, CostSensitiveGini>(r);
    return grow_all<Code, Histogram, AucGain>(r);
}

template <class Code>
std::vector<FlatTree> with_histogram(const Request& r) {
    if (r.weights) return with_criterion<Code, MassHistogram>(r);
    return with_criterion<Code, PackedHistogram>(r);
}

}  // namespace

std::vector<FlatTree> grow_trees(const BinnedTable& table, const std::uint8_t* labels, const std::int64_t* weights, double unit,
                                 const MasterParams& params, const Sampling& sampling, int n_trees, int first_tree,
                                 int n_threads, const SignalCheck& signalled, const std::function<void(int)>& finished,
                                 std::optional<std::uint64_t> root_key) {
    const Request request{table, labels, weights, unit, params, sampling, n_trees, first_tree, n_threads, signalled, finished, root_key};
    return table.code_bytes == 1 ? with_histogram<std::uint8_t>(request) : with_histogram<std::uint16_t>(request);
}

}  // namespace rankforest
