// What the bindings that grow ranking trees have in common: checks of their arguments, and trees as NumPy arrays.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>

#include "binding_tools.hpp"
#include "constraint_arrays.hpp"
#include "flat_tree.hpp"
#include "table.hpp"

namespace rankforest {

inline void require_two_classes(const Vector<std::uint8_t>& labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) require(labels.data()[i] <= 1, "labels must be 0 or 1");
}

// Checks that sums of masses are integers of at most 2^53, which doubles hold exactly, even if a row is drawn dozens of
// times.
inline void require_masses(const std::uint8_t* labels, const std::int64_t* masses, std::size_t n,
                           bool drawn_repeatedly) {
    const std::int64_t most = std::int64_t{1} << (drawn_repeatedly ? 46 : 52);
    std::int64_t total[2] = {0, 0};
    for (std::size_t i = 0; i < n; ++i) {
        require(masses[i] > 0, "masses must be positive");
        total[labels[i]] += masses[i];
        require(total[labels[i]] <= most + static_cast<std::int64_t>(n),
                "the masses of a class are too large to be summed exactly");
    }
}

inline void require_params(const MasterParams& params, const BinnedTable& table) {
    require(params.inner.class_unit.empty() || params.inner.class_unit.size() == 2, "one unit per class is needed");
    require_constraints(params.inner.constraints, table);
    require(std::is_sorted(params.path.begin(), params.path.end()), "the path must be sorted");
    for (const int feature : params.path)
        require(feature >= 0 && feature < table.n_features, "the path has an unknown feature");
}

inline nb::dict to_dict(FlatTree&& t) {
    nb::dict d;
    const std::size_t nodes = t.feature.size(), terminals = t.terminal_cell.size(), cells = t.cell_parent.size();
    d["feature"] = to_numpy(std::move(t.feature));
    d["threshold"] = to_numpy(std::move(t.threshold));
    d["left"] = to_numpy(std::move(t.left));
    d["right"] = to_numpy(std::move(t.right));
    d["missing_left"] = to_numpy(std::move(t.missing_left));
    d["set_offset"] = to_numpy(std::move(t.set_offset));
    d["sets"] = to_numpy(std::move(t.sets));
    d["owner"] = to_numpy(std::move(t.owner));
    d["node_mass"] = to_numpy(std::move(t.node_mass), {nodes, 2});
    d["left_mass"] = to_numpy(std::move(t.left_mass), {nodes, 2});
    d["node_count"] = to_numpy(std::move(t.node_count));
    d["left_count"] = to_numpy(std::move(t.left_count));
    d["terminal_cell"] = to_numpy(std::move(t.terminal_cell));
    d["terminal_mass"] = to_numpy(std::move(t.terminal_mass), {terminals, 2});
    d["terminal_count"] = to_numpy(std::move(t.terminal_count));
    d["cell_parent"] = to_numpy(std::move(t.cell_parent));
    d["cell_left"] = to_numpy(std::move(t.cell_left));
    d["cell_right"] = to_numpy(std::move(t.cell_right));
    d["cell_depth"] = to_numpy(std::move(t.cell_depth));
    d["cell_entry"] = to_numpy(std::move(t.cell_entry));
    d["cell_mass"] = to_numpy(std::move(t.cell_mass), {cells, 2});
    d["cell_count"] = to_numpy(std::move(t.cell_count));
    d["cell_gain"] = to_numpy(std::move(t.cell_gain));
    return d;
}

}  // namespace rankforest
