// Python bindings of forests: trees that score together, the sums of their values, and out-of-bag sums.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "binding_tools.hpp"
#include "dag.hpp"
#include "forest.hpp"
#include "shapley.hpp"
#include "tree_sum.hpp"
#include "walk_forest.hpp"

namespace rankforest {

using namespace nanobind::literals;

namespace {

using Bits = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require_bounds(const Vector<std::int64_t>& bounds, std::size_t n) {
    require(
        bounds.size() >= 1 && bounds.data()[0] == 0 && bounds.data()[bounds.size() - 1] == static_cast<std::int64_t>(n),
        "the bounds of the trees do not match their arrays");
    for (std::size_t t = 1; t < bounds.size(); ++t)
        require(bounds.data()[t - 1] <= bounds.data()[t], "the bounds of the trees must not decrease");
}

// All trees in one set of arrays, as boosting makes them; each leaf is its own label.
std::shared_ptr<Forest> forest_of_arrays(Vector<std::int32_t> feature, Vector<double> threshold,
                                         Vector<std::int32_t> left, Vector<std::int32_t> right,
                                         Vector<std::uint8_t> missing_left, Vector<std::int32_t> set_offset,
                                         Vector<std::uint64_t> sets, Vector<std::int64_t> node_bounds,
                                         Vector<std::int64_t> leaf_bounds, Vector<std::int64_t> set_bounds,
                                         const std::vector<std::int32_t>& n_codes) {
    const std::size_t n = feature.size();
    require(threshold.size() == n && left.size() == n && right.size() == n && missing_left.size() == n &&
                set_offset.size() == n,
            "the node arrays of the trees differ in length");
    require(node_bounds.size() == leaf_bounds.size() && node_bounds.size() == set_bounds.size(),
            "nodes, leaves and sets are of different numbers of trees");
    require_bounds(node_bounds, n);
    require_bounds(set_bounds, sets.size());
    require(leaf_bounds.data()[0] == 0, "the bounds of the trees do not match their arrays");
    std::vector<std::int32_t> labels;
    std::vector<std::shared_ptr<Dag>> dags;
    for (std::size_t t = 0; t + 1 < node_bounds.size(); ++t) {
        const std::int64_t node = node_bounds.data()[t], set = set_bounds.data()[t];
        const std::int64_t n_leaves = leaf_bounds.data()[t + 1] - leaf_bounds.data()[t];
        require(0 <= n_leaves && n_leaves < std::int64_t{1} << 30, "the bounds of the trees must not decrease");
        labels.resize(n_leaves);
        for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int32_t>(i);
        const DagArrays arrays{node_bounds.data()[t + 1] - node,
                               static_cast<std::int64_t>(labels.size()),
                               set_bounds.data()[t + 1] - set,
                               feature.data() + node,
                               left.data() + node,
                               right.data() + node,
                               set_offset.data() + node,
                               threshold.data() + node,
                               missing_left.data() + node,
                               sets.data() + set,
                               labels.data()};
        dags.push_back(std::make_shared<Dag>(arrays, n_codes));
    }
    return std::make_shared<Forest>(std::move(dags));
}

TreeSum make_tree_sum(std::shared_ptr<const Forest> forest, Vector<double> value, Vector<std::int64_t> bounds) {
    return TreeSum(std::move(forest), {value.data(), value.data() + value.size()},
                   {bounds.data(), bounds.data() + bounds.size()});
}

Out<double> sum(const TreeSum& trees, Matrix X, std::int64_t first, std::int64_t last, int n_threads) {
    const Forest& forest = trees.forest();
    require(0 <= first && first <= last && last <= static_cast<std::int64_t>(forest.size()),
            "there are not so many trees");
    for (std::int64_t t = first; t < last; ++t) require_width(forest[t], X);
    std::vector<double> sums(X.shape(0));
    {
        const nb::gil_scoped_release released;
        trees.sum(raw_rows(X, n_threads), first, last, sums.data());
    }
    return to_numpy(std::move(sums));
}

// Sums over the background rows Z of their weight times the Shapley values of the pair (x, z); see shapley.hpp.
Out<double> shapley(const TreeSum& trees, Matrix X, Matrix Z, Vector<double> weight, std::optional<Matrix> pair_weight,
                    bool interactions, int n_threads) {
    const Forest& forest = trees.forest();
    for (std::size_t t = 0; t < forest.size(); ++t) {
        require_width(forest[t], X);
        require_width(forest[t], Z);
    }
    const std::size_t n = X.shape(0), m = Z.shape(0), q = X.shape(1);
    require(Z.shape(1) == q && weight.size() == m, "one weight per background row is needed");
    require(!pair_weight || (pair_weight->shape(0) == n && pair_weight->shape(1) == m),
            "one weight per pair of rows is needed");
    std::vector<double> values(n * q * (interactions ? q : 1), 0.0);
    {
        const nb::gil_scoped_release released;
        const Background background{Z.data(), static_cast<std::int64_t>(m), weight.data(),
                                    pair_weight ? pair_weight->data() : nullptr};
        shapley_values(trees, raw_rows(X, n_threads), background, interactions, values.data());
    }
    return to_numpy(std::move(values), interactions ? std::vector<std::size_t>{n, q, q} : std::vector{n, q});
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
    const auto rows_of_tree = [&](std::int64_t t, std::int64_t begin, std::int64_t end, std::int32_t* rows) {
        const std::uint8_t* bits = out_of_bag.data() + t * stride;
        std::int64_t n_listed = 0;
        for (std::int64_t row = first_row + begin; row < first_row + end; ++row) {  // branchless: bits are random
            rows[n_listed] = static_cast<std::int32_t>(row - first_row - begin);
            n_listed += (bits[row >> 3] >> (row & 7)) & 1;
        }
        return n_listed;
    };
    const auto add = [&](std::int64_t t, std::int64_t begin, std::int64_t n_listed, const std::int32_t* rows,
                         const std::int32_t* labels) {
        const double* value = values[t].data();
        for (std::int64_t i = 0; i < n_listed; ++i) {
            sums[begin + rows[i]] += value[labels[i]];
            ++counts[begin + rows[i]];
        }
    };
    {
        const nb::gil_scoped_release released;
        walk_listed(forest, raw_rows(X, n_threads), rows_of_tree, add);
    }
    return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(counts)));
}

}  // namespace

