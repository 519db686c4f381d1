// The binned table and the parameters of tree growth. The arrays belong to the caller.
#pragma once
#include <cstdint>
#include <vector>

#include "constraints.hpp"

namespace rankforest {

// Row-major codes. Code 0 is a missing value; codes 1 .. n_bins[j] are the bins of feature j, in increasing order of
// the values (numeric) or in the order of the categories (categorical).
struct BinnedTable {
    const void* codes = nullptr;
    int code_bytes = 1;  // 1 or 2
    std::int64_t n_rows = 0;
    int n_features = 0;
    const std::int32_t* n_bins = nullptr;
    const std::uint8_t* categorical = nullptr;
    const double* cuts = nullptr;               // numeric: bin c holds cuts[c-2] < x <= cuts[c-1]
    const std::int64_t* cut_offsets = nullptr;  // feature j owns cuts[cut_offsets[j] .. cut_offsets[j+1])
    const double* bin_means = nullptr;          // mean value of each bin, feature after feature
    const std::int64_t* mean_offsets = nullptr;
    // Above 0 for a large table: ranking trees do not copy all their rows, but those of cells, if copies take no more
    // bytes than this.
    std::int64_t cell_bytes = 0;

    // The threshold on raw values that equals "code <= cut"; infinite for a cut at the last bin, which separates only
    // the missing values.
    double threshold(int feature, int cut) const {
        return cut >= n_bins[feature] ? __builtin_inf() : cuts[cut_offsets[feature] + cut - 1];
    }
};

// The first two are criteria of LeafRank's inner trees (two classes); the others are for trees of ordered labels.
enum class CriterionKind : int {
    gini = 0,
    auc = 1,
    ranking = 2,
    ordinal_gini = 3,
    weighted_information_gain = 4,
    nominal_gini = 5
};
enum class MissingKind : int { learned = 0, cell_mean = 1 };

constexpr int unlimited = 1 << 30;

// Limits of any axis-parallel tree.
struct TreeParams {
    int max_depth = unlimited;
    int max_leaf_nodes = unlimited;
    int max_features = 0;  // drawn again at every node; 0 = all
    std::int64_t min_samples_leaf = 1;
    bool random_cuts = false;  // one cut per feature, drawn at random, instead of the best one
    Constraints constraints;
    bool constrained() const { return constraints.any_direction(); }
    int direction(int feature) const { return constraints.direction(feature); }
};

// Parameters of a tree of class labels: LeafRank's inner tree of a cell (max_features is F_L), or a tree of ordered
// labels.
struct InnerParams : TreeParams {
    CriterionKind criterion = CriterionKind::gini;
    MissingKind missing = MissingKind::learned;
    double min_mass_leaf = 0.0;  // least share of the cell's mass in a leaf; each class weighs one half
    // Weight of one fixed-point unit of each class, up to a common factor; empty if all are equal. Each class has its
    // own unit, so that a class of low total weight keeps its precision.
    std::vector<double> class_unit;
    double unit_of(int k) const { return class_unit.empty() ? 1.0 : class_unit[k]; }
    std::vector<double> levels;  // values of the ordered labels, increasing
    // Variance of a label, relative to one that is drawn anew in each row: less than 1 for expected rates. It is used
    // to tell differences between categories from chance.
    double label_noise = 1.0;
};

// Parameters of TreeRank's master tree.
struct MasterParams {
    InnerParams inner;
    int max_depth = unlimited;
    int max_leaf_nodes = unlimited;
    int max_features = 0;  // F_T: drawn once per master node; 0 = all
    std::int64_t min_samples_leaf = 1;
    std::vector<int> path;  // features that were cut above the root, see Constraints; sorted
    double top = 1.0;       // cells with at least this share of the mass to their left are not split
    std::uint64_t seed = 0;

    // Total weight of two class masses, in units of the first class.
    double weight_of(const std::vector<double>& mass) const {
        return mass[0] * inner.unit_of(0) + mass[1] * inner.unit_of(1);
    }
};

}  // namespace rankforest
