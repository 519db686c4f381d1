// Converts a grown master tree to the flat arrays of the fitted model.
#pragma once
#include <cstdint>
#include <memory>
#include <vector>

#include "grower.hpp"

namespace rankforest {

// The fitted model. Inner nodes form a decision DAG: an inner leaf of a master node points to the first inner node of
// the child's split, or to a terminal. A child >= 0 is a node (always a later one), a child < 0 is terminal ~child.
// Terminals are the finest cells of the tree: the inner leaves whose rows enter a master leaf.
struct FlatTree {
    // inner nodes
    std::vector<std::int32_t> feature, left, right, set_offset, owner;
    std::vector<double> threshold;
    std::vector<double> node_mass, left_mass, node_count,
        left_count;  // of the node and of its left child: (negatives, positives), rows
    std::vector<std::uint8_t> missing_left;
    std::vector<std::uint64_t> sets;  // categorical: bit c of the node's words is "code c goes left"
    // terminals
    std::vector<std::int32_t> terminal_cell;  // index of the master leaf
    std::vector<double> terminal_mass, terminal_count;
    // master nodes in preorder, left (better) first
    std::vector<std::int32_t> cell_parent, cell_left, cell_right, cell_depth, cell_entry;
    std::vector<double> cell_mass, cell_count, cell_gain;  // gain = Lambda of the cell's split
};

// What is kept of an inner tree after its cell is split: a third of the memory of a GrownTree.
struct FrozenInner {
    struct Node {
        double threshold = 0.0;
        std::int32_t left = -1, right = -1;  // -1: a leaf
        std::int32_t feature = -1, set_offset = -1;
        bool missing_left = false;
    };
    std::vector<Node> nodes;
    std::vector<double> masses, counts;
    std::vector<std::uint64_t> sets;
    const double* mass(int node) const { return masses.data() + 2 * node; }
};

inline FrozenInner freeze(GrownTree&& grown, const BinnedTable& table) {
    FrozenInner frozen;
    frozen.nodes.reserve(grown.nodes.size());
    frozen.counts.reserve(grown.nodes.size());
    for (const GrownNode& from : grown.nodes) {
        FrozenInner::Node node;
        if (from.left >= 0) {
            const Split& split = from.split;
            const bool categorical = !split.left_codes.empty();
            node = {categorical ? 0.0 : table.threshold(split.feature, split.cut),
                    from.left,
                    from.right,
                    split.feature,
                    categorical ? static_cast<std::int32_t>(frozen.sets.size()) : -1,
                    split.missing_left};
            frozen.sets.insert(frozen.sets.end(), split.left_codes.begin(), split.left_codes.end());
        }
        frozen.nodes.push_back(node);
        frozen.counts.push_back(from.count);
    }
    frozen.masses = grown.masses;  // the copy has no spare capacity; the grown vector may have twice the length
    return frozen;
}

struct MasterCell {
    Segment rows;
    std::vector<std::int32_t> listed;  // numbers of its rows, where these are not moved
    int depth = 0;
    std::uint64_t key = 0;
    std::vector<double> mass;
    double count = 0.0;
    std::vector<double> before;  // mass of all cells to the left
    std::vector<int> path;       // features cut above the cell; only with constraints that limit paths
    // filled when the cell is split
    FrozenInner inner;
    std::vector<std::uint8_t> side;  // per leaf of the inner tree: 1 = goes to the left (better) child
    double gain = 0.0;               // beta - alpha of the left child, in shares of the cell
    std::unique_ptr<MasterCell> left, right;

    bool is_split() const { return left != nullptr; }

