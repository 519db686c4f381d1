// Chooses the histogram and the criterion of ranking trees, and grows them.
#include "grow.hpp"

#include "class_histogram.hpp"
#include "far_master_tree.hpp"
#include "master_tree.hpp"
#include "packed_histogram.hpp"

namespace rankforest {
namespace {

template <class Code, class Histogram, class Criterion>
std::vector<FlatTree> grow_as(const GrowRequest& r, const MasterParams& params, std::optional<std::uint64_t> root_key) {
    const double unit[2] = {r.unit * params.inner.unit_of(0), r.unit * params.inner.unit_of(1)};
    return grow_all<Code, Histogram, Criterion, FlatTree>(
        r, params.inner, 2, [&](int tree, const TreeRows<Histogram>& rows, StopFlag& stop) {
            MasterGrower<Histogram, Criterion> grower(r.table, params, rows.make_scan, stop);
            const MasterCell root = grower.grow(rows, r.signalled, root_key.value_or(child_key(r.key(tree), 1)));
            rows.release();  // rows use most of the memory and are no longer needed
            return flatten(root, unit);
        });
}

template <class Histogram>
std::unique_ptr<FarTreeOf<FlatTree>> far_with(const BinnedTable& table, double unit, const MasterParams& params,
                                              std::uint64_t root_key, double near) {
    if (params.inner.criterion == CriterionKind::gini)
        return std::make_unique<FarMasterTree<Histogram, CostSensitiveGini>>(table, params, unit, root_key, near);
    return std::make_unique<FarMasterTree<Histogram, AucGain>>(table, params, unit, root_key, near);
}

}  // namespace

std::unique_ptr<FarTreeOf<FlatTree>> grow_far(const BinnedTable& table, bool weighted, double unit,
                                              const MasterParams& params, std::uint64_t root_key, double near) {
    return weighted ? far_with<MassHistogram>(table, unit, params, root_key, near)
                    : far_with<PackedHistogram>(table, unit, params, root_key, near);
}

std::vector<FlatTree> grow_trees(const GrowRequest& request, const MasterParams& params,
                                 std::optional<std::uint64_t> root_key) {
    return with_types<PackedHistogram, MassHistogram>(request, [&]<class Code, class Histogram>() {
        if (params.inner.criterion == CriterionKind::gini)
            return grow_as<Code, Histogram, CostSensitiveGini>(request, params, root_key);
        return grow_as<Code, Histogram, AucGain>(request, params, root_key);
    });
}

}  // namespace rankforest
