// Python bindings of binning and of growing ranking trees. Flat arrays in, flat arrays out; the GIL is released during
// all work.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "binding_tools.hpp"
#include "binning.hpp"
#include "class_histogram.hpp"
#include "dag.hpp"
#include "far_trees.hpp"
#include "grow.hpp"
#include "grow_arrays.hpp"
#include "merge.hpp"
#include "packed_histogram.hpp"
#include "table_arrays.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankforest {

void bind_boost(nb::module_& m);
void bind_boost_parts(nb::module_& m);
void bind_consensus(nb::module_& m);
void bind_ordinal(nb::module_& m);
void bind_prank(nb::module_& m);
void bind_scoring(nb::module_& m);
void bind_forest(nb::module_& m);
void bind_far_trees(nb::module_& m);
void bind_held_out(nb::module_& m);

namespace {

using AnyColumn = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;  // any stride

Column as_column(const AnyColumn& array) { return {array.data(), array.stride(0)}; }

nb::list find_bins_of(const std::vector<AnyColumn>& columns, int max_bins, std::int64_t max_sample, std::uint64_t seed,
                      int n_threads) {
    require(max_bins >= 1, "max_bins must be at least 1");
    std::vector<Bins> bins(columns.size());
    {
        const nb::gil_scoped_release released;
        StopFlag stop;
        parallel_for(static_cast<std::int64_t>(columns.size()), n_threads, stop, signalled, [&](std::int64_t j, int) {
            bins[j] = find_bins(as_column(columns[j]), static_cast<std::int64_t>(columns[j].shape(0)), max_bins,
                                max_sample, seed);
        });
    }
    nb::list out;
    for (auto& b : bins)
        out.append(nb::make_tuple(to_numpy(std::move(b.cuts)), to_numpy(std::move(b.means)),
                                  to_numpy(std::move(b.digits)), to_numpy(std::move(b.low))));
    return out;
}

nb::list neighbours_of(const std::vector<AnyColumn>& columns, const std::vector<Vector<double>>& cuts, int n_threads) {
    require(columns.size() == cuts.size(), "one array of cuts per column is needed");
    std::vector<Neighbours> found(columns.size());
    {
        const nb::gil_scoped_release released;
        StopFlag stop;
        parallel_for(static_cast<std::int64_t>(columns.size()), n_threads, stop, signalled, [&](std::int64_t j, int) {
            found[j] = neighbours(as_column(columns[j]), static_cast<std::int64_t>(columns[j].shape(0)), cuts[j].data(),
                                  static_cast<std::int64_t>(cuts[j].size()));
        });
    }
    nb::list out;
    for (auto& each : found) out.append(nb::make_tuple(to_numpy(std::move(each.low)), to_numpy(std::move(each.high))));
    return out;
}

template <class Code>
void encode_into(const std::vector<AnyColumn>& columns, const std::vector<Vector<double>>& cuts,
                 nb::ndarray<Code, nb::ndim<2>, nb::c_contig, nb::device::cpu> codes, std::int64_t first_feature,
                 int n_threads) {
    require(columns.size() == cuts.size(), "one array of cuts per column is needed");
    require(first_feature >= 0 && first_feature + columns.size() <= codes.shape(1), "the codes have too few columns");
    std::vector<Column> views;
    std::vector<const double*> starts;
    std::vector<std::int64_t> sizes;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        require(columns[j].shape(0) == codes.shape(0), "the columns and the codes differ in length");
        require(cuts[j].size() < std::numeric_limits<Code>::max(), "more cuts than the codes can name");
        views.push_back(as_column(columns[j]));
        starts.push_back(cuts[j].data());
        sizes.push_back(static_cast<std::int64_t>(cuts[j].size()));
    }
    const nb::gil_scoped_release released;
    encode(views, static_cast<std::int64_t>(codes.shape(0)), starts, sizes, codes.data(),
           static_cast<std::int64_t>(codes.shape(1)), first_feature, n_threads, signalled);
}

