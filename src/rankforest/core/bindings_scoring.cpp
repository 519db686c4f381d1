// Python bindings of scoring: the decision DAG of one tree, sums over the trees of a forest, and out-of-bag scores.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "binding_tools.hpp"
#include "dag.hpp"
#include "forest.hpp"
#include "interrupt.hpp"
#include "out_of_bag.hpp"
#include "row_blocks.hpp"
#include "walk_forest.hpp"

namespace rankforest {

using namespace nanobind::literals;

namespace {

using Bits = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Dag make_dag(Vector<std::int32_t> feature, Vector<double> threshold, Vector<std::int32_t> left,
             Vector<std::int32_t> right, Vector<std::uint8_t> missing_left, Vector<std::int32_t> set_offset,
             Vector<std::uint64_t> sets, Vector<std::int32_t> terminal_label,
             const std::vector<std::int32_t>& n_codes) {
    const std::size_t n = feature.size();
    require(threshold.size() == n && left.size() == n && right.size() == n && missing_left.size() == n &&
                set_offset.size() == n,
            "the node arrays of the ranking tree differ in length");
    return Dag({static_cast<std::int64_t>(n), static_cast<std::int64_t>(terminal_label.size()),
                static_cast<std::int64_t>(sets.size()), feature.data(), left.data(), right.data(), set_offset.data(),
                threshold.data(), missing_left.data(), sets.data(), terminal_label.data()},
               n_codes);
}

void require_width(const Dag& dag, const Matrix& X) {
    require(X.shape(1) == static_cast<std::size_t>(dag.n_features()),
            "X has a different number of features than the ranking tree");
}

Out<std::int32_t> walk(const Dag& dag, Matrix X, int n_threads) {
    require_width(dag, X);
    const RawRows rows = raw_rows(X, n_threads);
    std::vector<std::int32_t> labels(rows.n);
    {
        const nb::gil_scoped_release released;
        for_row_blocks(rows, 1, blocks_for(rows.n_features, dag.bytes()), [&](std::int64_t begin, std::int64_t end) {
            dag.walk(rows.row(begin), end - begin, labels.data() + begin);
        });
    }
    return to_numpy(std::move(labels));
}

void require_values(const Forest& forest, const std::vector<Vector<double>>& values, const Matrix& X) {
    require(forest.size() == values.size(), "one array of values per tree is needed");
    for (std::size_t t = 0; t < forest.size(); ++t) {
        require_width(forest[t], X);
        require(values[t].size() == static_cast<std::size_t>(forest[t].n_labels()), "one value per label is needed");
    }
}

// Walks all rows down all trees, without the GIL.
template <class Task>
void walk_all(const Forest& forest, const Matrix& X, int n_threads, const Task& task) {
    const nb::gil_scoped_release released;
    walk_forest(forest, raw_rows(X, n_threads), 0, static_cast<std::int64_t>(forest.size()), task);
}

// Sum over trees of values[tree][label of the row's terminal].
Out<double> sum_scores(const Forest& forest, const std::vector<Vector<double>>& values, Matrix X, int n_threads) {
    require_values(forest, values, X);
    std::vector<double> sums(X.shape(0), 0.0);
    walk_all(forest, X, n_threads,
             [&](std::int64_t t, std::int64_t begin, std::int64_t end, const std::int32_t* labels) {
                 const double* value = values[t].data();
                 for (std::int64_t i = begin; i < end; ++i) sums[i] += value[labels[i - begin]];
             });
    return to_numpy(std::move(sums));
}

// values[tree][label of the row's terminal], row after row.
Out<double> tree_scores(const Forest& forest, const std::vector<Vector<double>>& values, Matrix X, int n_threads) {
    require_values(forest, values, X);
    const auto n_trees = static_cast<std::int64_t>(forest.size());
    std::vector<double> scores(X.shape(0) * forest.size());
    walk_all(forest, X, n_threads,
             [&](std::int64_t t, std::int64_t begin, std::int64_t end, const std::int32_t* labels) {
                 for (std::int64_t i = begin; i < end; ++i)
                     scores[i * n_trees + t] = values[t].data()[labels[i - begin]];
             });
    return to_numpy(std::move(scores), {X.shape(0), forest.size()});
}

// For each row: the sum over the trees that were not trained on it, and their number. out_of_bag: one row of bits per
// tree, the lowest bit of a byte first; the rows of X are rows first_row, first_row + 1, ... of the training table.
nb::tuple out_of_bag_sums(const Forest& forest, const std::vector<Vector<double>>& values, Matrix X, Bits out_of_bag,
                          std::int64_t first_row, int n_threads) {
    require_values(forest, values, X);
    const auto n = static_cast<std::int64_t>(X.shape(0));
    require(out_of_bag.shape(0) == forest.size(), "one row of bits per tree is needed");
    require(first_row >= 0 && first_row + n <= static_cast<std::int64_t>(out_of_bag.shape(1)) * 8,
            "the bits do not reach to the last row");
    std::vector<double> sums(n, 0.0);
    std::vector<std::int32_t> counts(n, 0);
    const std::int64_t stride = static_cast<std::int64_t>(out_of_bag.shape(1));
    walk_all(forest, X, n_threads,
             [&](std::int64_t t, std::int64_t begin, std::int64_t end, const std::int32_t* labels) {
                 const double* value = values[t].data();
                 const std::uint8_t* bits = out_of_bag.data() + t * stride;
                 for (std::int64_t i = begin; i < end; ++i) {
                     const std::int64_t row = first_row + i;
                     if (!((bits[row >> 3] >> (row & 7)) & 1)) continue;
                     sums[i] += value[labels[i - begin]];
                     ++counts[i];
                 }
             });
    return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(counts)));
}

