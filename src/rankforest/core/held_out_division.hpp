// The division of a cell by an inner tree that is judged on held-out rows: trees grown without each fold of the cell
// route the rows of the fold, and say to which size the tree of all rows is pruned.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "fold_trees.hpp"
#include "folds.hpp"
#include "group_folds.hpp"
#include "random.hpp"

namespace rankforest {

// How the inner tree of a cell is judged.
struct HeldOutParams {
    int n_folds = 5;
    bool prunes = true;    // to the size that divides held-out rows best
    bool held_out = true;  // whether rows follow trees that were not grown on them, and not the pruned tree
    // The smallest size within a standard error of the best one, or the first cut alone, if that is as good.
    bool one_standard_error = false;
    std::vector<std::int32_t> groups = {};  // of each row of the table, kept together by folds; empty: none
};

// A cell while it is divided. grow_whole() comes first; then grow_without() may run for several folds at once; divide()
// comes last.
template <class Code, class Histogram, class Criterion>
class HeldOutDivision {
public:
    using Trees = FoldTrees<Code, Histogram, Criterion>;

    HeldOutDivision(const BinnedTable& table, const HeldOutParams& params, const RowMasses& sample,
                    const std::vector<std::int32_t>& rows, std::uint64_t key, std::vector<int> features,
                    std::vector<int> path)
        : table_(table), params_(params), cell_{sample, rows, {}, 0, key, std::move(features), std::move(path)} {}

    int n_folds() const { return cell_.n_folds; }

    // False if the cell is not divided: a class has a single row, or no cut gains.
    bool grow_whole(Trees& trees) {
        std::int64_t n[2] = {0, 0};
        const auto label_of = [&](std::int64_t i) { return cell_.sample.labels[cell_.rows[i]]; };
        for (const std::int32_t row : cell_.rows) ++n[cell_.sample.labels[row]];
        cell_.n_folds = static_cast<int>(std::min<std::int64_t>({params_.n_folds, n[0], n[1]}));
        if (cell_.n_folds < 2) return false;
        const auto n_rows = static_cast<std::int64_t>(cell_.rows.size());
        const std::uint64_t seed = child_key(cell_.key, 4);
        if (params_.groups.empty()) {
            cell_.fold = stratified_folds(n_rows, label_of, cell_.n_folds, seed);
        } else {
            const auto group_of = [&](std::int64_t i) { return params_.groups[cell_.rows[i]]; };
            cell_.fold = group_folds(n_rows, label_of, group_of, 2, true, cell_.n_folds, seed);
            cell_.n_folds = 1 + *std::max_element(cell_.fold.begin(), cell_.fold.end());
            if (cell_.n_folds < 2) return false;
        }
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
            path->forget_tree();
        }
        return --waiting_ == 0;
    }

    // The pruned tree; none if held-out rows say that no size gains.
    std::optional<PrunedInner> divide(const std::vector<double>& mass) {
        size_ = choose(mass);
        if (size_ < 0) return {};
        const auto collapsed = collapsed_of(*whole_);
        if (!params_.held_out) {
            const CodeWalk walk(whole_->tree());
            const auto* codes = static_cast<const Code*>(table_.codes);
            for (std::size_t i = 0; i < leaf_.size(); ++i)
                leaf_[i] = walk.leaf_of(codes + static_cast<std::int64_t>(cell_.rows[i]) * table_.n_features);
        }
        PrunedInner pruned = whole_->prune(collapsed, table_);
        if (!pruned.divides()) return {};
        return pruned;
    }

    // Which rows of the cell go left.
    std::vector<std::uint8_t> sides() const {
        std::vector<std::uint8_t> left(leaf_.size(), 0);
        if (!params_.held_out) {
            const auto side = whole_->sides(collapsed_of(*whole_));
            for (std::size_t i = 0; i < left.size(); ++i) left[i] = side[leaf_[i]];
            return left;
        }
        std::vector<std::vector<std::uint8_t>> of_fold;
        for (const auto& path : of_fold_)
            of_fold.push_back(path ? path->sides(collapsed_of(*path)) : std::vector<std::uint8_t>());
        for (std::size_t i = 0; i < left.size(); ++i) {
            const auto& side = of_fold[cell_.fold[i]];
            if (!side.empty()) left[i] = side[leaf_[i]];
        }
        return left;
    }

private:
    // beta - alpha of what goes left, in shares of all rows of which it is a part.
    static double gain_of(const LeftMass& left, double negatives, double positives) {
        return (static_cast<double>(left.second) * negatives - static_cast<double>(left.first) * positives) /
               (negatives * positives);
    }

    // The place of the chosen lambda, one more for the first cut alone; -1 if no size gains.
    int choose(const std::vector<double>& mass) const {
        const int n = static_cast<int>(complexities_.size());
        std::vector<double> gains(n + 1);
        for (int k = 0; k <= n; ++k) {
            LeftMass left = {0, 0};
            for (const auto& of_fold : left_)
                if (!of_fold.empty()) left = {left.first + of_fold[k].first, left.second + of_fold[k].second};
            gains[k] = gain_of(left, mass[0], mass[1]);
        }
        int best = 0;
        for (int k = 1; k < n; ++k)
            if (gains[k] >= gains[best]) best = k;  // of equally good sizes the smallest
        if (gains[best] <= 0.0) return -1;
        if (!params_.one_standard_error) return best;
        const double least = gains[best] - standard_error(best);
        for (int k = n; k > best; --k)
            if (gains[k] > 0.0 && gains[k] >= least) return k;
        return best;
    }

    // Of the mean over the folds of their gains.
    double standard_error(int size) const {
        std::vector<LeftMass> total(cell_.n_folds, {0, 0});
        for (std::size_t i = 0; i < cell_.rows.size(); ++i) {
            const std::int32_t row = cell_.rows[i];
            auto& of_fold = total[cell_.fold[i]];
            (cell_.sample.labels[row] ? of_fold.second : of_fold.first) += cell_.sample.mass(row);
        }
        std::vector<double> gains(cell_.n_folds, 0.0);
        double sum = 0.0, squares = 0.0;
        for (int fold = 0; fold < cell_.n_folds; ++fold) {
            const auto [negatives, positives] = total[fold];
            if (!left_[fold].empty())
                gains[fold] =
                    gain_of(left_[fold][size], static_cast<double>(negatives), static_cast<double>(positives));
            sum += gains[fold];
        }
        for (const double gain : gains) squares += (gain - sum / cell_.n_folds) * (gain - sum / cell_.n_folds);
        return std::sqrt(squares / (cell_.n_folds - 1) / cell_.n_folds);
    }

    std::vector<std::uint8_t> collapsed_of(const InnerPath& path) const {
        const auto n = static_cast<int>(complexities_.size());
        return size_ == n ? path.collapsed_to_first_cut() : path.collapsed_at(complexities_[size_]);
    }

    const BinnedTable& table_;
    const HeldOutParams& params_;
    FoldedCell<Histogram> cell_;
    std::optional<InnerPath> whole_;
    std::vector<std::optional<InnerPath>> of_fold_;
    std::vector<double> complexities_;
    std::vector<std::vector<LeftMass>> left_;  // what each fold's tree sends left of the fold, for every lambda
    std::vector<std::int32_t> leaf_;           // of each row, in the tree that routes it
    int size_ = -1;
    std::atomic<int> waiting_{0};
};

}  // namespace rankforest
