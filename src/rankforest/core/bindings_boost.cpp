// Python bindings of boosting: fitting rounds of trees, returned as flat arrays.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "binding_tools.hpp"
#include "boost.hpp"
#include "table_arrays.hpp"

namespace rankforest {

using namespace nanobind::literals;

namespace {

using Bits = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// All trees in one set of arrays; the inner nodes, leaves and category sets of a tree are contiguous. A child >= 0 is a
// node of the same tree, a child < 0 is its leaf ~child.
struct FlatTrees {
    std::vector<std::int32_t> feature, left, right, set_offset;
    std::vector<double> threshold, gain, value;
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;
    std::vector<std::int64_t> node_bounds{0}, leaf_bounds{0}, set_bounds{0};

    void add(const BoostedTree& tree, const BinnedTable& table) {
        for (const auto& node : tree.nodes) {
            const bool categorical = node.set_offset >= 0;
            feature.push_back(node.feature);
            threshold.push_back(categorical ? 0.0 : table.threshold(node.feature, node.cut));
            left.push_back(node.left);
            right.push_back(node.right);
            missing_left.push_back(node.missing_left);
            set_offset.push_back(node.set_offset);
        }
        gain.insert(gain.end(), tree.gain.begin(), tree.gain.end());
        value.insert(value.end(), tree.value.begin(), tree.value.end());
        sets.insert(sets.end(), tree.sets.begin(), tree.sets.end());
        node_bounds.push_back(static_cast<std::int64_t>(feature.size()));
        leaf_bounds.push_back(static_cast<std::int64_t>(value.size()));
        set_bounds.push_back(static_cast<std::int64_t>(sets.size()));
    }

