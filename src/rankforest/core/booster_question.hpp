// What a booster asks the partitions that hold its rows, as bytes. Every partition gets the same questions in the same
// order, so its state is a function of its rows and of the questions so far.
//
//     draw: draw the rows of a tree -> splits -> histograms    words, which are added up over the partitions
//     end:  add a finished tree to the scores                  leaves of rows and extremes, partition after partition
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "boosted_tree.hpp"
#include "booster_rows.hpp"
#include "gradient_criterion.hpp"
#include "rank_loss.hpp"
#include "wire.hpp"

namespace rankforest {

template <class Archive, class Tree>
void pass_tree(Archive& archive, Tree& tree) {
    archive(tree.nodes, tree.sets, tree.gain, tree.value);
}

template <class Archive, class Sums>
void pass_sums(Archive& archive, Sums& s) {
    archive(s.kind, s.factor, s.shift, s.low, s.per_step, s.gradient_at[0], s.gradient_at[1], s.hessian_at[0],
            s.hessian_at[1]);
}

enum class AskedRows : std::int32_t { none, held_out, all };

// Nodes of a tree are numbered in the order of the splits: the root is 0, split s makes 2s + 1 (left) and 2s + 2.
struct BoosterQuestion {
    bool ends = false;  // the second kind
    std::int32_t round = 0;
    LossSums sums;

    // ---- the first kind
    GradientUnits units;
    std::uint64_t key = 0;
    double subsample = 1.0;
    std::int32_t first_split = 0;  // number of splits that were sent before
    std::vector<std::int32_t> split_node, split_feature;
    std::vector<std::uint8_t> goes_left;                           // of each code of the feature, split after split
    std::vector<std::int32_t> totals_of;                           // nodes
    std::vector<std::int32_t> histogram_of, features, n_features;  // nodes; features of all, number of them by node

    // ---- the second kind
    bool has_tree = false;  // without a tree: before the first round
    BoostedTree tree;
    std::vector<std::int32_t> leaf_node;
    AskedRows leaves_of = AskedRows::none;
    bool extremes = false;  // of the scores after this tree

    std::string to_bytes() const {
        Writer writer;
        pass(writer, *this);
        return writer.take();
    }
    static BoosterQuestion of_bytes(const char* bytes, std::size_t n) {
        BoosterQuestion question;
        Reader reader(bytes, n);
        pass(reader, question);
        if (!reader.done()) throw std::invalid_argument("the message is too long");
        return question;
    }

private:
    template <class Archive, class Question>
    static void pass(Archive& archive, Question& q) {
        archive(q.ends, q.round, q.units, q.key, q.subsample, q.first_split, q.split_node, q.split_feature, q.goes_left,
                q.totals_of, q.histogram_of, q.features, q.n_features, q.has_tree, q.leaf_node, q.leaves_of,
                q.extremes);
        pass_sums(archive, q.sums);
        pass_tree(archive, q.tree);
    }
};

// Bytes of the number of a leaf.
inline int leaf_bytes(std::size_t n_leaves) { return n_leaves <= 0x100 ? 1 : n_leaves <= 0x10000 ? 2 : 4; }

}  // namespace rankforest
