// The division of a cell by an inner tree that is judged on held-out rows: trees grown without each fold of the cell
// route the rows of the fold, and say to which size the tree of all rows is pruned.
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fold_trees.hpp"
#include "folds.hpp"
#include "random.hpp"

namespace rankforest {

// How the inner tree of a cell is judged.
struct HeldOutParams {
    int n_folds = 5;
    bool prunes = true;    // to the size that divides held-out rows best
    bool held_out = true;  // whether rows follow trees that were not grown on them, and not the pruned tree
};

// A cell while it is divided. grow_whole() comes first; then grow_without() may run for several folds at once; divide()
// comes last.
template <class Code, class Histogram, class Criterion>
class HeldOutDivision {
public:
    using Trees = FoldTrees<Code, Histogram, Criterion>;

    HeldOutDivision(const BinnedTable& table, const HeldOutParams& params, const RowMasses& sample,
                    const std::vector<std::int32_t>& rows, std::uint64_t key, std::vector<int> features)
        : table_(table), params_(params), cell_{sample, rows, {}, 0, key, std::move(features)} {}

    int n_folds() const { return cell_.n_folds; }

    // False if the cell is not divided: a class has a single row, or no cut gains.
    bool grow_whole(Trees& trees) {
        std::int64_t n[2] = {0, 0};
        const auto label_of = [&](std::int64_t i) { return cell_.sample.labels[cell_.rows[i]]; };
        for (const std::int32_t row : cell_.rows) ++n[cell_.sample.labels[row]];
        cell_.n_folds = static_cast<int>(std::min<std::int64_t>({params_.n_folds, n[0], n[1]}));
        if (cell_.n_folds < 2) return false;
        const auto n_rows = static_cast<std::int64_t>(cell_.rows.size());
        cell_.fold = stratified_folds(n_rows, label_of, cell_.n_folds, child_key(cell_.key, 4));
        whole_ = trees.grow(cell_, -1, params_.prunes);
        if (!whole_) return false;
        complexities_ = whole_->complexities();
        of_fold_.resize(cell_.n_folds);
        left_.resize(cell_.n_folds);
        leaf_.resize(n_rows);
        waiting_ = cell_.n_folds;
        return true;
    }

    // True for the last fold.
    bool grow_without(int fold, Trees& trees) {
        auto& path = of_fold_[fold] = trees.grow(cell_, fold, params_.prunes);
        if (path) {
            std::vector<LeftMass> at_leaf(path->tree().nodes.size(), {0, 0});
            trees.route_fold(cell_, fold, *path, [&](std::size_t i, int leaf) {
                const std::int32_t row = cell_.rows[i];
                auto& mass = at_leaf[leaf];
                (cell_.sample.labels[row] ? mass.second : mass.first) += cell_.sample.mass(row);
                leaf_[i] = leaf;
            });
            left_[fold] = path->left_along(std::move(at_leaf), complexities_);
        }
        return --waiting_ == 0;
    }

    // The pruned tree; none if held-out rows say that no size gains.
    std::optional<PrunedInner> divide(const std::vector<double>& mass) {
        const std::size_t n = complexities_.size();
        double most = 0.0;
        bool gains = false;
        for (std::size_t k = 0; k < n; ++k) {
            std::int64_t negatives = 0, positives = 0;
            for (const auto& of_fold : left_)
                if (!of_fold.empty()) {
                    negatives += of_fold[k].first;
                    positives += of_fold[k].second;
                }
            const double gain = (static_cast<double>(positives) * mass[0] - static_cast<double>(negatives) * mass[1]) /
                                (mass[0] * mass[1]);
            if (gain <= 0.0 || gain < most) continue;  // of equally good sizes the smallest
            most = gain;
            gains = true;
            complexity_ = complexities_[k];
        }
        if (!gains) return {};
        if (!params_.held_out) {
            const CodeWalk walk(whole_->tree());
            const auto* codes = static_cast<const Code*>(table_.codes);
            for (std::size_t i = 0; i < leaf_.size(); ++i)
                leaf_[i] = walk.leaf_of(codes + static_cast<std::int64_t>(cell_.rows[i]) * table_.n_features);
        }
        whole_sides_ = whole_->sides(complexity_);
        PrunedInner pruned = whole_->prune(complexity_, table_);
        if (!pruned.divides()) return {};
        return pruned;
    }

    // Which rows of the cell go left.
    std::vector<std::uint8_t> sides() const {
        std::vector<std::uint8_t> left(leaf_.size(), 0);
        if (!params_.held_out) {
            for (std::size_t i = 0; i < left.size(); ++i) left[i] = whole_sides_[leaf_[i]];
            return left;
        }
        std::vector<std::vector<std::uint8_t>> of_fold;
        for (const auto& path : of_fold_)
            of_fold.push_back(path ? path->sides(complexity_) : std::vector<std::uint8_t>());
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto& side = of_fold[cell_.fold[i]];
            if (!side.empty()) left[i] = side[leaf_[i]];
        }
        return left;
    }

private:
    const BinnedTable& table_;
    const HeldOutParams& params_;
    FoldedCell<Histogram> cell_;
    std::optional<InnerPath> whole_;
    std::vector<std::optional<InnerPath>> of_fold_;
    std::vector<double> complexities_;
    std::vector<std::vector<LeftMass>> left_;  // what each fold's tree sends left of the fold, for every lambda
    std::vector<std::int32_t> leaf_;           // of each row, in the tree that routes it
    std::vector<std::uint8_t> whole_sides_;
    double complexity_ = 0.0;
    std::atomic<int> waiting_{0};
};

}  // namespace rankforest
