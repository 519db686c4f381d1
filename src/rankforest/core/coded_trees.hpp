// Trees that are evaluated on coded rows, many rows side by side: every node is decided for every row of a group, from
// the leaves to the root, which takes a few instructions per node and group and no branch.
#pragma once
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "dag.hpp"
#include "planes.hpp"
#include "row_planes.hpp"

namespace rankforest {

// Bytes at the start of a cache line.
class AlignedBytes {
public:
    explicit AlignedBytes(std::size_t n) : bytes_(static_cast<std::uint8_t*>(::operator new[](n, line))) {}
    std::uint8_t* data() { return bytes_.get(); }

private:
    static constexpr std::align_val_t line{64};
    struct Delete {
        void operator()(std::uint8_t* bytes) const { ::operator delete[](bytes, line); }
    };
    std::unique_ptr<std::uint8_t[], Delete> bytes_;
};

// Codes of consecutive rows in groups, and space to evaluate trees.
struct CodedRows {
    int group_rows;
    std::int64_t n_groups;
    std::size_t group_bytes;
    AlignedBytes planes, work;

    std::int64_t n_padded() const { return n_groups * group_rows; }
};

class CodedTrees {
public:
    explicit CodedTrees(const std::vector<std::shared_ptr<Dag>>& dags);

    CodedRows code(const double* X, std::int64_t n, std::int64_t n_features) const;

    // Whether evaluating a tree for n rows takes less time than n walks.
    bool tree_pays(std::size_t tree, std::int64_t n) const { return n >= trees_[tree].least_rows; }
    // Whether it pays to code n rows for n_trees trees.
    bool pays(std::int64_t n, std::int64_t n_trees) const;
    // The result of a tree for a row is its label. That of a symmetric tree is the position of the label in
    // symmetric_labels(tree), in one byte. A result of several bytes is a number that walk() turns into a label; the
    // lowest byte comes first.
    int n_bytes(std::size_t tree) const { return trees_[tree].n_programs; }
    std::size_t size() const { return trees_.size(); }
    bool is_symmetric(std::size_t tree) const { return trees_[tree].symmetric; }
    const std::vector<std::int32_t>& symmetric_labels(std::size_t tree) const { return trees_[tree].labels; }
    // One byte of the result, for each row and for those that fill up the last group.
    void evaluate(std::size_t tree, int byte, CodedRows& rows, std::uint8_t* results) const;
    // The labels.
    void walk(std::size_t tree, CodedRows& rows, std::int32_t* label) const;

private:
    struct Program {
        std::size_t step, test, node;  // the first ones
        std::uint32_t n_steps;
        std::uint8_t constant;  // the result if there is no step
    };
    struct Tree {
        std::size_t program;  // the first one
        int n_programs = 0;
        std::int64_t least_rows = 0;
        bool symmetric = false;
        std::vector<std::int32_t> labels;  // by result, if results are not the labels
    };

    void add(const Dag& dag);
    bool add_symmetric(const Dag& dag, Tree& tree);
    bool add_byte(const Dag& dag, const std::vector<std::int32_t>& number, int shift);
    PlaneNode decision(const Dag& dag, std::int32_t node);
    void begin_program();

    const PlaneKernel* kernel_;
    RowPlanes planes_;
    std::vector<PlaneStep> steps_;
    std::vector<SetTest> tests_;
    std::vector<PlaneNode> nodes_;
    std::vector<std::uint8_t> tables_;
    std::vector<Program> programs_;
    std::vector<Tree> trees_;
    std::size_t n_places_ = PlaneNode::n_bytes;  // of the work space
    std::int64_t least_rows_;                    // of any tree
    int step_tests_ = 0;                         // scratch planes of the current step
};

}  // namespace rankforest
