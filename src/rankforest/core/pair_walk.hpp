// Pairs of rows walk down one tree, one pair after the other: every terminal that a mixture of the two rows reaches.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dag.hpp"
#include "shapley_weights.hpp"

namespace rankforest {

// Where both rows go the same way, the walk follows them. Where they part, a feature that was taken from one of the
// rows before is taken from it again; otherwise the walk goes on both ways. Features and paths have no limit in number.
class PairWalk {
public:
    // The rows z of all pairs.
    PairWalk(const Dag& dag, const double* Z, std::int64_t m, const ShapleyWeights& weights)
        : dag_(dag),
          weights_(weights),
          m_(m),
          right_z_(static_cast<std::size_t>(m + lanes) * dag.n_inner()),
          lead_(dag.nodes().size() * lanes),
          way_{std::vector<std::int32_t>(dag.n_inner() * lanes), std::vector<std::int32_t>(dag.n_inner() * lanes)},
          taken_from_(dag.n_features(), none) {
        for (std::size_t i = 0; i < lead_.size(); ++i) lead_[i] = static_cast<std::int32_t>(i / lanes);
        std::int32_t* to = right_z_.data();
        for (std::int64_t first = 0; first < m; first += lanes)
            for (std::int32_t node = 0; node < dag.n_inner(); ++node)
                for (int lane = 0; lane < lanes; ++lane)
                    *to++ = -dag.goes_right(node, Z + std::min(first + lane, m - 1) * dag.n_features());
    }

    // Pairs of x with every row z: add(j) may call one of the two functions below for row z number j.
    template <class Add>
    void pairs_of(const double* x, const Add& add) {
        right_x_.resize(dag_.n_inner());
        for (std::int32_t node = 0; node < dag_.n_inner(); ++node) right_x_[node] = dag_.goes_right(node, x);
        for (std::int64_t first = 0; first < m_; first += lanes) {
            find_ways(right_z_.data() + first * dag_.n_inner());
            for (lane_ = 0; lane_ < std::min<std::int64_t>(lanes, m_ - first); ++lane_) add(first + lane_);
        }
    }

    // Adds factor * (Shapley value of each feature) to `to`.
    void add_values(const double* value, double factor, double* to) {
        value_ = value;
        factor_ = factor;
        to_ = to;
        share(lead_[dag_.start() * lanes + lane_], 0, 0);
    }

    // Calls reached(label, features from x, features from z) for every terminal.
    template <class Reached>
    void each_terminal(const Reached& reached) {
        taken_[0].clear();
        taken_[1].clear();
        visit(lead_[dag_.start() * lanes + lane_], reached);
    }

private:
    static constexpr std::int8_t none = -1;
    static constexpr int lanes = 8;  // pairs that are prepared side by side
    // What each of the features from x, and each of those from z, gets of the terminals below a node.
    struct Shares {
        double of_x, of_z;
    };

    // For each lane and node: where x and z lead to, that is to the next node at which it matters whose value a mixture
    // takes, or to a terminal. From the last node, because children come after parents.
    void find_ways(const std::int32_t* right_z) {
        std::int32_t* const lead = lead_.data();
        for (std::int32_t i = dag_.n_inner() - 1; i >= 0; --i) {
            const auto& node = dag_.nodes()[i];
            const std::int32_t *const left = lead + node.child[0] * lanes, *const right = lead + node.child[1] * lanes;
            const std::int32_t *const own = right_x_[i] ? right : left, *const turn = right_z + i * lanes;
            std::int32_t of_z[lanes], next[lanes];
            for (int k = 0; k < lanes; ++k) {
                of_z[k] = left[k] ^ ((left[k] ^ right[k]) & turn[k]);
                next[k] = own[k] == of_z[k] ? own[k] : i;
            }
            std::copy_n(own, lanes, way_[0].data() + i * lanes);
            std::copy_n(of_z, lanes, way_[1].data() + i * lanes);
            std::copy_n(next, lanes, lead + i * lanes);
        }
    }

    // The node at which a feature is not taken yet, or a terminal.
    std::int32_t next_choice(std::int32_t at) const {
        while (at < dag_.n_inner()) {
            const std::int8_t from = taken_from_[dag_.nodes()[at].feature];
            if (from == none) break;
            at = way_[from][at * lanes + lane_];
        }
        return at;
    }

    Shares share(std::int32_t from, int a, int b) {
        const std::int32_t at = next_choice(from);
        if (at >= dag_.n_inner()) {
            const double value = factor_ * value_[at - dag_.n_inner()];
            return {value * weights_.from_x(a, b), value * weights_.from_z(a, b)};
        }
        const std::int32_t feature = dag_.nodes()[at].feature;
        taken_from_[feature] = 0;
        const Shares of_x = share(way_[0][at * lanes + lane_], a + 1, b);
        taken_from_[feature] = 1;
        const Shares of_z = share(way_[1][at * lanes + lane_], a, b + 1);
        taken_from_[feature] = none;
        to_[feature] += of_x.of_x + of_z.of_z;
        return {of_x.of_x + of_z.of_x, of_x.of_z + of_z.of_z};
    }

    template <class Reached>
    void visit(std::int32_t from, const Reached& reached) {
        const std::int32_t at = next_choice(from);
        if (at >= dag_.n_inner()) return reached(at - dag_.n_inner(), taken_[0], taken_[1]);
        const std::int32_t feature = dag_.nodes()[at].feature;
        for (const std::int8_t row : {0, 1}) {
            taken_from_[feature] = row;
            taken_[row].push_back(feature);
            visit(way_[row][at * lanes + lane_], reached);
            taken_[row].pop_back();
        }
        taken_from_[feature] = none;
    }

    const Dag& dag_;
    const ShapleyWeights& weights_;
    const std::int64_t m_;
    std::vector<std::uint8_t> right_x_;  // whether a row goes right at each node
    std::vector<std::int32_t> right_z_;  // the same as all bits or none, lanes side by side
    std::vector<std::int32_t> lead_, way_[2];
    std::vector<std::int8_t> taken_from_;  // 0: from x, 1: from z
    std::vector<std::int32_t> taken_[2];
    int lane_ = 0;
    const double* value_ = nullptr;
    double factor_ = 0.0, *to_ = nullptr;
};

}  // namespace rankforest
