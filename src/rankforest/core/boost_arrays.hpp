// Arrays that boosters are made of, with checks, and messages as bytes of Python.
#pragma once
#include <cstdint>
#include <optional>

#include "binding_tools.hpp"
#include "wire.hpp"

namespace rankforest {

using Bits = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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
