// Rows side by side: what the evaluation of trees on coded rows reads, and its kernels for each instruction set.
#pragma once
#include <cstdint>

namespace rankforest {

// The codes of a group of rows are stored column by column: a plane has one byte for each row of the group. The first
// planes are scratch space for tests of category sets; those of the features come after them.
constexpr int scratch_planes = 16;
constexpr int small_group = 64, usual_group = 128, most_group = 256;

// One decision for all rows of a group: a row takes the operand `right` if its code in the plane is greater than
// `code`, else `left`, and the taken byte is stored at `to`. The three are places in the work space, counted in
// vectors. The first n_bytes vectors are constants: each byte, repeated. Behind them are slots, with a byte for each
// row.
struct PlaneNode {
    static constexpr int n_bytes = 256;
    std::uint32_t plane;
    std::uint16_t left, right, to;
    std::uint8_t code;
};

// Whether the category of a row belongs to a set: the byte of the plane `to` is above 0 if so. A category c is
// stored as the bit c % 8 and, for each page of 128 categories, the byte c / 8 of the page, or 128 or more if the
// category is on another page.
struct SetTest {
    std::uint32_t bit, page;  // planes
    std::uint32_t table;      // 16 bytes: the members on this page
    std::uint16_t to;         // a scratch plane, or the plane of a set that many nodes test
    bool more;                // whether the next test is the same set on another page
};

// Some tests of sets, then some nodes that may use them. A tree is a list of steps.
struct PlaneStep {
    std::uint32_t n_tests, n_nodes;
};

struct PlaneProgram {
    const PlaneStep* steps;
    const SetTest* tests;
    const PlaneNode* nodes;
    std::uint32_t n_steps;
    const std::uint8_t* tables;  // of all tests
};

// At most 254 increasing cuts in sixteen segments of sixteen, filled up with infinities; `last` has the last cut of
// each segment.
struct CutSegments {
    static constexpr int size = 16, most_cuts = 254;
    alignas(64) double cuts[size * size];
    alignas(64) double last[size];
};

// The functions of one instruction set. Results have one byte per row.
struct PlaneKernel {
    int vector_bytes, group_rows;  // rows of a full group
    // 0 if a value is NaN, else 1 + number of cuts below it; n is a multiple of 8.
    void (*find)(const CutSegments& segments, const double* values, int n, std::uint8_t* codes);
    // The last node's choice; a program has at least one node.
    void (*choose)(const PlaneProgram& program, int group_rows, std::uint8_t* planes, std::uint8_t* work,
                   std::uint8_t* chosen);
    // Runs the tests of sets.
    void (*test)(const SetTest* tests, const SetTest* end, const std::uint8_t* tables, int group_rows,
                 std::uint8_t* planes);
    // For a symmetric tree, whose nodes are its levels: one bit per level, the first level's is the highest.
    void (*index)(const PlaneProgram& program, int group_rows, std::uint8_t* planes, std::uint8_t* indices);
};

}  // namespace rankforest
