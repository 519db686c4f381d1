// Many rows walk down one tree together: every path from the root to a terminal that a mixture of two rows can take.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dag.hpp"

namespace rankforest {

// Pairs of a row x and a row z. The mixture that takes from z what x fails, and from x what z fails, is at the end of a
// path if and only if no feature is failed by both. The walk goes on with the pairs for which that is so, and lists the
// rows of which there is a pair.
class JointWalk {
public:
    static constexpr int most_features = 64;  // of a path
    static constexpr int most_z = 128;        // rows z
    static constexpr double most_paths = 4096.0;

    // A row and the features of a path that it fails: bit k is set if a decision on the k-th feature of the path sends
    // the row elsewhere.
    struct RowX {
        std::uint64_t fails;
        std::uint64_t with[most_z / 64];  // the rows z that it is paired with
        std::int32_t row;
    };
    struct RowZ {
        std::uint64_t fails;
        std::int32_t row;
    };
    template <class Row>
    struct Rows {
        const Row* rows;
        std::int64_t n;
    };

    // Whether the features of a path fit a pattern, and the paths are not too many, as where many of them share nodes:
    // then few rows are on any of them.
    static bool suits(const Dag& dag) {
        std::vector<char> used(dag.n_features(), 0);
        std::vector<double> paths(dag.nodes().size(), 1.0);
        for (std::int32_t i = dag.n_inner() - 1; i >= 0; --i) {
            const auto& node = dag.nodes()[i];
            used[node.feature] = 1;
            paths[i] = paths[node.child[0]] + paths[node.child[1]];
        }
        const auto n_used = std::count(used.begin(), used.end(), 1);
        return paths[dag.start()] <= most_paths && std::min<std::int64_t>(n_used, dag.length()) <= most_features;
    }

    // Calls reached(label, features of the path, rows x, rows z) for every path; there is a pair of them. m <= most_z.
    template <class Reached>
    void operator()(const Dag& dag, const double* X, std::int64_t n, const double* Z, std::int64_t m,
                    const Reached& reached) {
        begin(dag, X, n, Z, m);
        while (!open_.empty()) {
            Visit visit = open_.back();
            open_.pop_back();
            while (features_.size() > visit.n_features) {
                place_[features_.back()] = -1;
                features_.pop_back();
            }
            visit.node = while_together(dag, visit);
            const RowX* const x = x_.data() + visit.x;
            const RowZ* const z = z_.data() + visit.z;
            if (visit.node >= dag.n_inner()) {
                reached(visit.node - dag.n_inner(), features_, Rows<RowX>{x, visit.n}, Rows<RowZ>{z, visit.m});
                continue;
            }
            const auto& node = dag.nodes()[visit.node];
            if (place_[node.feature] < 0) {
                place_[node.feature] = static_cast<std::int32_t>(features_.size());
                features_.push_back(node.feature);
            }
            x_.resize(std::max(x_.size(), static_cast<std::size_t>(visit.x + 3 * visit.n)));
            z_.resize(std::max(z_.size(), static_cast<std::size_t>(visit.z + 3 * visit.m)));
            Visit free{0, visit.x + visit.n, visit.z + visit.m, 0, 0, features_.size()};
            for (const int right : {1, 0}) {  // the left side is visited first
                enter(visit, right, place_[node.feature], free);
                if (free.n == 0) continue;
                free.node = node.child[right];
                open_.push_back(free);
                free.x += free.n;
                free.z += free.m;
            }
        }
    }

private:
    struct Visit {
        std::int32_t node;
        std::int64_t x, z, n, m;  // the first of its rows, and their numbers
        std::size_t n_features;
    };

