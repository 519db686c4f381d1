#include "grow.hpp"

#include "many_trees.hpp"

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

template <class Code, class Histogram, class Criterion>
std::vector<FlatTree> grow_all(const Request& r) {
    using Store = RowStore<Code, typename Histogram::Tag>;
    StopFlag stop;
    std::vector<FlatTree> trees(r.n_trees);
    grow_many<Store>(r.table, r.sampling, r.n_trees, r.n_threads, r.params.max_leaf_nodes == unlimited, stop,
                     r.signalled, [&](int tree, Store& rows, int n_threads) {
                         const std::uint64_t key = child_key(mix(r.params.seed), r.first_tree + tree);
                         std::int64_t max_weight = 1;
                         const std::int64_t n = fill_rows(rows, r.table, r.labels, r.weights, r.sampling,
                                                          sample_key(r.params.seed, r.first_tree + tree), max_weight);
                         MasterGrower<Store, Histogram, Criterion> grower(r.table, r.params, max_weight, stop);
                         const MasterCell root =
                             grower.grow(rows, n, n_threads, r.signalled, r.root_key.value_or(child_key(key, 1)));
                         if (r.n_trees == 1)
                             rows.release();  // the rows are the bulk of the memory, and nobody needs them any more
                         const double unit[2] = {r.unit * r.params.inner.unit_of(0),
                                                 r.unit * r.params.inner.unit_of(1)};
                         trees[tree] = flatten(root, unit);
                         if (r.finished) r.finished(tree);
                     });
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

std::vector<FlatTree> grow_trees(const BinnedTable& table, const std::uint8_t* labels, const std::int64_t* weights,
                                 double unit, const MasterParams& params, const Sampling& sampling, int n_trees,
                                 int first_tree, int n_threads, const SignalCheck& signalled,
                                 const std::function<void(int)>& finished, std::optional<std::uint64_t> root_key) {
    const Request request{table,   labels,     weights,   unit,      params,   sampling,
                          n_trees, first_tree, n_threads, signalled, finished, root_key};
    return table.code_bytes == 1 ? with_histogram<std::uint8_t>(request) : with_histogram<std::uint16_t>(request);
}

}  // namespace rankforest
