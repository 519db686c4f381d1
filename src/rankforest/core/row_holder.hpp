// Storage of the rows of a tree. The grower asks a RowHolder for the histogram of a node and tells it the split; it
// never reads a row itself. Rows are in this process (LocalRows) or in partitions (FarTreeRows), whose histograms are
// added.
#pragma once
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "histogram.hpp"
#include "rows.hpp"
#include "team.hpp"

namespace rankforest {

// A Segment says where the rows of a node are. Only its holder can read it; its size is the number of rows.
template <class Histogram>
class RowHolder {
public:
    virtual ~RowHolder() = default;

    // Whether an answer takes long, so that questions had better be asked together, see ask_ahead().
    virtual bool is_far() const { return false; }
    // Says that the histogram of this node will be asked for. A far holder answers with the next one.
    virtual void ask_ahead(const Segment&, const HistogramShape&, std::int64_t /* weight */, double /* count */) {}
    // The same of the totals of a node.
    virtual void ask_totals_ahead(const Segment&) {}
    // Says that nobody will ask about this node again, other than for its size.
    virtual void forget(const Segment&) {}

    // All rows.
    virtual Segment root() const = 0;
    // Number of rows of a node. A far holder knows it once a histogram of the node or of its sibling was asked for.
    virtual std::int64_t size(const Segment& node) const { return node.size(); }
    // Fills the class masses (or gradient sums) of a node and returns its number of rows.
    virtual double totals(const Segment& node, double* sums) const = 0;
    // Fills the histogram of a node. `weight` is the total weight of the node wherever its rows are, and sets the cell
    // width.
    virtual void histogram(const Segment& node, const HistogramShape& shape, std::int64_t weight, Histogram& out) = 0;
    // Partitions the rows of a node into its left and right child.
    virtual std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) = 0;
    // Collects the rows of leaves of an inner tree into the two children of a cell.
    virtual std::pair<Segment, Segment> gather(const Segment& cell, const std::vector<Segment>& left,
                                               const std::vector<Segment>& right) = 0;
};

// Builds the histogram of a node with all threads of the team: each builds the histogram of a part of the rows, then
// the parts are added.
template <class Histogram, class Build>
void build_shared(Team& team, const Segment& node, std::vector<Histogram>& parts, Histogram& out, const Build& build) {
    while (static_cast<int>(parts.size()) + 1 < team.size()) parts.push_back(out);
    team.share(node.begin, node.end, [&](int member, std::int64_t begin, std::int64_t end) {
        build(Segment{begin, end, node.plane}, member == 0 ? out : parts[member - 1]);
    });
    for (int member = 1; member < team.size(); ++member) out.add(parts[member - 1]);
}

// Rows in a RowStore of this process.
template <class Store, class Histogram>
class LocalRows final : public RowHolder<Histogram> {
public:
    LocalRows(Store& store, std::int64_t n_rows, std::int64_t max_weight, int n_classes, Team* team = nullptr)
        : store_(store), n_rows_(n_rows), max_weight_(max_weight), n_classes_(n_classes), team_(team) {}

    Segment root() const override { return {0, n_rows_, 0}; }

    double totals(const Segment& node, double* mass) const override {
        std::fill(mass, mass + n_classes_, 0.0);
        double count = 0.0;
        for (std::int64_t i = node.begin; i < node.end; ++i) {
            const auto tag = store_.tag(store_.row(node.plane, i));
            mass[tag.label()] += static_cast<double>(tag.weight());
            count += static_cast<double>(tag.count());
        }
        return count;
    }

    void histogram(const Segment& node, const HistogramShape& shape, std::int64_t weight, Histogram& out) override {
        if (!is_shared(team_, node.size() * shape.size())) return out.build(store_, node, shape, weight, max_weight_);
        build_shared(*team_, node, parts_, out,
                     [&](const Segment& part, Histogram& to) { to.build(store_, part, shape, weight, max_weight_); });
    }

    std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) override {
        const std::int64_t n_left = is_shared(team_, node.size() * 4) ? split_shared(node, feature, goes_left)
                                                                      : store_.partition(node, feature, goes_left);
        const std::int64_t middle = node.begin + n_left;
        return {{node.begin, middle, 1 - node.plane}, {middle, node.end, 1 - node.plane}};
    }

    std::pair<Segment, Segment> gather(const Segment& cell, const std::vector<Segment>& left,
                                       const std::vector<Segment>& right) override {
        std::vector<Segment> all = left;
        all.insert(all.end(), right.begin(), right.end());
        std::int64_t n_left = 0;
        for (const auto& segment : left) n_left += segment.size();
        const bool shared = is_shared(team_, cell.size() * 4);
        const int plane = store_.gather(all, cell.begin, [&](int n, const auto& copy) {
            if (shared) return team_->each(n, copy);
            for (int i = 0; i < n; ++i) copy(i);
        });
        const std::int64_t middle = cell.begin + n_left;
        return {{cell.begin, middle, plane}, {middle, cell.end, plane}};
    }

private:
    std::int64_t split_shared(const Segment& node, int feature, const std::uint8_t* goes_left) {
        std::vector<std::int64_t> before(team_->size() + 1, 0);
        team_->share(node.begin, node.end, [&](int member, std::int64_t begin, std::int64_t end) {
            before[member + 1] = store_.count_left({begin, end, node.plane}, feature, goes_left);
        });
        for (int member = 0; member < team_->size(); ++member) before[member + 1] += before[member];
        team_->share(node.begin, node.end, [&](int member, std::int64_t begin, std::int64_t end) {
            store_.partition_part(node, {begin, end, node.plane}, before[member], feature, goes_left);
        });
        return before.back();
    }

    Store& store_;
    const std::int64_t n_rows_, max_weight_;
    const int n_classes_;
    Team* const team_;
    std::vector<Histogram> parts_;
};

}  // namespace rankforest
