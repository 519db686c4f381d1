// Python bindings of trees of ordered labels: growing them, and the label distribution that a forest of them predicts.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "binding_tools.hpp"
#include "constraint_arrays.hpp"
#include "far_trees.hpp"
#include "ordinal_criterion.hpp"
#include "ordinal_tree.hpp"
#include "row_blocks.hpp"
#include "table_arrays.hpp"

namespace rankforest {

using namespace nanobind::literals;

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Bits = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void require_levels(const std::vector<double>& levels) {
    require(levels.size() >= 2 && levels.size() <= 255, "between 2 and 255 ordered labels are needed");
    for (std::size_t i = 1; i < levels.size(); ++i) require(levels[i - 1] < levels[i], "the levels must increase");
}

nb::dict to_dict(OrdinalTree&& t) {
    nb::dict d;
    const std::size_t leaves = t.leaf_count.size(), levels = t.leaf_mass.size() / leaves;
    d["feature"] = to_numpy(std::move(t.feature));
    d["threshold"] = to_numpy(std::move(t.threshold));
    d["left"] = to_numpy(std::move(t.left));
    d["right"] = to_numpy(std::move(t.right));
    d["missing_left"] = to_numpy(std::move(t.missing_left));
    d["set_offset"] = to_numpy(std::move(t.set_offset));
    d["sets"] = to_numpy(std::move(t.sets));
    d["node_gain"] = to_numpy(std::move(t.node_gain));
    d["node_count"] = to_numpy(std::move(t.node_count));
    d["leaf_mass"] = to_numpy(std::move(t.leaf_mass), {leaves, levels});
    d["leaf_count"] = to_numpy(std::move(t.leaf_count));
    return d;
}

nb::list grow_ordinal(const TableArrays& arrays, Vector<std::uint8_t> labels,
                      std::optional<Vector<std::int64_t>> weights, double unit, const InnerParams& params,
                      std::uint64_t seed, std::int64_t sample_size, bool replace, int n_trees, int first_tree,
                      int n_threads, std::optional<std::function<void(int)>> finished,
                      std::optional<Vector<std::uint32_t>> times, std::optional<Vector<std::int32_t>> groups) {
    const BinnedTable table = arrays.view();
    require(!groups || !arrays.is_far(), "groups are drawn where all rows are");
    arrays.require_rows(labels, weights, times, n_trees);
    require_levels(params.levels);
    require_constraints(params.constraints, table);
    require(params.min_mass_leaf == 0.0, "trees of ordered labels balance no classes");
    for (std::size_t i = 0; i < labels.size(); ++i)
        require(labels.data()[i] < params.levels.size(), "a label is beyond the levels");
    arrays.require_codes();
    if (weights) {  // sums must be integers that doubles hold, even if a row is drawn dozens of times
        const std::int64_t most = std::int64_t{1} << ((sample_size > 0 && replace) || times ? 46 : 52);
        std::int64_t total = 0;
        for (std::size_t i = 0; i < labels.size(); ++i) {
            require(weights->data()[i] > 0, "masses must be positive");
            total += weights->data()[i];
            require(total <= most + static_cast<std::int64_t>(labels.size()),
                    "the masses are too large to be summed exactly");
        }
    }
    const Sampling sampling = make_sampling(labels, sample_size, replace, std::nullopt, groups);
    std::vector<OrdinalTree> trees;
    if (arrays.is_far()) {
        const auto make = [&](int tree) {
            const std::uint64_t key = child_key(child_key(mix(seed), first_tree + tree), 1);
            return grow_far_ordinal(table, weights.has_value(), unit, params, key, arrays.near());
        };
        const FarDraw draw{sample_size, replace, std::nullopt, seed, first_tree};
        trees = grow_far_trees<OrdinalTree>(arrays, make,
                                            {static_cast<int>(params.levels.size()), false,
                                             weights ? std::vector<double>{unit} : std::vector<double>()},
                                            draw, n_trees, finished);
    } else {
        const nb::gil_scoped_release released;
        std::function<void(int)> report;
        if (finished)
            report = [&](int tree) {
                const nb::gil_scoped_acquire gil;
                (*finished)(tree);
            };
        trees = grow_ordinal_trees({table, labels.data(), weights ? weights->data() : nullptr, unit, seed, sampling,
                                    n_trees, first_tree, n_threads, signalled, report, times ? times->data() : nullptr},
                                   params);
    }
    nb::list out;
    for (auto& tree : trees) out.append(to_dict(std::move(tree)));
    return out;
}

// For each row: the sum over the trees of tables[tree][leaf of the row], and the number of trees. With out_of_bag, only
// trees that were not trained on the row. out_of_bag has one row of bits per tree, the lowest bit of a byte first; the
// rows of X are rows first_row, first_row + 1, ... of the training table.
nb::tuple sum_tables(const std::vector<const Dag*>& dags, const std::vector<Matrix>& tables, Matrix X,
                     std::optional<Bits> out_of_bag, std::int64_t first_row, int n_threads) {
    require(!dags.empty() && dags.size() == tables.size(), "one table per tree is needed");
    const auto n = static_cast<std::int64_t>(X.shape(0)), q = static_cast<std::int64_t>(X.shape(1)),
               n_trees = static_cast<std::int64_t>(dags.size());
    const auto width = static_cast<std::int64_t>(tables[0].shape(1));
    for (std::int64_t t = 0; t < n_trees; ++t) {
        require(static_cast<std::int64_t>(dags[t]->n_features()) == q,
                "X has a different number of features than the tree");
        require(static_cast<std::int64_t>(tables[t].shape(0)) == dags[t]->n_labels() &&
                    static_cast<std::int64_t>(tables[t].shape(1)) == width,
                "a table has one row per leaf, and all are equally wide");
    }
    if (out_of_bag) {
        require(out_of_bag->shape(0) == dags.size(), "one row of bits per tree is needed");
        require(first_row >= 0 && first_row + n <= static_cast<std::int64_t>(out_of_bag->shape(1)) * 8,
                "the bits do not reach to the last row");
    }
    std::vector<double> sums(n * width, 0.0);
    std::vector<std::int32_t> counts(n, 0);
    const std::int64_t stride = out_of_bag ? static_cast<std::int64_t>(out_of_bag->shape(1)) : 0;
    const auto add = [&](std::int64_t t, std::int64_t begin, std::int64_t end, const std::int32_t* leaves) {
        const double* table = tables[t].data();
        const std::uint8_t* bits = out_of_bag ? out_of_bag->data() + t * stride : nullptr;
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t row = first_row + i;
            if (bits && !((bits[row >> 3] >> (row & 7)) & 1)) continue;
            const double* values = table + leaves[i - begin] * width;
            double* sum = sums.data() + i * width;
            for (std::int64_t c = 0; c < width; ++c) sum[c] += values[c];
            ++counts[i];
        }
    };
    {
        const nb::gil_scoped_release released;
        const RawRows rows = raw_rows(X, n_threads);
        for_row_blocks(rows, n_trees, blocks_for(q, bytes_of(dags)), [&](std::int64_t begin, std::int64_t end) {
            std::int32_t leaves[most_block_rows];
            for (std::int64_t t = 0; t < n_trees; ++t) {
                dags[t]->walk(rows.row(begin), end - begin, leaves);
                add(t, begin, end, leaves);
            }
        });
    }
    return nb::make_tuple(to_numpy(std::move(sums), {static_cast<std::size_t>(n), static_cast<std::size_t>(width)}),
                          to_numpy(std::move(counts)));
}

