// The inner trees of a cell that its folds need: one of all its rows, and one without each fold.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "code_walk.hpp"
#include "grower.hpp"
#include "inner_path.hpp"
#include "merge.hpp"
#include "row_holder.hpp"
#include "row_scan.hpp"
#include "rows.hpp"

namespace rankforest {

// Classes and masses of the rows of a table. masses: empty if every row counts one. unit: weight of one unit of mass of
// each class.
struct RowMasses {
    const std::uint8_t* labels;
    std::vector<std::int64_t> masses;
    std::int64_t max_mass;
    double unit[2];
    std::int64_t mass(std::int64_t row) const { return masses.empty() ? 1 : masses[row]; }
};

// A cell and its folds.
template <class Histogram>
struct FoldedCell {
    const RowMasses& sample;
    const std::vector<std::int32_t>& rows;  // increasing numbers
    std::vector<std::int32_t> fold;         // of each row of the cell
    int n_folds = 0;
    std::uint64_t key = 0;
    std::vector<int> features, path;  // to be cut on; cut above
    // The histogram of the whole cell: less the histogram of a fold, it is that of all other rows.
    std::optional<Histogram> histogram = {};
};

// Buffers that one thread reuses for all its cells.
template <class Code, class Histogram, class Criterion>
class FoldTrees {
public:
    FoldTrees(const BinnedTable& table, const MasterParams& params, const StopFlag& stop, std::int64_t most_rows)
        : table_(table),
          params_(params),
          store_(most_rows, table.n_features),
          grower_(table, params.inner, 2, stop),
          scan_(store_, table, params.inner, 2) {}

    // The division by the tree without a fold, or by the tree of all rows (fold -1); none if no division gains. Keeps
    // the histogram of the cell when all rows are used.
    std::optional<InnerPath> grow(FoldedCell<Histogram>& cell, int fold, bool prunes) {
        fill(cell, fold);
        Local rows(store_, n_seen_, cell.sample.max_mass, 2);
        double mass[2];
        const double count = rows.totals(rows.root(), mass);
        if (count < 2.0 * static_cast<double>(params_.min_samples_leaf) || mass[0] <= 0.0 || mass[1] <= 0.0) return {};
        const Histogram* known = shares_histogram(cell) ? &histogram_without(cell, fold, rows) : nullptr;
        GrownTree tree = grower_.grow(rows, &scan_, rows.root(), mass, count, cell.features, child_key(cell.key, 3),
                                      false, known, cell.path);
        return divide(std::move(tree), cell.sample.unit, prunes);
    }

    // Calls take(position in the cell, leaf) for the rows of a fold, whose tree was grown last.
    template <class Take>
    void route_fold(const FoldedCell<Histogram>& cell, int fold, const InnerPath& path, const Take& take) const {
        const CodeWalk walk(path.tree());
        std::int64_t at = n_seen_;
        for (std::size_t i = 0; i < cell.rows.size(); ++i)
            if (cell.fold[i] == fold) take(i, walk.leaf_of(reinterpret_cast<const Code*>(store_.row(0, at++))));
    }

private:
    using Store = RowStore<Code, typename Histogram::Tag>;
    using Local = LocalRows<Store, Histogram>;
    static constexpr std::int64_t most_small_rows = 192;  // of small cells splits are found without histograms

    // The rows that the tree is grown on come first, those of the fold after them. They stay there.
    void fill(const FoldedCell<Histogram>& cell, int fold) {
        const auto* codes = static_cast<const Code*>(table_.codes);
        const int q = table_.n_features;
        std::int64_t seen = 0, unseen = static_cast<std::int64_t>(cell.rows.size());
        for (std::size_t i = 0; i < cell.rows.size(); ++i) unseen -= cell.fold[i] == fold;
        n_seen_ = unseen;
        for (std::size_t i = 0; i < cell.rows.size(); ++i) {
            const std::int64_t row = cell.rows[i];
            store_.put(0, cell.fold[i] == fold ? unseen++ : seen++, codes + row * q, q,
                       Histogram::Tag::make(cell.sample.labels[row], cell.sample.mass(row)));
        }
        n_rows_ = unseen;
    }

    bool shares_histogram(const FoldedCell<Histogram>& cell) const {
        const int drawn = params_.inner.max_features;
        return !params_.inner.random_cuts && static_cast<std::int64_t>(cell.rows.size()) > most_small_rows &&
               (drawn <= 0 || drawn >= static_cast<int>(cell.features.size()));
    }

    const Histogram& histogram_without(FoldedCell<Histogram>& cell, int fold, Local& rows) {
        shape_.set(table_, cell.features);
        const auto weigh = [&](const Segment& part) {
            double mass[2];
            rows.totals(part, mass);
            return static_cast<std::int64_t>(mass[0] + mass[1]);
        };
        if (fold < 0) {
            cell.histogram.emplace(2);
            rows.histogram(rows.root(), shape_, weigh(rows.root()), *cell.histogram);
            return *cell.histogram;
        }
        const Segment held_out{n_seen_, n_rows_, 0};
        rows.histogram(held_out, shape_, weigh(held_out), held_out_);
        without_ = *cell.histogram;
        without_.subtract(held_out_, weigh(rows.root()));
        return without_;
    }

    std::optional<InnerPath> divide(GrownTree&& tree, const double* unit, bool prunes) const {
        std::vector<double> masses, counts;
        for (int i = 0; i < static_cast<int>(tree.nodes.size()); ++i) {
            if (tree.nodes[i].left >= 0) continue;
            masses.insert(masses.end(), tree.mass(i, 2), tree.mass(i, 2) + 2);
            counts.push_back(tree.nodes[i].count);
        }
        const Merge merge =
            merge_leaves(masses, counts, static_cast<double>(params_.min_samples_leaf), params_.inner.constrained());
        if (merge.n_left == 0) return {};
        std::vector<std::uint8_t> goes_left(counts.size(), 0);
        for (int i = 0; i < merge.n_left; ++i) goes_left[merge.order[i]] = 1;
        return InnerPath(std::move(tree), goes_left, unit, prunes);
    }

    const BinnedTable& table_;
    const MasterParams& params_;
    Store store_;
    Grower<Histogram, Criterion> grower_;
    LocalScan<Store, Histogram, Criterion> scan_;
    HistogramShape shape_;
    Histogram held_out_{2}, without_{2};
    std::int64_t n_seen_ = 0, n_rows_ = 0;
};

}  // namespace rankforest
