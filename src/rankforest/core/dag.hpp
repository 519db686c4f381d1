// Scoring of many rows with many decision DAGs, on raw values.
#pragma once
#include <cstdint>
#include <vector>

namespace rankforest {

struct DagArrays {
    std::int64_t n_nodes, n_terminals, n_sets;
    const std::int32_t *feature, *left, *right, *set_offset;
    const double* threshold;
    const std::uint8_t* missing_left;
    const std::uint64_t* sets;
    const std::int32_t* terminal_label;
};

// A checked copy, in a form that is fast to walk: terminals are nodes that point to themselves, there is one terminal
// per label, and nodes whose two sides lead to the same node are removed.
class Dag {
public:
    struct Node {
        double threshold;
        std::int32_t child[2];  // left, right
        std::int32_t feature;
        std::int32_t missing_right;
    };

    // n_codes[j]: number of codes (categories + missing) of feature j, 0 for a numeric one.
    Dag(const DagArrays& arrays, const std::vector<std::int32_t>& n_codes);

    int n_features() const { return n_features_; }
    std::int32_t n_labels() const { return n_labels_; }
    std::int64_t bytes() const { return static_cast<std::int64_t>(nodes_.size() * sizeof(Node)); }

    // Label of the terminal of each of n rows; X row-major.
    void walk(const double* X, std::int64_t n, std::int32_t* label) const;

    // Inner nodes, children after parents, then one node per label. A walk begins at start().
    const std::vector<Node>& nodes() const { return nodes_; }
    std::int32_t n_inner() const { return n_inner_; }
    std::int32_t start() const { return start_; }
    bool categorical() const { return categorical_; }  // whether a node has a set of categories

private:
    struct Set {
        std::int32_t offset = -1, n_codes = 0;  // -1: numeric
    };

    template <bool categorical>
    void walk_rows(const double* X, std::int64_t n, std::int32_t* label) const;
    std::int32_t right_of(std::int32_t node, double x) const;

    std::vector<Node> nodes_;
    std::vector<Set> node_sets_;
    std::vector<std::uint64_t> sets_;
    std::int32_t n_inner_ = 0, n_labels_ = 0, start_ = 0;
    int n_features_;
    bool categorical_ = false;
};

}  // namespace rankforest
