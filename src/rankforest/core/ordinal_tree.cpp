// Grows trees of ordered labels and converts them to flat arrays.
#include "ordinal_tree.hpp"

#include <numeric>

#include "class_histogram.hpp"
#include "grower.hpp"

namespace rankforest {
namespace {

OrdinalTree flatten(const GrownTree& grown, const BinnedTable& table, int n_levels, double unit) {
    OrdinalTree flat;
    struct Item {
        int node;
        std::int32_t* child;
    };
    std::int32_t root;
    // parents hold pointers to their child entries, so the vectors must not be reallocated
    const std::size_t n_nodes = grown.nodes.size() / 2;
    for (auto* array : {&flat.left, &flat.right}) array->reserve(n_nodes);
    std::vector<Item> open = {{0, &root}};
    while (!open.empty()) {
        const auto [index, child] = open.back();
        open.pop_back();
        const GrownNode& node = grown.nodes[index];
        if (node.left < 0) {
            *child = ~static_cast<std::int32_t>(flat.leaf_count.size());
            flat.leaf_count.push_back(node.count);
            for (int i = 0; i < n_levels; ++i) flat.leaf_mass.push_back(grown.mass(index, n_levels)[i] * unit);
            continue;
        }
        *child = static_cast<std::int32_t>(flat.feature.size());
        const Split& split = node.split;
        const bool categorical = !split.left_codes.empty();
        flat.feature.push_back(split.feature);
        flat.threshold.push_back(categorical ? 0.0 : table.threshold(split.feature, split.cut));
        flat.set_offset.push_back(categorical ? static_cast<std::int32_t>(flat.sets.size()) : -1);
        flat.sets.insert(flat.sets.end(), split.left_codes.begin(), split.left_codes.end());
        flat.missing_left.push_back(split.missing_left);
        flat.node_gain.push_back(split.priority);
        flat.node_count.push_back(node.count);
        flat.left.push_back(0);
        flat.right.push_back(0);
        open.push_back({node.right, &flat.right.back()});
        open.push_back({node.left, &flat.left.back()});
    }
    return flat;
}

template <class Code, class Histogram, class Criterion>
std::vector<OrdinalTree> grow_as(const GrowRequest& r, const InnerParams& params) {
    const int n_levels = static_cast<int>(params.levels.size());
    std::vector<int> features(r.table.n_features);
    std::iota(features.begin(), features.end(), 0);
    return grow_all<Code, Histogram, Criterion, OrdinalTree>(
        r, params, n_levels, [&](int tree, const TreeRows<Histogram>& rows, StopFlag& stop) {
            Grower<Histogram, Criterion> grower(r.table, params, n_levels, stop);
            const std::unique_ptr<RowScan> scan = rows.make_scan(true);
            const Segment root = rows.rows.root();
            std::vector<double> mass(n_levels);
            const double count = rows.rows.totals(root, mass.data());
            const GrownTree grown = grower.grow(rows.rows, scan.get(), root, mass.data(), count, features,
                                                child_key(r.key(tree), 1), false);
            rows.release();
            return flatten(grown, r.table, n_levels, r.unit);
        });
}

}  // namespace

std::vector<OrdinalTree> grow_ordinal_trees(const GrowRequest& request, const InnerParams& params) {
    return with_types<CountHistogram, MassHistogram>(request, [&]<class Code, class Histogram>() {
        switch (params.criterion) {
            case CriterionKind::ranking: return grow_as<Code, Histogram, RankingImpurity>(request, params);
            case CriterionKind::ordinal_gini: return grow_as<Code, Histogram, OrdinalGini>(request, params);
            case CriterionKind::weighted_information_gain:
                return grow_as<Code, Histogram, WeightedInformationGain>(request, params);
            default: return grow_as<Code, Histogram, NominalGini>(request, params);
        }
    });
}

}  // namespace rankforest