    void begin(const Dag& dag, const double* X, std::int64_t n, const double* Z, std::int64_t m) {
        n_ = n;
        n_rows_ = n + m;
        right_.resize(static_cast<std::size_t>(dag.n_inner()) * n_rows_);
        std::uint8_t* to = right_.data();
        for (std::int32_t node = 0; node < dag.n_inner(); ++node) {
            for (std::int64_t i = 0; i < n; ++i) *to++ = dag.goes_right(node, X + i * dag.n_features());
            for (std::int64_t i = 0; i < m; ++i) *to++ = dag.goes_right(node, Z + i * dag.n_features());
        }
        place_.assign(dag.n_features(), -1);
        features_.clear();
        x_.resize(std::max(x_.size(), static_cast<std::size_t>(n)));
        z_.resize(std::max(z_.size(), static_cast<std::size_t>(m)));
        for (std::int64_t i = 0; i < n; ++i) {
            x_[i] = {0, {}, static_cast<std::int32_t>(i)};
            for (std::int64_t j = 0; j < m; ++j) x_[i].with[j >> 6] |= std::uint64_t{1} << (j & 63);
        }
        for (std::int64_t i = 0; i < m; ++i) z_[i] = {0, static_cast<std::int32_t>(i)};
        open_.clear();
        if (n > 0 && m > 0) open_.push_back({dag.start(), 0, 0, n, m, 0});
    }

    // The first node at which rows of a visit part.
    std::int32_t while_together(const Dag& dag, const Visit& visit) const {
        std::int32_t at = visit.node;
        while (at < dag.n_inner()) {
            const std::uint8_t* const right = right_.data() + at * n_rows_;
            std::int64_t n_right = 0;
            for (std::int64_t i = 0; i < visit.n; ++i) n_right += right[x_[visit.x + i].row];
            for (std::int64_t i = 0; i < visit.m; ++i) n_right += right[n_ + z_[visit.z + i].row];
            if (n_right != 0 && n_right != visit.n + visit.m) break;
            at = dag.nodes()[at].child[n_right != 0];
        }
        return at;
    }

    // The rows of a visit that have a pair on one side of its node.
    void enter(const Visit& from, int right, std::int32_t place, Visit& to) {
        const std::uint8_t* const side_x = right_.data() + from.node * n_rows_;
        const std::uint8_t* const side_z = side_x + n_;
        std::uint64_t passing[most_z / 64] = {};  // the rows z that fulfil all conditions on the feature
        RowZ* const z = z_.data() + to.z;
        for (std::int64_t i = 0; i < from.m; ++i) {
            z[i] = z_[from.z + i];
            z[i].fails |= static_cast<std::uint64_t>(side_z[z[i].row] != right) << place;
            passing[z[i].row >> 6] |= (~z[i].fails >> place & 1) << (z[i].row & 63);
        }
        std::uint64_t paired[most_z / 64] = {};
        RowX* const x = x_.data() + to.x;
        to.n = 0;
        for (std::int64_t i = 0; i < from.n; ++i) {
            RowX row = x_[from.x + i];
            row.fails |= static_cast<std::uint64_t>(side_x[row.row] != right) << place;
            const std::uint64_t any = (row.fails >> place & 1) - 1;  // all bits, unless the row fails the feature
            std::uint64_t left_over = 0;
            for (int k = 0; k < most_z / 64; ++k) {
                row.with[k] &= passing[k] | any;
                paired[k] |= row.with[k];
                left_over |= row.with[k];
            }
            x[to.n] = row;
            to.n += left_over != 0;
        }
        to.m = 0;
        for (std::int64_t i = 0; i < from.m; ++i) {
            z[to.m] = z[i];
            to.m += paired[z[i].row >> 6] >> (z[i].row & 63) & 1;
        }
    }

    std::int64_t n_ = 0, n_rows_ = 0;
    std::vector<std::uint8_t> right_;  // of each node: whether each row goes right
    std::vector<RowX> x_;              // of open visits, one after the other
    std::vector<RowZ> z_;
    std::vector<std::int32_t> place_, features_;
    std::vector<Visit> open_;
};

}  // namespace rankforest
