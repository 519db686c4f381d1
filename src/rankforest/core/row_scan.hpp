// Finds splits from the rows of a node without a histogram, if the rows are in this process: for small nodes and for
// random cuts.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "random_cut.hpp"
#include "small_node.hpp"

namespace rankforest {

class RowScan {
public:
    virtual ~RowScan() = default;
    // The best split of a small node; equals that of SplitFinder.
    virtual Split best(const Segment& node, const std::vector<int>& features, const NodeTotals& totals) = 0;
    // The best random cut of any node; equals that of RandomCuts from a histogram.
    virtual Split random(const Segment& node, const std::vector<int>& features, const NodeTotals& totals) = 0;

    std::int64_t most_weight = -1, most_rows = -1;  // upper limits for a small node
    bool draws = false;                             // whether random() may be called
};

// Creates the RowScan of a tree, for the whole team (shared) or for one thread; may return null.
using MakeScan = std::function<std::unique_ptr<RowScan>(bool shared)>;

template <class Store, class Histogram, class Criterion>
class LocalScan final : public RowScan {
public:
    LocalScan(const Store& store, const BinnedTable& table, const InnerParams& params, int n_classes,
              Team* team = nullptr)
        : store_(store), small_(table, params, n_classes), random_(table, params, n_classes) {
        most_weight = small_.most_weight();
        most_rows = small_.most_rows();
        draws = params.missing == MissingKind::learned;
        random_.set_team(team);
    }

    Split best(const Segment& node, const std::vector<int>& features, const NodeTotals& totals) override {
        return small_.best(store_, node, features, totals);
    }
    Split random(const Segment& node, const std::vector<int>& features, const NodeTotals& totals) override {
        return random_.best(store_, node, features, totals);
    }

private:
    const Store& store_;
    SmallNodes<Store, Histogram, Criterion> small_;
    RandomCuts<Criterion> random_;
};

}  // namespace rankforest
