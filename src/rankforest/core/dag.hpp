// A decision DAG: the nodes of one tree, checked, and the walk of rows down it on raw values.
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

// Code of a category x, given the number of codes: 0 if it is missing or not in the table.
inline std::int64_t code_of(double x, std::int32_t n_codes) {
    return x >= 0.0 && x < n_codes - 1 ? static_cast<std::int64_t>(x) + 1 : 0;
}

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
    // The same for n of the rows.
    void walk_some(const double* X, const std::int32_t* rows, std::int64_t n, std::int32_t* label) const;

    // Where a row goes from a node; a terminal leads to itself.
    static std::int32_t next_of(const Node& node, const double* row) {
        return node.child[number_goes_right(node, row[node.feature])];
    }
    // The same where nodes may test sets of categories.
    bool categorical() const { return categorical_; }
    std::int32_t next(std::int32_t at, const double* row) const { return nodes_[at].child[goes_right(at, row)]; }

    // Whether a row goes right at an inner node.
    bool goes_right(std::int32_t at, const double* row) const {
        const double x = row[nodes_[at].feature];
        return tests_set(at) ? code_goes_right(at, code_of(x, n_codes(at))) : number_goes_right(nodes_[at], x);
    }
    static std::int32_t number_goes_right(const Node& node, double x) {
        return static_cast<std::int32_t>(x > node.threshold) | (static_cast<std::int32_t>(x != x) & node.missing_right);
    }

    // Inner nodes, children after parents, then one node per label. A walk begins at start().
    const std::vector<Node>& nodes() const { return nodes_; }
    std::int32_t n_inner() const { return n_inner_; }
    std::int32_t start() const { return start_; }
    std::int32_t length() const { return length_; }  // of the longest walk

    // Whether an inner node tests a set of categories; then the number of codes (0 is missing), and the side of each.
    bool tests_set(std::int32_t node) const { return node_sets_[node].offset >= 0; }
    std::int32_t n_codes(std::int32_t node) const { return node_sets_[node].n_codes; }
    bool code_goes_right(std::int32_t node, std::int64_t code) const {
        if (code == 0) return nodes_[node].missing_right;
        return !((sets_[node_sets_[node].offset + (code >> 6)] >> (code & 63)) & 1);
    }

private:
    struct Set {
        std::int32_t offset = -1, n_codes = 0;  // -1: numeric
    };

    template <bool categorical, class RowAt>
    void walk_rows(const RowAt& row_at, std::int64_t n, std::int32_t* label) const;
    template <class RowAt>
    void walk_together(const RowAt& row_at, std::int64_t n, std::int32_t* label) const;

    std::vector<Node> nodes_;
    std::vector<Set> node_sets_;
    std::vector<std::uint64_t> sets_;
    std::int32_t n_inner_ = 0, n_labels_ = 0, start_ = 0, length_ = 0;
    int n_features_;
    bool categorical_ = false;
};

}  // namespace rankforest