nb::list grow(const TableArrays& arrays, Vector<std::uint8_t> labels, std::optional<Vector<std::int64_t>> weights,
              double unit, const MasterParams& params, std::int64_t sample_size, bool replace, int n_trees,
              int first_tree, int n_threads, std::optional<std::function<void(int)>> finished,
              std::optional<std::uint64_t> root_key, std::optional<std::vector<std::int64_t>> class_sizes,
              std::optional<Vector<std::uint32_t>> times, std::optional<Vector<std::int32_t>> groups) {
    const BinnedTable table = arrays.view();
    require(!groups || !arrays.is_far(), "groups are drawn where all rows are");
    arrays.require_rows(labels, weights, times, n_trees);
    require_params(params, table);
    require_two_classes(labels);
    arrays.require_codes();
    if (weights)
        require_masses(labels.data(), weights->data(), labels.size(),
                       times || ((sample_size > 0 || class_sizes) && replace));
    const Sampling sampling = make_sampling(labels, sample_size, replace, class_sizes, groups);
    std::vector<FlatTree> trees;
    if (arrays.is_far()) {
        const auto make = [&](int tree) {
            const std::uint64_t key = root_key.value_or(child_key(child_key(mix(params.seed), first_tree + tree), 1));
            return grow_far(table, weights.has_value(), unit, params, key, arrays.near());
        };
        const std::vector<double> units{unit * params.inner.unit_of(0), unit * params.inner.unit_of(1)};
        const FarDraw draw{sample_size, replace, class_sizes, params.seed, first_tree};
        trees = grow_far_trees<FlatTree>(arrays, make, {2, !weights, weights ? units : std::vector<double>()}, draw,
                                         n_trees, finished);
    } else {
        const nb::gil_scoped_release released;
        std::function<void(int)> report;
        if (finished)
            report = [&](int tree) {
                const nb::gil_scoped_acquire gil;
                (*finished)(tree);
            };
        trees = grow_trees(
            {table, labels.data(), weights ? weights->data() : nullptr, unit, params.seed, sampling, n_trees,
             first_tree, n_threads, signalled, report, times ? times->data() : nullptr, table.cell_bytes > 0},
            params, root_key);
    }
    nb::list out;
    for (auto& tree : trees) out.append(to_dict(std::move(tree)));
    return out;
}

// ---- single kernels, which the tests compare with brute force ----

template <class Code, class Histogram>
nb::tuple histogram_with(const BinnedTable& table, const std::int32_t* labels, const std::int64_t* weights,
                         int n_classes, const std::vector<int>& features, const std::vector<std::uint8_t>& in_child) {
    RowStore<Code, typename Histogram::Tag> rows(table.n_rows, table.n_features);
    std::int64_t max_weight = 1, total[2] = {0, 0}, n_child = 0;
    // the rows of the child first, so that parent and child are contiguous
    for (const int wanted : {1, 0})
        for (std::int64_t i = 0, at = wanted ? 0 : n_child; i < table.n_rows; ++i) {
            if (in_child[i] != wanted) continue;
            const std::int64_t weight = weights ? weights[i] : 1;
            rows.put(0, at++, static_cast<const Code*>(table.codes) + i * table.n_features, table.n_features,
                     Histogram::Tag::make(labels[i], weight));
            max_weight = std::max(max_weight, weight);
            total[wanted] += weight;
            n_child += wanted;
        }
    HistogramShape shape;
    shape.set(table, features);
    Histogram parent(n_classes), child(n_classes);
    parent.build(rows, {0, table.n_rows, 0}, shape, total[0] + total[1], max_weight);
    child.build(rows, {0, n_child, 0}, shape, total[1], max_weight);
    int most = 0;
    for (const int b : shape.n_bins) most = std::max(most, b);
    const std::size_t stride = n_classes + 1, size = features.size() * (most + 1) * stride;
    const auto read = [&](const Histogram& h) {
        std::vector<double> out(size, 0.0);
        for (int p = 0; p < shape.size(); ++p)
            for (int c = 0; c <= shape.n_bins[p]; ++c) {
                double* cell = out.data() + (p * (most + 1) + c) * stride;
                cell[n_classes] = h.read(shape, p, c, cell);
            }
        return to_numpy(std::move(out), {features.size(), static_cast<std::size_t>(most + 1), stride});
    };
    auto whole = read(parent), part = read(child);
    parent.subtract(child, total[0]);
    return nb::make_tuple(whole, part, read(parent));
}

template <class Histogram>
nb::tuple histogram_of(const BinnedTable& table, const std::int32_t* labels, const std::int64_t* weights, int k,
                       const std::vector<int>& features, const std::vector<std::uint8_t>& in_child) {
    return table.code_bytes == 1
               ? histogram_with<std::uint8_t, Histogram>(table, labels, weights, k, features, in_child)
               : histogram_with<std::uint16_t, Histogram>(table, labels, weights, k, features, in_child);
}

