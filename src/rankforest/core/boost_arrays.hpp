// Arrays that boosters are made of, with checks, and messages as bytes of Python.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "binding_tools.hpp"
#include "boost.hpp"
#include "constraint_arrays.hpp"
#include "wire.hpp"

namespace rankforest {

using Bits = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline void require_constraints(const GradientTreeParams& params, const BinnedTable& table) {
    require_constraints(params.constraints, table);
    require(!params.symmetric || !(params.constrained() || params.constraints.limits_paths()),
            "symmetric trees know no constraints");
}

// Lists of lists as one list, with their sizes.
template <class T>
void pass_lists(Writer& writer, const std::vector<std::vector<T>>& lists) {
    std::vector<std::uint64_t> sizes;
    std::vector<T> all;
    for (const auto& list : lists) {
        sizes.push_back(list.size());
        all.insert(all.end(), list.begin(), list.end());
    }
    writer(sizes, all);
}
template <class T>
void pass_lists(Reader& reader, std::vector<std::vector<T>>& lists) {
    std::vector<std::uint64_t> sizes;
    std::vector<T> all;
    reader(sizes, all);
    auto at = all.begin();
    for (const auto size : sizes) {
        require(size <= static_cast<std::uint64_t>(all.end() - at), "the message is too short");
        lists.emplace_back(at, at + static_cast<std::ptrdiff_t>(size));
        at += static_cast<std::ptrdiff_t>(size);
    }
}

template <class Archive, class Params>
void pass_params(Archive& archive, Params& p) {
    auto& t = p.tree;
    archive(t.max_depth, t.max_leaf_nodes, t.max_features, t.min_samples_leaf, t.random_cuts, t.min_hessian_leaf, t.l2,
            t.category_smoothing, t.category_l2, t.category_discount, t.symmetric, t.units);
    archive(t.constraints.monotonic, t.constraints.most_together);
    pass_lists(archive, t.constraints.order);
    pass_lists(archive, t.constraints.groups);
    archive(p.loss, p.threshold, p.learning_rate, p.subsample, p.tree_features, p.seed);
}

inline void require_rows(std::size_t n, const Vector<std::uint8_t>& labels,
                         const std::optional<Vector<double>>& weights, const Bits& held_out, std::size_t n_boosters) {
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

}  // namespace rankforest
