// Many rows walk down one tree together: every path from the root to a terminal that a mixture of two rows can take.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "dag.hpp"

namespace rankforest {

// A row and the features of a path that it fails: bit k is set if a decision on the k-th feature of the path sends the
// row elsewhere.
struct PathRow {
    std::int32_t row;
    std::uint64_t fails;
};

struct PathRows {
    const PathRow* rows;
    std::int64_t n;
};

// The mixture of x and z that takes from z what x fails, and from x what z fails, is at the end of a path if and only
// if no feature is failed by both. The walk leaves out rows that fail a feature which all rows of the other side fail.
class JointWalk {
public:
    static constexpr int most_features = 64;  // of a path

    // Whether the paths of a tree have at most so many features.
    static bool fits(const Dag& dag) {
        if (std::min(dag.length(), dag.n_features()) <= most_features) return true;
        std::vector<char> used(dag.n_features(), 0);
        for (std::int32_t i = 0; i < dag.n_inner(); ++i) used[dag.nodes()[i].feature] = 1;
        return std::count(used.begin(), used.end(), 1) <= most_features;
    }

    // Calls reached(label, features of the path, rows of X, rows of Z) for every path; both sets have a row.
    template <class Reached>
    void operator()(const Dag& dag, const double* X, std::int64_t n, const double* Z, std::int64_t m,
                    const Reached& reached) {
        decide(dag, X, n, Z, m);
        place_.assign(dag.n_features(), -1);
        features_.clear();
        const std::size_t all = static_cast<std::size_t>(n + m);
        rows_.resize(std::max(rows_.size(), 4 * all));
        for (std::int64_t i = 0; i < n; ++i) rows_[i] = {static_cast<std::int32_t>(i), 0};
        for (std::int64_t i = 0; i < m; ++i) rows_[n + i] = {static_cast<std::int32_t>(i), 0};
        open_.assign(1, {dag.start(), 0, n, m, 0});
        while (!open_.empty()) {
            const Visit visit = open_.back();
            open_.pop_back();
            while (features_.size() > visit.n_features) {
                place_[features_.back()] = -1;
                features_.pop_back();
            }
            const std::int64_t end = visit.begin + visit.n + visit.m;
            if (visit.node >= dag.n_inner()) {
                const PathRow* const own = rows_.data() + visit.begin;
                reached(visit.node - dag.n_inner(), features_, PathRows{own, visit.n},
                        PathRows{own + visit.n, visit.m});
                continue;
            }
            const auto& node = dag.nodes()[visit.node];
            if (place_[node.feature] < 0) {
                place_[node.feature] = static_cast<std::int32_t>(features_.size());
                features_.push_back(node.feature);
            }
            rows_.resize(std::max(rows_.size(), static_cast<std::size_t>(end) + 2 * all));
            std::int64_t begin = end;
            for (const int right : {1, 0}) {  // the left side is visited first
                const Visit child = enter(visit, node.child[right], right, begin, place_[node.feature], n, m);
                if (child.n == 0 || child.m == 0) continue;
                open_.push_back(child);
                begin = child.begin + child.n + child.m;
            }
        }
    }

private:
    struct Visit {
        std::int32_t node;
        std::int64_t begin, n, m;  // its rows of X, and then those of Z
        std::size_t n_features;
    };

    // Whether each row goes right at each node.
    void decide(const Dag& dag, const double* X, std::int64_t n, const double* Z, std::int64_t m) {
        const std::int64_t q = dag.n_features();
        right_.resize(static_cast<std::size_t>(dag.n_inner()) * (n + m));
        std::uint8_t* to = right_.data();
        for (std::int32_t node = 0; node < dag.n_inner(); ++node) {
            for (std::int64_t i = 0; i < n; ++i) *to++ = dag.goes_right(node, X + i * q);
            for (std::int64_t i = 0; i < m; ++i) *to++ = dag.goes_right(node, Z + i * q);
        }
    }

    // The rows of a visit that may go on to one side.
    Visit enter(const Visit& from, std::int32_t child, int right, std::int64_t begin, std::int32_t place,
                std::int64_t n, std::int64_t m) {
        const std::uint8_t* const side = right_.data() + static_cast<std::int64_t>(from.node) * (n + m);
        const PathRow* const own = rows_.data() + from.begin;
        PathRow* const to = rows_.data() + begin;
        const auto step = [&](std::int64_t first, std::int64_t count, const std::uint8_t* sides) {
            std::uint64_t all = ~std::uint64_t{0};
            for (std::int64_t i = first; i < first + count; ++i) {
                const auto fails = static_cast<std::uint64_t>(sides[own[i].row] != right) << place;
                to[i] = {own[i].row, own[i].fails | fails};
                all &= to[i].fails;
            }
            return all;
        };
        const std::uint64_t by_all_x = step(0, from.n, side), by_all_z = step(from.n, from.m, side + n);
        const auto keep = [&](std::int64_t first, std::int64_t count, std::uint64_t forbidden, std::int64_t at) {
            for (std::int64_t i = first; i < first + count; ++i) {
                to[at] = to[i];
                at += (to[i].fails & forbidden) == 0;
            }
            return at;
        };
        const std::int64_t kept_x = keep(0, from.n, by_all_z, 0);
        const std::int64_t kept = keep(from.n, from.m, by_all_x, kept_x);
        return {child, begin, kept_x, kept - kept_x, features_.size()};
    }

    std::vector<std::uint8_t> right_;
    std::vector<PathRow> rows_;  // of open visits, one after the other
    std::vector<std::int32_t> place_, features_;
    std::vector<Visit> open_;
};

}  // namespace rankforest
