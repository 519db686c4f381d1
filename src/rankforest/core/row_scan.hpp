// Cuts that are found from the rows themselves, where these are at hand: in small nodes, and for random cuts.
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
    // The same split as from a histogram, for a small node.
    virtual Split best(const Segment& node, const std::vector<int>& features, const NodeTotals& totals) = 0;
    // The same as RandomCuts from a histogram, for any node.
    virtual Split random(const Segment& node, const std::vector<int>& features, const NodeTotals& totals) = 0;

    std::int64_t most_weight = -1, most_rows = -1;  // of a small node
    bool draws = false;                             // whether random() can be asked
};

// Makes a scan of the rows of a tree, for the whole team or for one thread. It may return null.
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