// Histograms (of all rows, of the child, of its sibling by subtraction), each [feature][code][class masses..., rows]
nb::tuple histograms(const TableArrays& arrays, Vector<std::int32_t> labels,
                     std::optional<Vector<std::int64_t>> weights, int n_classes, bool packed,
                     const std::vector<int>& features, const std::vector<std::uint8_t>& in_child) {
    const BinnedTable table = arrays.view();
    const auto* w = weights ? weights->data() : nullptr;
    require(!packed || n_classes == 2, "packed histograms have two classes");
    if (packed) return histogram_of<PackedHistogram>(table, labels.data(), w, 2, features, in_child);
    if (!w) return histogram_of<CountHistogram>(table, labels.data(), w, n_classes, features, in_child);
    return histogram_of<MassHistogram>(table, labels.data(), w, n_classes, features, in_child);
}

}  // namespace

NB_MODULE(_core, m) {
    nb::set_leak_warnings(false);
    nb::register_exception_translator([](const std::exception_ptr& error, void*) {
        try {
            std::rethrow_exception(error);
        } catch (const Interrupted&) {
            if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    });

    nb::class_<Constraints>(m, "Constraints")
        .def(nb::init<>())
        .def_rw("monotonic", &Constraints::monotonic)
        .def_rw("order", &Constraints::order)
        .def_rw("groups", &Constraints::groups)
        .def_rw("most_together", &Constraints::most_together);
    nb::class_<InnerParams>(m, "InnerParams")
        .def(nb::init<>())
        .def_prop_rw(
            "criterion", [](const InnerParams& p) { return static_cast<int>(p.criterion); },
            [](InnerParams& p, int v) { p.criterion = static_cast<CriterionKind>(v); })
        .def_prop_rw(
            "missing", [](const InnerParams& p) { return static_cast<int>(p.missing); },
            [](InnerParams& p, int v) { p.missing = static_cast<MissingKind>(v); })
        .def_rw("max_depth", &InnerParams::max_depth)
        .def_rw("max_leaf_nodes", &InnerParams::max_leaf_nodes)
        .def_rw("max_features", &InnerParams::max_features)
        .def_rw("min_samples_leaf", &InnerParams::min_samples_leaf)
        .def_rw("levels", &InnerParams::levels)
        .def_rw("random_cuts", &InnerParams::random_cuts)
        .def_rw("min_mass_leaf", &InnerParams::min_mass_leaf)
        .def_rw("label_noise", &InnerParams::label_noise)
        .def_rw("class_unit", &InnerParams::class_unit)
        .def_rw("constraints", &InnerParams::constraints);
    nb::class_<MasterParams>(m, "MasterParams")
        .def(nb::init<>())
        .def_rw("inner", &MasterParams::inner)
        .def_rw("max_depth", &MasterParams::max_depth)
        .def_rw("max_leaf_nodes", &MasterParams::max_leaf_nodes)
        .def_rw("max_features", &MasterParams::max_features)
        .def_rw("min_samples_leaf", &MasterParams::min_samples_leaf)
        .def_rw("path", &MasterParams::path)
        .def_rw("top", &MasterParams::top)
        .def_rw("seed", &MasterParams::seed);
    m.attr("UNLIMITED") = unlimited;
    m.attr("LEAST_GAIN") = least_gain;
    m.def("instruction_set", [] { return scans().name; });

    nb::class_<TableArrays>(m, "TableArrays")
        .def(
            "__init__",
            [](TableArrays* t, nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu> codes,
               Vector<std::int32_t> n_bins, Vector<std::uint8_t> categorical, Vector<double> cuts,
               Vector<std::int64_t> cut_offsets, Vector<double> bin_means, Vector<std::int64_t> mean_offsets,
               nb::object rows, std::int64_t cell_bytes) {
                new (t) TableArrays{codes,       n_bins,       categorical, cuts,      bin_means,
                                    cut_offsets, mean_offsets, rows,        cell_bytes};
            },
            "codes"_a, "n_bins"_a, "categorical"_a, "cuts"_a, "cut_offsets"_a, "bin_means"_a, "mean_offsets"_a,
            "rows"_a.none() = nb::none(), "cell_bytes"_a = 0);

    m.def("find_bins", &find_bins_of, "columns"_a, "max_bins"_a, "max_sample"_a, "seed"_a, "n_threads"_a);
    m.def(
        "sample_rows",
        [](std::int64_t n_rows, std::int64_t max_sample, std::uint64_t seed) {
            return to_numpy(sample_rows(n_rows, max_sample, seed));
        },
        "n_rows"_a, "max_sample"_a, "seed"_a);
    m.def("neighbours", &neighbours_of, "columns"_a, "cuts"_a, "n_threads"_a);
    m.def(
        "digits_of_cuts",
        [](Vector<double> low, Vector<double> cuts, Vector<double> high) {
            require(low.size() == cuts.size() && high.size() == cuts.size(), "two neighbours per cut are needed");
            return to_numpy(digits_of_cuts(low.data(), cuts.data(), high.data(), cuts.size()));
        },
        "low"_a, "cuts"_a, "high"_a);
    m.def("encode", &encode_into<std::uint8_t>, "columns"_a, "cuts"_a, "codes"_a.noconvert(), "first_feature"_a,
          "n_threads"_a);
    m.def("encode", &encode_into<std::uint16_t>, "columns"_a, "cuts"_a, "codes"_a.noconvert(), "first_feature"_a,
          "n_threads"_a);
    m.def("grow", &grow, "table"_a, "labels"_a, "weights"_a.none(), "unit"_a, "params"_a, "sample_size"_a, "replace"_a,
          "n_trees"_a, "first_tree"_a, "n_threads"_a, "finished"_a.none() = nb::none(),
          "root_key"_a.none() = nb::none(), "class_sizes"_a.none() = nb::none(), "times"_a.none() = nb::none(),
          "groups"_a.none() = nb::none());

    bind_scoring(m);
    bind_forest(m);
    bind_far_trees(m);
    bind_held_out(m);
    bind_ordinal(m);
    bind_boost(m);
    bind_boost_parts(m);
    bind_consensus(m);
    bind_prank(m);

    m.def("histograms", &histograms, "table"_a, "labels"_a, "weights"_a.none(), "n_classes"_a, "packed"_a, "features"_a,
          "in_child"_a);
    m.def(
        "merge_leaves",
        [](const std::vector<double>& masses, const std::vector<double>& counts, double min_count, bool at_cell_odds) {
            require(masses.size() == 2 * counts.size(), "two masses per leaf are needed");
            const Merge merge = merge_leaves(masses, counts, min_count, at_cell_odds);
            return nb::make_tuple(merge.order, merge.n_left, merge.gain);
        },
        "masses"_a, "counts"_a, "min_count"_a, "at_cell_odds"_a = false);
    m.def(
        "draw_features",
        [](const std::vector<int>& pool, int count, std::uint64_t key) {
            std::vector<int> out;
            draw_features(pool, count, key, out);
            return out;
        },
        "pool"_a, "count"_a, "key"_a);
    m.def(
        "root_key", [](std::uint64_t seed, std::uint64_t tree) { return child_key(child_key(mix(seed), tree), 1); },
        "seed"_a, "tree"_a);
    m.def("child_key", &child_key, "key"_a, "child"_a);
    m.def(
        "draw_rows",
        [](std::int64_t n, std::int64_t size, bool replace, std::uint64_t key) {
            require(n >= 1 && size >= 0, "rows are drawn from at least one");
            return to_numpy(draw_rows(n, size, replace, key));
        },
        "n"_a, "size"_a, "replace"_a, "key"_a);
    m.def(
        "draw_rows_of_range",
        [](std::int64_t n, std::int64_t size, bool replace, std::uint64_t key, std::int64_t begin, std::int64_t end) {
            require(n >= 1 && size >= 0, "rows are drawn from at least one");
            require(0 <= begin && begin <= end && end <= n, "the range is not within the rows");
            std::vector<std::uint32_t> times;
            {
                const nb::gil_scoped_release released;
                times = draw_rows_of_range(n, size, replace, key, begin, end);
            }
            return to_numpy(std::move(times));
        },
        "n"_a, "size"_a, "replace"_a, "key"_a, "begin"_a, "end"_a);
    m.def("sample_key", &sample_key, "seed"_a, "tree"_a);
}

}  // namespace rankforest
