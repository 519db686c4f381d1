// Python bindings of rank aggregation: distances, pairwise preferences, components, local search.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>

#include "binding_tools.hpp"
#include "components.hpp"
#include "insertion_search.hpp"
#include "kendall.hpp"
#include "preferences.hpp"

namespace rankforest {

using namespace nb::literals;

namespace {

template <class T>
using Rows = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Weights = std::optional<Vector<double>>;

const double* data_or_null(const Weights& weights) { return weights ? weights->data() : nullptr; }

void require_items(std::size_t n) {
    require(n >= 1 && n < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
            "a ranking has between 1 and 2^31 items");
}

Profile view(const Rows<double>& profile, const Weights& ranking_weights, const Weights& item_weights) {
    require_items(profile.shape(1));
    require(profile.shape(0) >= 1, "a profile has at least one ranking");
    require(profile.shape(0) < static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()),
            "a profile has fewer than 2^31 rankings");
    require(!ranking_weights || ranking_weights->size() == profile.shape(0), "one weight per ranking is needed");
    require(!item_weights || item_weights->size() == profile.shape(1), "one weight per item is needed");
    return {profile.data(), static_cast<std::int64_t>(profile.shape(0)), static_cast<std::int64_t>(profile.shape(1)),
            data_or_null(ranking_weights), data_or_null(item_weights)};
}

nb::tuple kendall_masses(Vector<double> first, Vector<double> second, const Weights& weights) {
    require_items(first.size());
    require(second.size() == first.size(), "the two rankings differ in length");
    require(!weights || weights->size() == first.size(), "one weight per item is needed");
    const auto n = static_cast<std::int64_t>(first.size());
    PairMasses masses;
    {
        const nb::gil_scoped_release released;
        masses = compare_rankings(sort_ranking(first.data(), n), sort_ranking(second.data(), n), data_or_null(weights));
    }
    return nb::make_tuple(masses.discordant, masses.tied_first, masses.tied_second);
}

Out<double> kendall_matrix(Rows<double> values, const Weights& weights, double penalty, int n_threads) {
    const Profile profile = view(values, std::nullopt, weights);
    const auto n = static_cast<std::size_t>(profile.n_rankings);
    std::vector<double> distance(n * n);
    {
        const nb::gil_scoped_release released;
        distance_matrix(profile.values, profile.n_rankings, profile.n_items, profile.item_weight, penalty, n_threads,
                        signalled, distance.data());
    }
    return to_numpy(std::move(distance), {n, n});
}

Out<double> preference_counts(Rows<double> values, const Weights& ranking_weights, int n_threads) {
    const Profile profile = view(values, ranking_weights, std::nullopt);
    const auto n = static_cast<std::size_t>(profile.n_items);
    std::vector<double> before(n * n);
    {
        const nb::gil_scoped_release released;
        count_before(profile, n_threads, signalled, before.data());
    }
    return to_numpy(std::move(before), {n, n});
}

template <class Cell>
nb::tuple gains_of(const Profile& profile, int n_threads) {
    const auto n = static_cast<std::size_t>(profile.n_items);
    std::vector<Cell> margin(n * n), tied(n * n);
    {
        const nb::gil_scoped_release released;
        pair_gains(profile, n_threads, signalled, margin.data(), tied.data());
    }
    return nb::make_tuple(to_numpy(std::move(margin), {n, n}), to_numpy(std::move(tied), {n, n}));
}

nb::tuple pair_gains_of(Rows<double> values, const Weights& ranking_weights, const Weights& item_weights,
                        int n_threads) {
    const Profile profile = view(values, ranking_weights, item_weights);
    return ranking_weights || item_weights ? gains_of<double>(profile, n_threads)
                                           : gains_of<std::int32_t>(profile, n_threads);
}

template <class Cell>
std::int64_t require_gains(const Rows<Cell>& margin, const Rows<Cell>& tied) {
    const std::size_t n = margin.shape(0);
    require_items(n);
    require(margin.shape(1) == n && tied.shape(0) == n && tied.shape(1) == n,
            "margin and tied must be square and of one size");
    return static_cast<std::int64_t>(n);
}

template <class Cell>
Out<std::int32_t> components_of(Rows<Cell> margin, Rows<Cell> tied, bool strict) {
    const std::int64_t n = require_gains(margin, tied);
    std::vector<std::int32_t> component;
    {
        const nb::gil_scoped_release released;
        component = majority_components(margin.data(), tied.data(), n, strict);
    }
    return to_numpy(std::move(component));
}

template <class Cell>
nb::tuple search(Rows<Cell> margin, Rows<Cell> tied, Vector<std::int32_t> start, bool strict, int n_restarts,
                 int n_kicks, std::uint64_t seed, int n_threads) {
    const std::int64_t n = require_gains(margin, tied);
    require(start.size() == static_cast<std::size_t>(n), "one level per item is needed");
    require(n_restarts >= 1 && n_kicks >= 0, "at least one search is needed");
    SearchResult result;
    {
        const nb::gil_scoped_release released;
        result = insertion_search(margin.data(), tied.data(), n, start.data(), {n_restarts, n_kicks, seed, strict},
                                  n_threads, signalled);
    }
    return nb::make_tuple(to_numpy(std::move(result.level)), result.n_moves);
}

template <class Cell>
void bind_search(nb::module_& m) {
    m.def("majority_components", &components_of<Cell>, "margin"_a.noconvert(), "tied"_a.noconvert(), "strict"_a);
    m.def("insertion_search", &search<Cell>, "margin"_a.noconvert(), "tied"_a.noconvert(), "start"_a, "strict"_a,
          "n_restarts"_a, "n_kicks"_a, "seed"_a, "n_threads"_a);
}

}  // namespace

void bind_consensus(nb::module_& m) {
    m.def("kendall_masses", &kendall_masses, "first"_a, "second"_a, "weights"_a.none());
    m.def("kendall_matrix", &kendall_matrix, "profile"_a, "weights"_a.none(), "penalty"_a, "n_threads"_a);
    m.def("preference_counts", &preference_counts, "profile"_a, "ranking_weights"_a.none(), "n_threads"_a);
    m.def("pair_gains", &pair_gains_of, "profile"_a, "ranking_weights"_a.none(), "item_weights"_a.none(),
          "n_threads"_a);
    m.def(
        "copeland_scores",
        [](Rows<double> values, const Weights& ranking_weights, const Weights& item_weights, int n_threads) {
            const Profile profile = view(values, ranking_weights, item_weights);
            std::vector<double> scores;
            {
                const nb::gil_scoped_release released;
                scores = copeland_scores(profile, n_threads, signalled);
            }
            return to_numpy(std::move(scores));
        },
        "profile"_a, "ranking_weights"_a.none(), "item_weights"_a.none(), "n_threads"_a);
    m.def(
        "pair_totals",
        [](Rows<double> values, const Weights& ranking_weights, const Weights& item_weights, int n_threads) {
            const Profile profile = view(values, ranking_weights, item_weights);
            PairTotals totals;
            {
                const nb::gil_scoped_release released;
                totals = pair_totals(profile, n_threads, signalled);
            }
            return nb::make_tuple(totals.best_gain, totals.best_strict_gain, totals.disagreement);
        },
        "profile"_a, "ranking_weights"_a.none(), "item_weights"_a.none(), "n_threads"_a);
    bind_search<std::int32_t>(m);
    bind_search<double>(m);
}

}  // namespace rankforest