// For each tree, the bits of the rows that are out of bag.
Out<std::uint8_t> out_of_bag_bits(Vector<std::uint8_t> labels, std::int64_t size, bool replace,
                                  std::optional<std::vector<std::int64_t>> class_sizes, std::uint64_t seed,
                                  int first_tree, int n_trees, int n_threads) {
    const auto n = static_cast<std::int64_t>(labels.size());
    const Sampling sampling = make_sampling(labels, size, replace, class_sizes);
    const std::int64_t stride = (n + 7) / 8;
    std::vector<std::uint8_t> bits(stride * n_trees, 0);
    {
        const nb::gil_scoped_release released;
        StopFlag stop;
        parallel_for(n_trees, n_threads, stop, signalled, [&](std::int64_t tree, int) {
            const auto times =
                draw_sample(labels.data(), n, sampling, sample_key(seed, first_tree + static_cast<int>(tree)));
            for (std::int64_t i = 0; i < n; ++i)
                if (!times.empty() && times[i] == 0)
                    bits[tree * stride + (i >> 3)] |= static_cast<std::uint8_t>(1u << (i & 7));
        });
    }
    return to_numpy(std::move(bits), {static_cast<std::size_t>(n_trees), static_cast<std::size_t>(stride)});
}

// How often each row is drawn in the sample of one tree.
Out<std::uint32_t> sample_of_tree(Vector<std::uint8_t> labels, std::int64_t size, bool replace,
                                  std::optional<std::vector<std::int64_t>> class_sizes, std::uint64_t seed, int tree) {
    const auto n = static_cast<std::int64_t>(labels.size());
    auto times =
        draw_sample(labels.data(), n, make_sampling(labels, size, replace, class_sizes), sample_key(seed, tree));
    if (times.empty()) times.assign(n, 1);
    return to_numpy(std::move(times));
}

Out<double> out_of_bag_pairs_of(Matrix scores, Bits out_of_bag, Vector<std::int64_t> positives,
                                Vector<std::int64_t> negatives, PairOrder order, int n_threads) {
    const auto n = static_cast<std::int64_t>(scores.shape(0)), n_trees = static_cast<std::int64_t>(scores.shape(1));
    require(out_of_bag.shape(0) == scores.shape(0) && out_of_bag.shape(1) == scores.shape(1),
            "one flag per row and tree is needed");
    require(positives.size() == negatives.size(), "pairs have two ends");
    for (std::size_t i = 0; i < positives.size(); ++i)
        require(
            positives.data()[i] >= 0 && positives.data()[i] < n && negatives.data()[i] >= 0 && negatives.data()[i] < n,
            "a pair names a row that is not there");
    std::vector<double> won;
    {
        const nb::gil_scoped_release released;
        won = out_of_bag_pairs(scores.data(), out_of_bag.data(), n_trees, positives.data(), negatives.data(),
                               static_cast<std::int64_t>(positives.size()), order, n_threads, signalled);
    }
    return to_numpy(std::move(won));
}

}  // namespace

void bind_scoring(nb::module_& m) {
    nb::class_<Dag>(m, "Dag")
        .def(
            "__init__",
            [](Dag* self, Vector<std::int32_t> feature, Vector<double> threshold, Vector<std::int32_t> left,
               Vector<std::int32_t> right, Vector<std::uint8_t> missing_left, Vector<std::int32_t> set_offset,
               Vector<std::uint64_t> sets, Vector<std::int32_t> terminal_label,
               const std::vector<std::int32_t>& n_codes) {
                new (self) Dag(
                    make_dag(feature, threshold, left, right, missing_left, set_offset, sets, terminal_label, n_codes));
            },
            "feature"_a, "threshold"_a, "left"_a, "right"_a, "missing_left"_a, "set_offset"_a, "sets"_a,
            "terminal_label"_a, "n_codes"_a)
        .def("walk", &walk, "X"_a, "n_threads"_a);
    nb::class_<Forest>(m, "Forest")
        .def(nb::init<std::vector<std::shared_ptr<Dag>>>(), "dags"_a)
        .def(
            "is_coded", [](const Forest& forest, std::int64_t n_rows) { return forest.coded_for(n_rows) != nullptr; },
            "n_rows"_a);
    m.def("sum_scores", &sum_scores, "forest"_a, "values"_a, "X"_a, "n_threads"_a);
    m.def("tree_scores", &tree_scores, "forest"_a, "values"_a, "X"_a, "n_threads"_a);
    m.def("out_of_bag_sums", &out_of_bag_sums, "forest"_a, "values"_a, "X"_a, "out_of_bag"_a, "first_row"_a,
          "n_threads"_a);
    m.def("out_of_bag_bits", &out_of_bag_bits, "labels"_a, "size"_a, "replace"_a, "class_sizes"_a.none(), "seed"_a,
          "first_tree"_a, "n_trees"_a, "n_threads"_a);
    m.def("sample_of_tree", &sample_of_tree, "labels"_a, "size"_a, "replace"_a, "class_sizes"_a.none(), "seed"_a,
          "tree"_a);
    nb::enum_<PairOrder>(m, "PairOrder")
        .value("mean", PairOrder::mean)
        .value("median", PairOrder::median)
        .value("majority", PairOrder::majority);
    m.def("out_of_bag_pairs", &out_of_bag_pairs_of, "scores"_a, "out_of_bag"_a, "positives"_a, "negatives"_a, "order"_a,
          "n_threads"_a);
}

}  // namespace rankforest
