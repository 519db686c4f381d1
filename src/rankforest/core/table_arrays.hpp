// The binned table as a set of NumPy arrays, with checks of their sizes and codes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "binding_tools.hpp"
#include "table.hpp"

namespace rankforest {

// Keeps the arrays of a binned table alive and checks that they fit together.
struct TableArrays {
    nb::ndarray<nb::ndim<2>, nb::c_contig, nb::device::cpu> codes;
    Vector<std::int32_t> n_bins;
    Vector<std::uint8_t> categorical;
    Vector<double> cuts, bin_means;
    Vector<std::int64_t> cut_offsets, mean_offsets;
    nb::object rows;  // None, or what grows trees on rows that are elsewhere; then there are bins but no codes
    std::int64_t cell_bytes = 0;

    BinnedTable view() const {
        const auto q = codes.shape(1);
        require(codes.dtype() == nb::dtype<std::uint8_t>() || codes.dtype() == nb::dtype<std::uint16_t>(),
                "codes must be uint8 or uint16");
        require(q >= 1 && n_bins.size() == q && categorical.size() == q && cut_offsets.size() == q + 1 &&
                    mean_offsets.size() == q + 1,
                "the arrays of the binned table differ in their number of features");
        require(cut_offsets.data()[q] == static_cast<std::int64_t>(cuts.size()) &&
                    mean_offsets.data()[q] == static_cast<std::int64_t>(bin_means.size()),
                "the offsets of the binned table do not match its arrays");
        BinnedTable table;
        table.codes = codes.data();
        table.code_bytes = codes.dtype() == nb::dtype<std::uint8_t>() ? 1 : 2;
        table.n_rows = static_cast<std::int64_t>(codes.shape(0));
        table.n_features = static_cast<int>(q);
        table.n_bins = n_bins.data();
        table.categorical = categorical.data();
        table.cuts = cuts.data();
        table.cut_offsets = cut_offsets.data();
        table.bin_means = bin_means.data();
        table.mean_offsets = mean_offsets.data();
        table.cell_bytes = cell_bytes;
        const int most = table.code_bytes == 1 ? 255 : 65535;
        for (std::size_t j = 0; j < q; ++j)
            require(n_bins.data()[j] >= 0 && n_bins.data()[j] <= most,
                    "a feature has more bins than its codes can name");
        return table;
    }

    bool is_far() const { return rows.is_valid() && !rows.is_none(); }
    double near() const { return nb::cast<double>(rows.attr("near")); }  // of far rows, see grow.hpp

    // Raises unless there are labels, weights and multiplicities of all rows.
    template <class Weights, class Times>
    void require_rows(const Vector<std::uint8_t>& labels, const Weights& weights, const Times& times,
                      int n_trees) const {
        const std::size_t n = labels.size();
        require(is_far() || n == codes.shape(0), "labels and codes differ in length");
        require(!weights || weights->size() == n, "weights and codes differ in length");
        require(!times || (times->size() == n && n_trees == 1), "multiplicities are of the rows of one tree");
        require(!times || !is_far(), "rows that are elsewhere are drawn there");
        require(n >= 1 && n < std::size_t{1} << 31, "the table must have between 1 and 2^31 rows");
    }

    // Raises if a code exceeds the bins of its feature: the histogram has no cell for it.
    template <class Code>
    void require_codes_of() const {
        const auto* row = static_cast<const Code*>(codes.data());
        const std::size_t n = codes.shape(0), q = codes.shape(1);
        std::vector<Code> most(q, 0);
        for (std::size_t i = 0; i < n; ++i, row += q)
            for (std::size_t j = 0; j < q; ++j) most[j] = std::max(most[j], row[j]);
        for (std::size_t j = 0; j < q; ++j)
            require(most[j] <= n_bins.data()[j], "a code is beyond the bins of its feature");
    }
    void require_codes() const {
        if (codes.dtype() == nb::dtype<std::uint8_t>()) require_codes_of<std::uint8_t>();
        else require_codes_of<std::uint16_t>();
    }
};

}  // namespace rankforest