// ---- single kernels, which the tests compare with brute force ----

template <class Criterion>
std::pair<double, double> gain_of(const std::vector<double>& left, const std::vector<double>& node,
                                  const std::vector<double>& cell, const std::vector<double>& levels) {
    const Criterion criterion(node.data(), cell.data(), levels);
    const double gain = criterion.gain(left.data());
    return {gain, criterion.priority(gain)};
}

nb::tuple ordinal_gain(int kind, const std::vector<double>& left, const std::vector<double>& node,
                       const std::vector<double>& cell, const std::vector<double>& levels) {
    require_levels(levels);
    require(left.size() == levels.size() && node.size() == levels.size() && cell.size() == levels.size(),
            "one mass per level is needed");
    std::pair<double, double> found;
    switch (static_cast<CriterionKind>(kind)) {
        case CriterionKind::ranking: found = gain_of<RankingImpurity>(left, node, cell, levels); break;
        case CriterionKind::ordinal_gini: found = gain_of<OrdinalGini>(left, node, cell, levels); break;
        case CriterionKind::weighted_information_gain:
            found = gain_of<WeightedInformationGain>(left, node, cell, levels);
            break;
        case CriterionKind::nominal_gini: found = gain_of<NominalGini>(left, node, cell, levels); break;
        default: throw std::invalid_argument("not a criterion of ordered labels");
    }
    return nb::make_tuple(found.first, found.second);
}

}  // namespace

void bind_ordinal(nb::module_& m) {
    m.def("grow_ordinal", &grow_ordinal, "table"_a, "labels"_a, "weights"_a.none(), "unit"_a, "params"_a, "seed"_a,
          "sample_size"_a, "replace"_a, "n_trees"_a, "first_tree"_a, "n_threads"_a, "finished"_a.none() = nb::none(),
          "times"_a.none() = nb::none(), "groups"_a.none() = nb::none());
    m.def("sum_tables", &sum_tables, "dags"_a, "tables"_a, "X"_a, "out_of_bag"_a.none(), "first_row"_a, "n_threads"_a);
    m.def("ordinal_gain", &ordinal_gain, "criterion"_a, "left"_a, "node"_a, "cell"_a, "levels"_a);
}

}  // namespace rankforest