void bind_forest(nb::module_& m) {
    nb::class_<Forest>(m, "Forest")
        .def(nb::init<std::vector<std::shared_ptr<Dag>>>(), "dags"_a)
        .def_static("of_arrays", &forest_of_arrays, "feature"_a, "threshold"_a, "left"_a, "right"_a, "missing_left"_a,
                    "set_offset"_a, "sets"_a, "node_bounds"_a, "leaf_bounds"_a, "set_bounds"_a, "n_codes"_a)
        .def(
            "is_coded",
            [](const Forest& forest, std::int64_t n_rows) {
                return forest.coded_for(n_rows, static_cast<std::int64_t>(forest.size())) != nullptr;
            },
            "n_rows"_a)
        .def("n_symmetric", [](const Forest& forest) {
            const CodedTrees coded = forest.code();
            int n = 0;
            for (std::size_t t = 0; t < coded.size(); ++t) n += coded.is_symmetric(t);
            return n;
        });
    nb::class_<TreeSum>(m, "TreeSum")
        .def(
            "__init__",
            [](TreeSum* self, std::shared_ptr<Forest> forest, Vector<double> value, Vector<std::int64_t> bounds) {
                new (self) TreeSum(make_tree_sum(std::move(forest), value, bounds));
            },
            "forest"_a, "value"_a, "bounds"_a)
        .def("sum", &sum, "X"_a, "first"_a, "last"_a, "n_threads"_a)
        .def("shapley", &shapley, "X"_a, "Z"_a, "weight"_a, "pair_weight"_a.none(), "interactions"_a, "n_threads"_a);
    m.def("tree_scores", &tree_scores, "forest"_a, "values"_a, "X"_a, "n_threads"_a);
    m.def("out_of_bag_sums", &out_of_bag_sums, "forest"_a, "values"_a, "X"_a, "out_of_bag"_a, "first_row"_a,
          "n_threads"_a);
}

}  // namespace rankforest
