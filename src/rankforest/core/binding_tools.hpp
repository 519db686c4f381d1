// Shared by all binding files: array types, ownership of results, Ctrl-C, and checks of arguments.
#pragma once
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "row_blocks.hpp"
#include "sampling.hpp"

namespace rankforest {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using Out = nb::ndarray<nb::numpy, T>;

template <class T>
Out<T> to_numpy(std::vector<T>&& values, std::vector<std::size_t> shape = {}) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    if (shape.empty()) shape = {kept->size()};
    return Out<T>(kept->data(), shape.size(), shape.data(), owner);
}

inline nb::bytes to_bytes(const std::string& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

// Whether the user pressed Ctrl-C. Python's handlers run in the calling thread, which holds no lock while it waits.
inline bool signalled() {
    const nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
}

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

inline void require_width(const Dag& dag, const Matrix& X) {
    require(X.shape(1) == static_cast<std::size_t>(dag.n_features()),
            "X has a different number of features than the ranking tree");
}

// The view of a matrix that the kernels read.
inline RawRows raw_rows(const Matrix& X, int n_threads) {
    static const SignalCheck check = signalled;
    return {X.data(), static_cast<std::int64_t>(X.shape(0)), static_cast<std::int64_t>(X.shape(1)), n_threads, check};
}

// Makes the sampling parameters and checks the sizes: a sample without replacement cannot exceed its population.
inline Sampling make_sampling(const Vector<std::uint8_t>& labels, std::int64_t size, bool replace,
                              const std::optional<std::vector<std::int64_t>>& class_sizes,
                              const std::optional<Vector<std::int32_t>>& groups = std::nullopt) {
    const auto n = static_cast<std::int64_t>(labels.size());
    Sampling sampling{size, replace, class_sizes.has_value(), {0, 0}};
    if (groups) {
        require(!class_sizes && groups->size() == labels.size(), "one group per row is needed, and no class sizes");
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int32_t group = groups->data()[i];
            require(group >= 0 && group < n, "groups are numbers from 0 on");
            sampling.n_groups = std::max<std::int64_t>(sampling.n_groups, group + 1);
        }
        sampling.group = groups->data();
        require(size >= 0 && size <= sampling.n_groups, "a sample is at most as large as the table");
        return sampling;
    }
    if (class_sizes) {
        require(class_sizes->size() == 2, "one size per class is needed");
        std::int64_t rows[2] = {0, 0};
        for (std::int64_t i = 0; i < n; ++i) ++rows[labels.data()[i] != 0];
        for (const int k : {0, 1}) {
            sampling.class_size[k] = (*class_sizes)[k];
            require(sampling.class_size[k] >= 0 && sampling.class_size[k] <= (replace ? n : rows[k]),
                    "a sample is at most as large as the table");
        }
        sampling.size = sampling.class_size[0] + sampling.class_size[1];
    }
    require(sampling.size >= 0 && (sampling.by_class || sampling.size <= n),
            "a sample is at most as large as the table");
    return sampling;
}

}  // namespace rankforest
