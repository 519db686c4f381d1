#include "ordinal_tree.hpp"

#include <numeric>

#include "inner_tree.hpp"
#include "many_trees.hpp"

namespace rankforest {
namespace {

struct Request {
    const BinnedTable& table;
    const std::uint8_t* labels;
    const std::int64_t* weights;
    double unit;
    const InnerParams& params;
    std::uint64_t seed;
    const Sampling& sampling;
    int n_trees, first_tree, n_threads;
    const SignalCheck& signalled;
    const std::function<void(int)>& finished;
    int n_levels() const { return static_cast<int>(params.levels.size()); }
};

OrdinalTree flatten(const InnerTree& grown, const BinnedTable& table, int n_levels, double unit) {
    OrdinalTree flat;
    struct Item {
        int node;
        std::int32_t* child;
    };
    std::int32_t root;
    // where a parent waits for the number of its child, the vectors must not move
    const std::size_t n_nodes = grown.nodes.size() / 2;
    for (auto* array : {&flat.left, &flat.right}) array->reserve(n_nodes);
    std::vector<Item> open = {{0, &root}};
    while (!open.empty()) {
        const auto [index, child] = open.back();
        open.pop_back();
        const InnerNode& node = grown.nodes[index];
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
std::vector<OrdinalTree> grow_all(const Request& r) {
    using Store = RowStore<Code, typename Histogram::Tag>;
    StopFlag stop;
    std::vector<OrdinalTree> trees(r.n_trees);
    std::vector<int> features(r.table.n_features);
    std::iota(features.begin(), features.end(), 0);
    grow_many<Store>(
        r.table, r.sampling, r.n_trees, r.n_threads, false, stop, r.signalled, [&](int tree, Store& rows, int) {
            std::int64_t max_weight = 1;
            const std::int64_t n = fill_rows(rows, r.table, r.labels, r.weights, r.sampling,
                                             sample_key(r.seed, r.first_tree + tree), max_weight);
            std::vector<double> mass(r.n_levels(), 0.0);
            double count = 0.0;
            for (std::int64_t i = 0; i < n; ++i) {
                const auto tag = rows.tag(rows.row(0, i));
                mass[tag.label()] += static_cast<double>(tag.weight());
                count += static_cast<double>(tag.count());
            }
            InnerGrower<Store, Histogram, Criterion> grower(r.table, r.params, r.n_levels(), max_weight, stop);
            const std::uint64_t key = child_key(child_key(mix(r.seed), r.first_tree + tree), 1);
            const InnerTree grown = grower.grow(rows, {0, n, 0}, mass, count, features, key, false);
            if (r.n_trees == 1) rows.release();
            trees[tree] = flatten(grown, r.table, r.n_levels(), r.unit);
            if (r.finished) r.finished(tree);
        });
    return trees;
}

template <class Code, class Histogram>
std::vector<OrdinalTree> with_criterion(const Request& r) {
    switch (r.params.criterion) {
        case CriterionKind::ranking: return grow_all<Code, Histogram, RankingImpurity>(r);
        case CriterionKind::ordinal_gini: return grow_all<Code, Histogram, OrdinalGini>(r);
        case CriterionKind::weighted_information_gain: return grow_all<Code, Histogram, WeightedInformationGain>(r);
        default: return grow_all<Code, Histogram, NominalGini>(r);
    }
}

template <class Code>
std::vector<OrdinalTree> with_histogram(const Request& r) {
    if (r.weights) return with_criterion<Code, MassHistogram>(r);
    return with_criterion<Code, CountHistogram>(r);
}

}  // namespace

std::vector<OrdinalTree> grow_ordinal_trees(const BinnedTable& table, const std::uint8_t* labels,
                                            const std::int64_t* weights, double unit, const InnerParams& params,
                                            std::uint64_t seed, const Sampling& sampling, int n_trees, int first_tree,
                                            int n_threads, const SignalCheck& signalled,
                                            const std::function<void(int)>& finished) {
    const Request request{table,    labels,  weights,    unit,      params,    seed,
                          sampling, n_trees, first_tree, n_threads, signalled, finished};
    return table.code_bytes == 1 ? with_histogram<std::uint8_t>(request) : with_histogram<std::uint16_t>(request);
}

}  // namespace rankforest
