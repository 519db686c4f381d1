// Python bindings of trees whose cells are divided by held-out rows, and of the parts that the tests compare with
// Python.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>

#include "binding_tools.hpp"
#include "folds.hpp"
#include "group_folds.hpp"
#include "grow_arrays.hpp"
#include "held_out_trees.hpp"
#include "table_arrays.hpp"
#include "weakest_link.hpp"

namespace rankforest {

using namespace nanobind::literals;

namespace {

// (rows, masses or None, weight of one unit, parameters) of one tree
using SampleArrays = std::tuple<Vector<std::int32_t>, std::optional<Vector<std::int64_t>>, double, const MasterParams*>;

HeldOutSample read_sample(const SampleArrays& arrays, const BinnedTable& table, const Vector<std::uint8_t>& labels) {
    const auto& [rows, masses, unit, params] = arrays;
    require_params(*params, table);
    require(rows.size() >= 1, "a tree needs rows");
    HeldOutSample sample{{rows.data(), rows.data() + rows.size()}, {}, unit, *params};
    std::vector<std::uint8_t> labels_of_rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        require(sample.rows[i] >= (i == 0 ? 0 : sample.rows[i - 1] + 1) && sample.rows[i] < table.n_rows,
                "the rows of a tree must be increasing rows of the table");
        labels_of_rows.push_back(labels.data()[sample.rows[i]]);
    }
    if (masses) {
        require(masses->size() == rows.size(), "one mass per row is needed");
        require_masses(labels_of_rows.data(), masses->data(), rows.size(), false);
        sample.masses.assign(masses->data(), masses->data() + masses->size());
    }
    return sample;
}

nb::list grow_held_out_of(const TableArrays& arrays, Vector<std::uint8_t> labels,
                          const std::vector<SampleArrays>& samples, const HeldOutParams& held_out,
                          std::uint64_t root_key, int n_threads) {
    const BinnedTable table = arrays.view();
    arrays.require_rows(labels, std::optional<Vector<std::int64_t>>(), std::optional<Vector<std::uint32_t>>(), 1);
    require(!arrays.is_far(), "the rows must be here");
    require(held_out.n_folds >= 2, "at least two folds are needed");
    require(held_out.groups.empty() || held_out.groups.size() == labels.size(), "one group per row is needed");
    require_two_classes(labels);
    arrays.require_codes();
    std::vector<HeldOutSample> read;
    for (const auto& sample : samples) read.push_back(read_sample(sample, table, labels));
    std::vector<FlatTree> trees;
    {
        const nb::gil_scoped_release released;
        trees = grow_held_out(table, labels.data(), std::move(read), held_out, root_key, n_threads, signalled);
    }
    nb::list out;
    for (auto& tree : trees) out.append(to_dict(std::move(tree)));
    return out;
}

}  // namespace

void bind_held_out(nb::module_& m) {
    nb::class_<HeldOutParams>(m, "HeldOutParams")
        .def(nb::init<>())
        .def_rw("n_folds", &HeldOutParams::n_folds)
        .def_rw("prunes", &HeldOutParams::prunes)
        .def_rw("held_out", &HeldOutParams::held_out)
        .def_rw("one_standard_error", &HeldOutParams::one_standard_error)
        .def_rw("groups", &HeldOutParams::groups);
    m.def("grow_held_out", &grow_held_out_of, "table"_a, "labels"_a, "samples"_a, "held_out"_a, "root_key"_a,
          "n_threads"_a);
    m.def(
        "stratified_folds",
        [](Vector<std::uint8_t> labels, int n_folds, std::uint64_t seed) {
            require(n_folds >= 1, "at least one fold is needed");
            const auto n = static_cast<std::int64_t>(labels.size());
            return to_numpy(stratified_folds(n, [&](std::int64_t i) { return labels.data()[i]; }, n_folds, seed));
        },
        "labels"_a, "n_folds"_a, "seed"_a);
    m.def(
        "group_folds",
        [](Vector<std::uint8_t> labels, Vector<std::int32_t> groups, int n_classes, bool every_class, int n_folds,
           std::uint64_t seed) {
            require(n_folds >= 1 && n_classes >= 1, "at least one fold and one class are needed");
            require(groups.size() == labels.size(), "one group per row is needed");
            const auto n = static_cast<std::int64_t>(labels.size());
            for (std::int64_t i = 0; i < n; ++i) require(labels.data()[i] < n_classes, "a label is beyond the classes");
            std::vector<std::int32_t> fold;
            {
                const nb::gil_scoped_release released;
                fold = group_folds(
                    n, [&](std::int64_t i) { return labels.data()[i]; },
                    [&](std::int64_t i) { return groups.data()[i]; }, n_classes, every_class, n_folds, seed);
            }
            return to_numpy(std::move(fold));
        },
        "labels"_a, "groups"_a, "n_classes"_a, "every_class"_a, "n_folds"_a, "seed"_a);
    m.def(
        "weakest_link",
        [](const std::vector<int>& parent, const std::vector<int>& left, const std::vector<int>& right,
           const std::vector<double>& own) {
            const auto n = parent.size();
            require(left.size() == n && right.size() == n && own.size() == n, "the arrays differ in length");
            for (std::size_t i = 0; i < n; ++i) {
                const int at = static_cast<int>(i), end = static_cast<int>(n);
                require(i == 0 ? parent[i] == -1 : parent[i] >= 0 && parent[i] < at, "parents come before children");
                require(left[i] < 0 ? right[i] < 0 : left[i] > at && left[i] < end && right[i] > at && right[i] < end,
                        "children come after parents, two or none");
            }
            return to_numpy(weakest_link(parent, left, right, own));
        },
        "parent"_a, "left"_a, "right"_a, "own"_a);
}

}  // namespace rankforest
