// Python bindings of scoring: the decision DAG of one tree, samples of trees, and their out-of-bag scores.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "binding_tools.hpp"
#include "dag.hpp"
#include "interrupt.hpp"
#include "out_of_bag.hpp"
#include "row_blocks.hpp"

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

// For each tree, the bits of the rows that are out of bag.
Out<std::uint8_t> out_of_bag_bits(Vector<std::uint8_t> labels, std::int64_t size, bool replace,
                                  std::optional<std::vector<std::int64_t>> class_sizes, std::uint64_t seed,
                                  int first_tree, int n_trees, int n_threads,
                                  std::optional<Vector<std::int32_t>> groups) {
    const auto n = static_cast<std::int64_t>(labels.size());
    const Sampling sampling = make_sampling(labels, size, replace, class_sizes, groups);
    const std::int64_t stride = (n + 7) / 8;
    std::vector<std::uint8_t> bits(stride * n_trees, 0);
    {
        const nb::gil_scoped_release released;
        StopFlag stop;
        parallel_for(n_trees, n_threads, stop, signalled, [&](std::int64_t tree, int) {
            mark_left_out(labels.data(), n, sampling, sample_key(seed, first_tree + static_cast<int>(tree)),
                          bits.data() + tree * stride);
        });
    }
    return to_numpy(std::move(bits), {static_cast<std::size_t>(n_trees), static_cast<std::size_t>(stride)});
}

// How often each row is drawn in the sample of one tree.
Out<std::uint32_t> sample_of_tree(Vector<std::uint8_t> labels, std::int64_t size, bool replace,
                                  std::optional<std::vector<std::int64_t>> class_sizes, std::uint64_t seed, int tree,
                                  std::optional<Vector<std::int32_t>> groups) {
    const auto n = static_cast<std::int64_t>(labels.size());
    const Sampling sampling = make_sampling(labels, size, replace, class_sizes, groups);
    auto times = draw_sample(labels.data(), n, sampling, sample_key(seed, tree));
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
    m.def("out_of_bag_bits", &out_of_bag_bits, "labels"_a, "size"_a, "replace"_a, "class_sizes"_a.none(), "seed"_a,
          "first_tree"_a, "n_trees"_a, "n_threads"_a, "groups"_a.none() = nb::none());
    m.def("sample_of_tree", &sample_of_tree, "labels"_a, "size"_a, "replace"_a, "class_sizes"_a.none(), "seed"_a,
          "tree"_a, "groups"_a.none() = nb::none());
    nb::enum_<PairOrder>(m, "PairOrder")
        .value("mean", PairOrder::mean)
        .value("median", PairOrder::median)
        .value("majority", PairOrder::majority);
    m.def("out_of_bag_pairs", &out_of_bag_pairs_of, "scores"_a, "out_of_bag"_a, "positives"_a, "negatives"_a, "order"_a,
          "n_threads"_a);
}

}  // namespace rankforest