    nb::dict to_dict() {
        nb::dict d;
        d["feature"] = to_numpy(std::move(feature));
        d["threshold"] = to_numpy(std::move(threshold));
        d["left"] = to_numpy(std::move(left));
        d["right"] = to_numpy(std::move(right));
        d["missing_left"] = to_numpy(std::move(missing_left));
        d["set_offset"] = to_numpy(std::move(set_offset));
        d["sets"] = to_numpy(std::move(sets));
        d["gain"] = to_numpy(std::move(gain));
        d["value"] = to_numpy(std::move(value));
        d["node_bounds"] = to_numpy(std::move(node_bounds));
        d["leaf_bounds"] = to_numpy(std::move(leaf_bounds));
        d["set_bounds"] = to_numpy(std::move(set_bounds));
        return d;
    }
};

void require_rows(const BinnedTable& table, const Vector<std::uint8_t>& labels,
                  const std::optional<Vector<double>>& weights, const Bits& held_out, std::size_t n_boosters) {
    const auto n = static_cast<std::size_t>(table.n_rows);
    require(n >= 1 && n < std::size_t{1} << 31, "the table must have between 1 and 2^31 rows");
    require(labels.size() == n, "labels and codes differ in length");
    require(!weights || weights->size() == n, "weights and codes differ in length");
    require(held_out.shape(0) == n_boosters && held_out.shape(1) == n, "one row of flags per booster is needed");
    for (std::size_t i = 0; i < n; ++i) {
        require(labels.data()[i] <= 1, "labels must be 0 or 1");
        require(!weights || weights->data()[i] > 0.0, "weights must be positive");
    }
    for (std::size_t b = 0; b < n_boosters; ++b) {
        bool seen[2] = {false, false};
        for (std::size_t i = 0; i < n; ++i)
            if (!held_out.data()[b * n + i]) seen[labels.data()[i]] = true;
        require(seen[0] && seen[1], "every booster needs rows of both classes");
    }
}

// Returns (trees, by round and then by booster; start and curve of each booster; its held-out scores; the sum of all
// its trees for each row, if no row is held out; rounds).
nb::tuple boost_of(const TableArrays& arrays, Vector<std::uint8_t> labels, std::optional<Vector<double>> weights,
                   Bits held_out, const std::vector<BoostParams>& boosters, int n_rounds, int patience, int n_threads,
                   std::optional<std::function<void(int)>> rounds_done, const ShardRows& shards) {
    const BinnedTable table = arrays.view();
    require_rows(table, labels, weights, held_out, boosters.size());
    require(!boosters.empty() && n_rounds >= 0, "at least one booster is needed");
    arrays.require_codes();
    const auto row_shards = make_shards(shards, table.n_rows);
    BoostResult result;
    FlatTrees flat;
    {
        const nb::gil_scoped_release released;
        std::function<void(int)> report;
        if (rounds_done)
            report = [&](int done) {
                const nb::gil_scoped_acquire gil;
                (*rounds_done)(done);
            };
        result = boost(table, labels.data(), weights ? weights->data() : nullptr, held_out.data(), boosters,
                       {n_rounds, patience}, n_threads, signalled, report, row_shards);
        for (int r = 0; r < result.best_round; ++r)
            for (const auto& b : result.boosters) flat.add(b.trees[r], table);
    }
    nb::list starts, curves, scores, fitted;
    for (auto& b : result.boosters) {
        starts.append(b.start);
        curves.append(to_numpy(std::move(b.curve)));
        scores.append(to_numpy(std::move(b.held_out_score)));
        fitted.append(to_numpy(std::move(b.fitted)));
    }
    return nb::make_tuple(flat.to_dict(), starts, curves, scores, fitted, result.best_round);
}

// Gradients and hessians of a loss at given scores, which the tests compare with brute force.
nb::tuple loss_gradients(int loss, Vector<double> scores, Vector<std::uint8_t> labels,
                         std::optional<Vector<double>> weights) {
    const std::size_t n = labels.size();
    require(scores.size() == n && (!weights || weights->size() == n), "scores, labels and weights differ in length");
    std::vector<std::uint32_t> rows(n);
    for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::uint32_t>(i);
    RankLoss derived(static_cast<LossKind>(loss),
                     {rows.data(), static_cast<std::int64_t>(n), labels.data(), weights ? weights->data() : nullptr});
    std::vector<double> gradient(n), hessian(n);
    derived.derive(scores.data(), gradient.data(), hessian.data());
    return nb::make_tuple(to_numpy(std::move(gradient)), to_numpy(std::move(hessian)), derived.start());
}

}  // namespace

void bind_boost(nb::module_& m) {
    nb::class_<GradientTreeParams>(m, "GradientTreeParams")
        .def(nb::init<>())
        .def_rw("max_depth", &GradientTreeParams::max_depth)
        .def_rw("max_leaf_nodes", &GradientTreeParams::max_leaf_nodes)
        .def_rw("max_features", &GradientTreeParams::max_features)
        .def_rw("min_samples_leaf", &GradientTreeParams::min_samples_leaf)
        .def_rw("min_hessian_leaf", &GradientTreeParams::min_hessian_leaf)
        .def_rw("l2", &GradientTreeParams::l2)
        .def_rw("category_smoothing", &GradientTreeParams::category_smoothing)
        .def_rw("category_l2", &GradientTreeParams::category_l2)
        .def_rw("random_cuts", &GradientTreeParams::random_cuts);
    nb::class_<BoostParams>(m, "BoostParams")
        .def(nb::init<>())
        .def_rw("tree", &BoostParams::tree)
        .def_prop_rw(
            "loss", [](const BoostParams& p) { return static_cast<int>(p.loss); },
            [](BoostParams& p, int v) { p.loss = static_cast<LossKind>(v); })
        .def_rw("threshold", &BoostParams::threshold)
        .def_rw("learning_rate", &BoostParams::learning_rate)
        .def_rw("subsample", &BoostParams::subsample)
        .def_rw("seed", &BoostParams::seed);
    m.def("boost", &boost_of, "table"_a, "labels"_a, "weights"_a.none(), "held_out"_a, "boosters"_a, "n_rounds"_a,
          "patience"_a, "n_threads"_a, "rounds_done"_a.none() = nb::none(), "shards"_a.none() = nb::none());
    m.def("loss_gradients", &loss_gradients, "loss"_a, "scores"_a, "labels"_a, "weights"_a.none());
}

}  // namespace rankforest
