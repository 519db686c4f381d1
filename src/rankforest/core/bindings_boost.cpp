// Python bindings of boosting: fitting rounds of trees, returned as flat arrays.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "binding_tools.hpp"
#include "boost.hpp"
#include "boost_arrays.hpp"
#include "booster_rows.hpp"
#include "flat_boosted.hpp"
#include "table_arrays.hpp"

namespace rankforest {

using namespace nanobind::literals;

namespace {

// Boosters side by side, with the arrays that they read.
class BoostersOfArrays {
public:
    BoostersOfArrays(const TableArrays& arrays, Vector<std::uint8_t> labels, std::optional<Vector<double>> weights,
                     Bits held_out, std::vector<BoostParams> params)
        : arrays_(arrays), labels_(labels), weights_(weights), held_out_(held_out), table_(arrays_.view()) {
        require(!params.empty(), "at least one booster is needed");
        require_rows(static_cast<std::size_t>(table_.n_rows), labels, weights, held_out, params.size());
        arrays_.require_codes();
        for (const auto& each : params) require_constraints(each.tree, table_);
        boosters_.emplace(Training{table_, labels_.data(), weights_ ? weights_->data() : nullptr}, held_out_.data(),
                          std::move(params));
    }

    BoostersOfArrays(const BoostersOfArrays&) = delete;

    int n_rounds() const { return boosters_->n_rounds(); }
    int best_round() const { return boosters_->best_round(); }

    void advance(int n_rounds, int n_threads) {
        require(n_rounds >= 1, "at least one round is needed");
        const nb::gil_scoped_release released;
        boosters_->advance(n_rounds, n_threads, signalled);
    }

    void resume(std::vector<std::vector<BoostedTree>> grown) {
        require(grown.size() == static_cast<std::size_t>(boosters_->size()), "one list of trees per booster is needed");
        for (const auto& trees : grown) require(trees.size() == grown[0].size(), "boosters differ in their rounds");
        const nb::gil_scoped_release released;
        boosters_->resume(std::move(grown));
    }

    // Trees of a booster from a round on.
    std::vector<BoostedTree> grown(int b, int first) const {
        require(b >= 0 && b < begun().size(), "there is no such booster");
        std::vector<BoostedTree> found;
        for (int r = first; r < boosters_->n_rounds(); ++r) found.push_back(boosters_->tree(b, r));
        return found;
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
    derive_all(derived.at(scores.data()), derived.rows(), scores.data(), [&](std::uint32_t i, const Derivatives& d) {
        gradient[i] = d.gradient;
        hessian[i] = d.hessian;
    });
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
        .def_rw("category_discount", &GradientTreeParams::category_discount)
        .def_rw("random_cuts", &GradientTreeParams::random_cuts)
        .def_rw("symmetric", &GradientTreeParams::symmetric)
        .def_rw("constraints", &GradientTreeParams::constraints);
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
        .def_rw("seed", &BoostParams::seed)
        .def("__getstate__",
             [](const BoostParams& params) {
                 Writer writer;
                 pass_params(writer, params);
                 return to_bytes(writer.take());
             })
        .def("__setstate__", [](BoostParams& params, const nb::bytes& bytes) {
            new (&params) BoostParams();
            Reader reader(bytes.c_str(), bytes.size());
            pass_params(reader, params);
        });
    nb::class_<BoostersOfArrays>(m, "Boosters")
        .def(nb::init<const TableArrays&, Vector<std::uint8_t>, std::optional<Vector<double>>, Bits,
                      std::vector<BoostParams>>(),
             "table"_a, "labels"_a, "weights"_a.none(), "held_out"_a, "boosters"_a)
        .def("advance", &BoostersOfArrays::advance, "n_rounds"_a, "n_threads"_a)
        .def("resume", &BoostersOfArrays::resume, "grown"_a)
        .def("grown", &BoostersOfArrays::grown, "booster"_a, "first"_a)
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