    // Gives the children their path: that of the cell, and the features of the cuts that tell the two children apart.
    void pass_path() {
        std::vector<int> to(inner.nodes.size());  // the child that all rows of an inner node go to; -1: both
        std::size_t leaf = side.size();
        std::vector<int> below = path;
        for (std::size_t i = inner.nodes.size(); i-- > 0;) {
            const FrozenInner::Node& node = inner.nodes[i];
            if (node.left < 0) {
                to[i] = side[--leaf];
                continue;
            }
            to[i] = to[node.left] == to[node.right] ? to[node.left] : -1;
            if (to[i] < 0) below = longer_path(std::move(below), node.feature);
        }
        left->path = right->path = std::move(below);
    }
    // Lambda of the paper: twice the gain in AUC, in shares of the whole table.
    double lambda(const std::vector<double>& total) const { return gain * (mass[0] / total[0]) * (mass[1] / total[1]); }
};

inline void add_terminal(FlatTree& flat, int cell, const double* mass, double count, const double* unit) {
    flat.terminal_cell.push_back(cell);
    flat.terminal_mass.push_back(mass[0] * unit[0]);
    flat.terminal_mass.push_back(mass[1] * unit[1]);
    flat.terminal_count.push_back(count);
}

inline void flatten_inner(FlatTree& flat, const MasterCell& cell, int index, const double* unit) {
    const FrozenInner& inner = cell.inner;
    const int n = static_cast<int>(inner.nodes.size());
    std::vector<std::int32_t> target(n);
    std::int32_t next = flat.cell_entry[index];
    std::size_t leaf = 0;
    for (int i = 0; i < n; ++i) {
        if (inner.nodes[i].left >= 0) {
            target[i] = next++;
            continue;
        }
        const int child = cell.side[leaf++] ? flat.cell_left[index] : flat.cell_right[index];
        target[i] = flat.cell_entry[child];
        if (target[i] >= 0) continue;
        target[i] = ~static_cast<std::int32_t>(flat.terminal_cell.size());
        add_terminal(flat, child, inner.mass(i), inner.counts[i], unit);
    }
    const auto first_set = static_cast<std::int32_t>(flat.sets.size());
    flat.sets.insert(flat.sets.end(), inner.sets.begin(), inner.sets.end());
    for (int i = 0; i < n; ++i) {
        const FrozenInner::Node& node = inner.nodes[i];
        if (node.left < 0) continue;
        flat.feature.push_back(node.feature);
        flat.threshold.push_back(node.threshold);
        flat.left.push_back(target[node.left]);
        flat.right.push_back(target[node.right]);
        flat.owner.push_back(index);
        flat.missing_left.push_back(node.missing_left);
        flat.set_offset.push_back(node.set_offset >= 0 ? first_set + node.set_offset : -1);
        flat.node_count.push_back(inner.counts[i]);
        flat.left_count.push_back(inner.counts[node.left]);
        for (int k = 0; k < 2; ++k) {
            flat.node_mass.push_back(inner.mass(i)[k] * unit[k]);
            flat.left_mass.push_back(inner.mass(node.left)[k] * unit[k]);
        }
    }
}

// unit: weight of one fixed-point unit of mass, for each class.
inline FlatTree flatten(const MasterCell& root, const double* unit) {
    FlatTree flat;
    const std::vector<double> total = root.mass;
    struct Item {
        const MasterCell* cell;
        int parent;
        bool is_left;
    };
    std::vector<Item> stack = {{&root, -1, true}};
    std::vector<const MasterCell*> cells;
    while (!stack.empty()) {
        const Item item = stack.back();
        stack.pop_back();
        const int index = static_cast<int>(cells.size());
        cells.push_back(item.cell);
        flat.cell_parent.push_back(item.parent);
        flat.cell_left.push_back(-1);
        flat.cell_right.push_back(-1);
        if (item.parent >= 0) (item.is_left ? flat.cell_left : flat.cell_right)[item.parent] = index;
        flat.cell_depth.push_back(item.cell->depth);
        flat.cell_mass.push_back(item.cell->mass[0] * unit[0]);
        flat.cell_mass.push_back(item.cell->mass[1] * unit[1]);
        flat.cell_count.push_back(item.cell->count);
        flat.cell_gain.push_back(item.cell->is_split() ? item.cell->lambda(total) : 0.0);
        if (!item.cell->is_split()) continue;
        stack.push_back({item.cell->right.get(), index, false});
        stack.push_back({item.cell->left.get(), index, true});
    }
    // first inner node of each split cell
    std::int32_t next = 0;
    for (const MasterCell* cell : cells) {
        flat.cell_entry.push_back(cell->is_split() ? next : -1);
        if (cell->is_split()) next += static_cast<std::int32_t>(cell->inner.nodes.size() - cell->side.size());
    }
    if (!root.is_split()) {
        add_terminal(flat, 0, root.mass.data(), root.count, unit);
        return flat;
    }
    for (std::size_t c = 0; c < cells.size(); ++c)
        if (cells[c]->is_split()) flatten_inner(flat, *cells[c], static_cast<int>(c), unit);
    return flat;
}

}  // namespace rankforest
