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

template <class Histogram, class Criterion>
GrownTree grow_tree(const BinnedTable& table, const InnerParams& params, RowHolder<Histogram>& rows, RowScan* scan,
                    std::uint64_t key, const StopFlag& stop) {
    const int n_levels = static_cast<int>(params.levels.size());
    std::vector<int> features(table.n_features);
    std::iota(features.begin(), features.end(), 0);
    Grower<Histogram, Criterion> grower(table, params, n_levels, stop);
    std::vector<double> mass(n_levels);
    const double count = rows.totals(rows.root(), mass.data());
    return grower.grow(rows, scan, rows.root(), mass.data(), count, features, key, false);
}

template <class Code, class Histogram, class Criterion>
std::vector<OrdinalTree> grow_as(const GrowRequest& r, const InnerParams& params) {
    const int n_levels = static_cast<int>(params.levels.size());
    return grow_all<Code, Histogram, Criterion, OrdinalTree>(
        r, params, n_levels, [&](int tree, const TreeRows<Histogram>& rows, StopFlag& stop) {
            const std::unique_ptr<RowScan> scan = rows.make_scan(true);
            const GrownTree grown = grow_tree<Histogram, Criterion>(r.table, params, rows.rows, scan.get(),
                                                                    child_key(r.key(tree), 1), stop);
            rows.release();
            return flatten(grown, r.table, n_levels, r.unit);
        });
}

template <class Histogram, class Criterion>
class FarOrdinalTree final : public FarTreeOf<OrdinalTree> {
public:
    FarOrdinalTree(const BinnedTable& table, const InnerParams& params, double unit, std::uint64_t key, double near)
        : cells_(table, static_cast<int>(params.levels.size()), near) {
        cells_.start(
            [this, &table, &params, unit, key](FarTreeRows<Histogram>& rows) {
                const GrownTree grown = grow_tree<Histogram, Criterion>(table, params, rows, nullptr, key, stop_);
                tree_ = flatten(grown, table, static_cast<int>(params.levels.size()), unit);
            },
            [] {});
    }

    ~FarOrdinalTree() override { stop_.raise(); }

    std::optional<FarMessage> next() override { return cells_.next(); }
    void give(const TreeAnswer& answer) override { cells_.give(answer); }
    OrdinalTree take() override { return std::move(tree_); }

private:
    StopFlag stop_;
    OrdinalTree tree_;
    FarCells<Histogram> cells_;  // last: its threads end first
};

// Calls make.operator()<Criterion>() with the criterion of the parameters.
template <class Make>
auto with_criterion(const InnerParams& params, const Make& make) {
    switch (params.criterion) {
        case CriterionKind::ranking: return make.template operator()<RankingImpurity>();
        case CriterionKind::ordinal_gini: return make.template operator()<OrdinalGini>();
        case CriterionKind::weighted_information_gain: return make.template operator()<WeightedInformationGain>();
        default: return make.template operator()<NominalGini>();
    }
}

}  // namespace

std::vector<OrdinalTree> grow_ordinal_trees(const GrowRequest& request, const InnerParams& params) {
    return with_types<CountHistogram, MassHistogram>(request, [&]<class Code, class Histogram>() {
        return with_criterion(params,
                              [&]<class Criterion>() { return grow_as<Code, Histogram, Criterion>(request, params); });
    });
}

std::unique_ptr<FarTreeOf<OrdinalTree>> grow_far_ordinal(const BinnedTable& table, bool weighted, double unit,
                                                         const InnerParams& params, std::uint64_t key, double near) {
    return with_criterion(params, [&]<class Criterion>() -> std::unique_ptr<FarTreeOf<OrdinalTree>> {
        if (weighted) return std::make_unique<FarOrdinalTree<MassHistogram, Criterion>>(table, params, unit, key, near);
        return std::make_unique<FarOrdinalTree<CountHistogram, Criterion>>(table, params, unit, key, near);
    });
}

}  // namespace rankforest
