// One pair of rows walks down one tree: every terminal that a mixture of the two rows reaches.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

#include "dag.hpp"

namespace rankforest {

// Where both rows go the same way, the walk follows them. Where they part, a feature that was taken from one of the
// rows before is taken from it again; otherwise the walk goes on both ways. There is no limit to the number of
// features.
class PairWalk {
public:
    // Calls reached(label, features from x, features from z) for every such terminal.
    template <class Reached>
    void operator()(const Dag& dag, const double* x, const double* z, const Reached& reached) {
        side_.assign(dag.n_features(), none);
        taken_[0].clear();
        taken_[1].clear();
        order_.clear();
        open_.assign(1, {dag.start(), none, none, 0});
        while (!open_.empty()) {
            const Fork fork = open_.back();
            open_.pop_back();
            while (order_.size() > fork.n_taken) give_back();
            if (fork.side != none) take(fork.feature, fork.side);
            std::int32_t at = fork.node;
            while (at < dag.n_inner()) {
                const std::int32_t feature = dag.nodes()[at].feature;
                const std::int32_t next[2] = {dag.next(at, x), dag.next(at, z)};
                if (next[0] != next[1] && side_[feature] == none) {
                    open_.push_back({next[1], feature, 1, order_.size()});
                    take(feature, 0);
                }
                at = next[side_[feature] == 1];
            }
            reached(at - dag.n_inner(), taken_[0], taken_[1]);
        }
    }

private:
    static constexpr std::int32_t none = -1;
    struct Fork {
        std::int32_t node, feature, side;
        std::size_t n_taken;
    };

    void take(std::int32_t feature, std::int32_t side) {
        side_[feature] = side;
        taken_[side].push_back(feature);
        order_.push_back(feature);
    }
    void give_back() {
        const std::int32_t feature = order_.back();
        taken_[side_[feature]].pop_back();
        side_[feature] = none;
        order_.pop_back();
    }

    std::vector<std::int32_t> side_, order_;  // row that a feature was taken from; features in the order of taking
    std::vector<std::int32_t> taken_[2];
    std::vector<Fork> open_;
};

}  // namespace rankforest
