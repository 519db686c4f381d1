// Turns DAGs into programs on planes, and runs them.
#include "coded_trees.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>

#include "instruction_set.hpp"

namespace rankforest {

namespace isa_baseline {
extern const PlaneKernel plane_kernel;
}
#ifdef RANKFOREST_X86
namespace isa_v3 {
extern const PlaneKernel plane_kernel;
}
namespace isa_v4 {
extern const PlaneKernel plane_kernel;
}
#endif

namespace {

const PlaneKernel& choose_kernel() {
#ifdef RANKFOREST_X86
    if (instruction_set() == InstructionSet::v4) return isa_v4::plane_kernel;
    if (instruction_set() == InstructionSet::v3) return isa_v3::plane_kernel;
#endif
    return isa_baseline::plane_kernel;
}

constexpr int most_levels = 8;  // of a symmetric tree: its index is a byte
constexpr std::size_t most_places = std::size_t{1} << 16;

// A walk takes about as long per level as the evaluation of this many nodes per row of a full group.
constexpr std::int64_t nodes_per_level = 80;
constexpr std::int64_t few_rows = 8;  // always walk
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

// Whether a tree is small enough to be evaluated.
bool may_fit(const Dag& dag) { return dag.n_inner() <= nodes_per_level * std::max(dag.length(), 1); }

std::vector<std::shared_ptr<Dag>> small_ones(const std::vector<std::shared_ptr<Dag>>& dags) {
    std::vector<std::shared_ptr<Dag>> small;
    for (const auto& dag : dags)
        if (may_fit(*dag)) small.push_back(dag);
    return small;
}

// The labels as they are reached from left to right. Neighbours then share the upper bytes of their numbers in this
// order, and few nodes decide on these bytes.
std::vector<std::int32_t> labels_in_order(const Dag& dag) {
    std::vector<std::int32_t> order, open{dag.start()};
    std::vector<std::uint8_t> seen(dag.nodes().size(), 0);
    while (!open.empty()) {
        const std::int32_t node = open.back();
        open.pop_back();
        if (seen[node]) continue;
        seen[node] = 1;
        if (node >= dag.n_inner()) {
            order.push_back(node - dag.n_inner());
            continue;
        }
        for (const int side : {1, 0})
            if (!seen[dag.nodes()[node].child[side]]) open.push_back(dag.nodes()[node].child[side]);
    }
    for (std::int32_t label = 0; label < dag.n_labels(); ++label)
        if (!seen[dag.n_inner() + label]) order.push_back(label);
    return order;
}

bool same_test(const Dag& dag, std::int32_t a, std::int32_t b) {
    const auto &first = dag.nodes()[a], &second = dag.nodes()[b];
    if (first.feature != second.feature || first.missing_right != second.missing_right) return false;
    if (dag.tests_set(a) != dag.tests_set(b)) return false;
    if (!dag.tests_set(a)) return first.threshold == second.threshold;
    if (dag.n_codes(a) != dag.n_codes(b)) return false;
    for (std::int32_t code = 1; code < dag.n_codes(a); ++code)
        if (dag.code_goes_right(a, code) != dag.code_goes_right(b, code)) return false;
    return true;
}

}  // namespace

CodedTrees::CodedTrees(const std::vector<std::shared_ptr<Dag>>& dags)
    : kernel_(&choose_kernel()), planes_(small_ones(dags)), least_rows_(never) {
    for (const auto& dag : dags) add(*dag);
    for (const auto& tree : trees_) least_rows_ = std::min(least_rows_, tree.least_rows);
}

void CodedTrees::add(const Dag& dag) {
    Tree tree;
    tree.program = programs_.size();
    const std::size_t before = nodes_.size();
    bool fits = may_fit(dag);
    if (fits && !add_symmetric(dag, tree)) {
        std::vector<std::int32_t> number(dag.n_labels());
        std::iota(number.begin(), number.end(), 0);
        if (dag.n_labels() > 256) {
            tree.labels = labels_in_order(dag);
            for (std::int32_t i = 0; i < dag.n_labels(); ++i) number[tree.labels[i]] = i;
        }
        for (int shift = 0; shift == 0 || std::int64_t{dag.n_labels() - 1} >> shift > 0; shift += 8)
            fits &= add_byte(dag, number, shift);
    }
    tree.n_programs = static_cast<int>(programs_.size() - tree.program);
    const auto n_nodes = static_cast<std::int64_t>(nodes_.size() - before);
    const std::int64_t length = std::max(dag.length(), 1);
    fits &= n_nodes <= nodes_per_level * length;
    tree.least_rows = fits ? std::max(few_rows, n_nodes / length) : never;
    trees_.push_back(std::move(tree));
}

// Coding a value costs about half as much as it saves on a tree.
bool CodedTrees::pays(std::int64_t n, std::int64_t n_trees) const {
    return n >= least_rows_ && 2 * n_trees >= static_cast<std::int64_t>(planes_.n_of_values());
}

void CodedTrees::begin_program() {
    programs_.push_back({steps_.size(), tests_.size(), nodes_.size(), 0, 0});
    step_tests_ = 0;
}

// Adds the test of a node to the current step, or to a new one if there is no scratch plane left. Sets that many nodes
// test have a plane and need no test.
PlaneNode CodedTrees::decision(const Dag& dag, std::int32_t node) {
    Program& program = programs_.back();
    RowPlanes::Set set;
    if (dag.tests_set(node)) set = RowPlanes::set_of(dag, node);
    const std::uint32_t shared = dag.tests_set(node) ? planes_.plane_of(set) : 0;
    const bool tests = dag.tests_set(node) && shared == 0;
    if (program.n_steps == 0 || (tests && step_tests_ == scratch_planes)) {
        steps_.push_back({0, 0});
        ++program.n_steps;
        step_tests_ = 0;
    }
    ++steps_.back().n_nodes;
    if (shared > 0) return {shared, 0, 0, 0, 0};
    if (!tests) {
        const auto cut = planes_.cut(dag.nodes()[node]);
        return {cut.plane, 0, 0, 0, cut.code};
    }
    const auto to = static_cast<std::uint32_t>(step_tests_++);
    steps_.back().n_tests += planes_.add_tests(set, to, tests_, tables_);
    return {to, 0, 0, 0, 0};
}

// All nodes of a level have the same test, and all leaves the same depth.
bool CodedTrees::add_symmetric(const Dag& dag, Tree& tree) {
    std::vector<std::int32_t> level{dag.start()}, tests;
    while (level[0] < dag.n_inner()) {
        for (const auto node : level)
            if (node >= dag.n_inner() || !same_test(dag, level[0], node)) return false;
        if (tests.size() == most_levels) return false;
        tests.push_back(level[0]);
        std::vector<std::int32_t> below;
        for (const auto node : level)
            for (const auto child : dag.nodes()[node].child) below.push_back(child);
        level.swap(below);
    }
    for (const auto node : level)
        if (node < dag.n_inner()) return false;
    if (tests.empty()) return false;
    begin_program();
    for (const auto test : tests) {
        const PlaneNode node = decision(dag, test);
        nodes_.push_back(node);
    }
    for (const auto node : level) tree.labels.push_back(node - dag.n_inner());
    tree.symmetric = true;
    return true;
}

// One byte of the number of the label. Nodes whose two sides lead to the same byte are left out. Nodes come after their
// children; a slot is free again once all parents of its node are decided. False if there are too many slots.
bool CodedTrees::add_byte(const Dag& dag, const std::vector<std::int32_t>& number, int shift) {
    const auto& nodes = dag.nodes();
    const std::int32_t n_inner = dag.n_inner();
    std::vector<std::int32_t> leads(n_inner);  // an inner node, or ~byte
    const auto lead = [&](std::int32_t node) {
        return node < n_inner ? leads[node] : ~static_cast<std::int32_t>((number[node - n_inner] >> shift) & 255);
    };
    for (std::int32_t i = n_inner - 1; i >= 0; --i) {
        const std::int32_t left = lead(nodes[i].child[0]), right = lead(nodes[i].child[1]);
        leads[i] = left == right ? left : i;
    }
    begin_program();
    const std::int32_t root = lead(dag.start());
    if (root < 0) {
        programs_.back().constant = static_cast<std::uint8_t>(~root);
        return true;
    }
    std::vector<std::int32_t> n_parents(n_inner, 0), order, open{root};
    std::vector<std::uint8_t> state(n_inner, 0);  // 1: its children are open, 2: it is in the order
    while (!open.empty()) {
        const std::int32_t node = open.back();
        if (state[node] > 0) {
            open.pop_back();
            if (state[node] == 1) order.push_back(node);
            state[node] = 2;
            continue;
        }
        state[node] = 1;
        for (const int side : {1, 0}) {
            const std::int32_t to = lead(nodes[node].child[side]);
            if (to < 0) continue;
            ++n_parents[to];
            if (state[to] == 0) open.push_back(to);
        }
    }
    std::vector<std::uint32_t> place(n_inner), free;
    const auto slot_size = static_cast<std::uint32_t>(kernel_->group_rows / kernel_->vector_bytes);
    std::uint32_t end = PlaneNode::n_bytes;  // of the places in use
    for (const auto i : order) {
        PlaneNode node = decision(dag, i);
        const auto operand = [&](int side) -> std::uint32_t {
            const std::int32_t to = lead(nodes[i].child[side]);
            if (to < 0) return static_cast<std::uint32_t>(~to);
            if (--n_parents[to] == 0) free.push_back(place[to]);
            return place[to];
        };
        node.left = static_cast<std::uint16_t>(operand(0));
        node.right = static_cast<std::uint16_t>(operand(1));
        if (free.empty()) {
            free.push_back(end);
            end += slot_size;
        }
        place[i] = free.back();
        free.pop_back();
        node.to = static_cast<std::uint16_t>(place[i]);
        nodes_.push_back(node);
    }
    if (end > most_places) return false;
    n_places_ = std::max<std::size_t>(n_places_, end);
    return true;
}

CodedRows CodedTrees::code(const double* X, std::int64_t n, std::int64_t n_features) const {
    const int group_rows = n <= 2 * small_group ? small_group : kernel_->group_rows;
    const std::int64_t n_groups = (n + group_rows - 1) / group_rows;
    const std::size_t group_bytes = planes_.size() * group_rows;
    CodedRows rows{group_rows, n_groups, group_bytes, AlignedBytes(n_groups * group_bytes),
                   AlignedBytes(n_places_ * kernel_->vector_bytes)};
    if (n < rows.n_padded()) std::memset(rows.planes.data() + (n_groups - 1) * group_bytes, 0, group_bytes);
    for (std::int64_t g = 0; g < n_groups; ++g)
        planes_.code(*kernel_, X + g * group_rows * n_features, std::min<std::int64_t>(group_rows, n - g * group_rows),
                     n_features, group_rows, rows.planes.data() + g * group_bytes);
    for (int byte = 0; byte < PlaneNode::n_bytes; ++byte)
        std::memset(rows.work.data() + byte * kernel_->vector_bytes, byte, kernel_->vector_bytes);
    return rows;
}

void CodedTrees::evaluate(std::size_t tree, int byte, CodedRows& rows, std::uint8_t* results) const {
    const Program& own = programs_[trees_[tree].program + byte];
    if (own.n_steps == 0) {
        std::memset(results, own.constant, rows.n_padded());
        return;
    }
    const PlaneProgram program{steps_.data() + own.step, tests_.data() + own.test, nodes_.data() + own.node,
                               own.n_steps, tables_.data()};
    for (std::int64_t g = 0; g < rows.n_groups; ++g) {
        std::uint8_t *const planes = rows.planes.data() + g * rows.group_bytes, *const to =
                                                                                    results + g * rows.group_rows;
        if (is_symmetric(tree)) kernel_->index(program, rows.group_rows, planes, to);
        else kernel_->choose(program, rows.group_rows, planes, rows.work.data(), to);
    }
}

void CodedTrees::walk(std::size_t tree, CodedRows& rows, std::int32_t* label) const {
    const std::int64_t n = rows.n_padded();
    std::vector<std::uint8_t> bytes(n);
    for (int b = 0; b < n_bytes(tree); ++b) {
        evaluate(tree, b, rows, bytes.data());
        for (std::int64_t i = 0; i < n; ++i) label[i] = (b == 0 ? 0 : label[i]) | bytes[i] << (8 * b);
    }
    const auto& labels = trees_[tree].labels;
    if (!labels.empty())
        for (std::int64_t i = 0; i < n; ++i) label[i] = labels[label[i]];
}

}  // namespace rankforest
