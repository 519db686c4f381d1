// Python bindings of boosting: fitting rounds of trees, returned as flat arrays.
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

template <class T>
Vector<T> array_of(const nb::dict& arrays, const char* name) {
    return nb::cast<Vector<T>>(arrays[name]);
}

// The trees of a dictionary as FlatTrees::to_dict() makes it, by round and then by booster. All their splits are
// categorical.
FirstTrees first_trees(const nb::dict& arrays, std::size_t n_boosters, const BinnedTable& table) {
    const auto feature = array_of<std::int32_t>(arrays, "feature"), left = array_of<std::int32_t>(arrays, "left"),
               right = array_of<std::int32_t>(arrays, "right"),
               set_offset = array_of<std::int32_t>(arrays, "set_offset");
    const auto gain = array_of<double>(arrays, "gain"), value = array_of<double>(arrays, "value");
    const auto missing_left = array_of<std::uint8_t>(arrays, "missing_left");
    const auto sets = array_of<std::uint64_t>(arrays, "sets");
    const auto nodes = array_of<std::int64_t>(arrays, "node_bounds"),
               leaves = array_of<std::int64_t>(arrays, "leaf_bounds"),
               words = array_of<std::int64_t>(arrays, "set_bounds");
    FirstTrees first(n_boosters);
    for (std::size_t t = 0; t + 1 < nodes.size(); ++t) {
        BoostedTree tree;
        for (std::int64_t i = nodes.data()[t]; i < nodes.data()[t + 1]; ++i) {
            const std::int32_t j = feature.data()[i];
            require(j >= 0 && j < table.n_features && table.categorical[j], "a first tree has a split of numbers");
            tree.nodes.push_back(
                {j, 0, left.data()[i], right.data()[i], set_offset.data()[i], 0u, 0u, missing_left.data()[i] != 0});
            tree.gain.push_back(gain.data()[i]);
        }
        tree.value.assign(value.data() + leaves.data()[t], value.data() + leaves.data()[t + 1]);
        tree.sets.assign(sets.data() + words.data()[t], sets.data() + words.data()[t + 1]);
        first[t % n_boosters].push_back(std::move(tree));
    }
    return first;
}

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

// Boosters side by side, with the arrays that they read.
class BoostersOfArrays {
public:
    BoostersOfArrays(const TableArrays& arrays, Vector<std::uint8_t> labels, std::optional<Vector<double>> weights,
                     Bits held_out, std::vector<BoostParams> params, const ShardRows& shards,
                     const std::optional<nb::dict>& first)
        : arrays_(arrays), labels_(labels), weights_(weights), held_out_(held_out), table_(arrays_.view()) {
        require(!params.empty(), "at least one booster is needed");
        require_rows(table_, labels, weights, held_out, params.size());
        arrays_.require_codes();
        FirstTrees trees = first ? first_trees(*first, params.size(), table_) : FirstTrees();
        boosters_.emplace(
            Training{table_, labels_.data(), weights_ ? weights_->data() : nullptr, make_shards(shards, table_.n_rows)},
            held_out_.data(), std::move(params), std::move(trees));
    }

    BoostersOfArrays(const BoostersOfArrays&) = delete;

    int n_rounds() const { return boosters_->n_rounds(); }
    int best_round() const { return boosters_->best_round(); }

    void advance(int n_rounds, int n_threads) {
        require(n_rounds >= 1, "at least one round is needed");
        const nb::gil_scoped_release released;
        boosters_->advance(n_rounds, n_threads, signalled);
    }

    nb::list curves() const {
        nb::list found;
        for (int b = 0; b < begun().size(); ++b) found.append(to_numpy(std::vector<double>(boosters_->curve(b))));
        return found;
    }

    nb::list held_out_scores(int n_rounds) const {
        nb::list found;
        for (int b = 0; b < begun(n_rounds).size(); ++b) found.append(to_numpy(boosters_->held_out_score(b, n_rounds)));
        return found;
    }

    nb::list fitted() const {
        nb::list found;
        for (int b = 0; b < begun().size(); ++b) found.append(to_numpy(std::vector<double>(boosters_->fitted(b))));
        return found;
    }

    std::vector<double> starts() const {
        std::vector<double> found;
        for (int b = 0; b < begun().size(); ++b) found.push_back(boosters_->start(b));
        return found;
    }

    // By round and then by booster.
    nb::dict trees(int n_rounds) const {
        FlatTrees flat;
        for (int r = 0; r < n_rounds; ++r)
            for (int b = 0; b < begun(n_rounds).size(); ++b) flat.add(boosters_->tree(b, r), table_);
        return flat.to_dict();
    }

private:
    const Boosters& begun(int n_rounds = 1) const {
        require(n_rounds >= 0 && n_rounds <= boosters_->n_rounds(), "there are not so many rounds");
        return *boosters_;
    }

    const TableArrays arrays_;
    const Vector<std::uint8_t> labels_;
    const std::optional<Vector<double>> weights_;
    const Bits held_out_;
    const BinnedTable table_;
    std::optional<Boosters> boosters_;  // cannot be moved
};

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
        .def_rw("random_cuts", &GradientTreeParams::random_cuts)
        .def_rw("symmetric", &GradientTreeParams::symmetric);
    nb::class_<BoostParams>(m, "BoostParams")
        .def(nb::init<>())
        .def_rw("tree", &BoostParams::tree)
        .def_prop_rw(
            "loss", [](const BoostParams& p) { return static_cast<int>(p.loss); },
            [](BoostParams& p, int v) { p.loss = static_cast<LossKind>(v); })
        .def_rw("threshold", &BoostParams::threshold)
        .def_rw("learning_rate", &BoostParams::learning_rate)
        .def_rw("subsample", &BoostParams::subsample)
        .def_rw("tree_features", &BoostParams::tree_features)
        .def_rw("seed", &BoostParams::seed);
    nb::class_<BoostersOfArrays>(m, "Boosters")
        .def(nb::init<const TableArrays&, Vector<std::uint8_t>, std::optional<Vector<double>>, Bits,
                      std::vector<BoostParams>, const ShardRows&, const std::optional<nb::dict>&>(),
             "table"_a, "labels"_a, "weights"_a.none(), "held_out"_a, "boosters"_a, "shards"_a.none() = nb::none(),
             "first_trees"_a.none() = nb::none())
        .def("advance", &BoostersOfArrays::advance, "n_rounds"_a, "n_threads"_a)
        .def_prop_ro("n_rounds", &BoostersOfArrays::n_rounds)
        .def_prop_ro("best_round", &BoostersOfArrays::best_round)
        .def("starts", &BoostersOfArrays::starts)
        .def("curves", &BoostersOfArrays::curves)
        .def("fitted", &BoostersOfArrays::fitted)
        .def("held_out_scores", &BoostersOfArrays::held_out_scores, "n_rounds"_a)
        .def("trees", &BoostersOfArrays::trees, "n_rounds"_a);
    m.def("loss_gradients", &loss_gradients, "loss"_a, "scores"_a, "labels"_a, "weights"_a.none());
}

}  // namespace rankforest
