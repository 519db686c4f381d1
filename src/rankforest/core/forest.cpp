// Codes the trees of a forest into chunks of four levels, and scores rows with them.
#include "forest.hpp"

#include <algorithm>
#include <cmath>

#include "instruction_set.hpp"

namespace rankforest {

#ifdef RANKFOREST_X86
namespace isa_v3 {
extern const ChunkWalk walk_chunks;
}
namespace isa_vbmi {
extern const ChunkWalk walk_chunks;
}
#endif

namespace {

ChunkWalk choose_walk() {
#ifdef RANKFOREST_X86
    if (instruction_set() >= InstructionSet::v4 && __builtin_cpu_supports("avx512vbmi")) return isa_vbmi::walk_chunks;
    if (instruction_set() >= InstructionSet::v3) return isa_v3::walk_chunks;
#endif
    return nullptr;
}

constexpr std::size_t most_thresholds = 254;
constexpr std::uint8_t always_left = 255;  // no code is larger

}  // namespace

std::optional<CodedTrees> CodedTrees::make(const std::vector<std::shared_ptr<Dag>>& dags) {
    CodedTrees made(choose_walk());
    if (!made.walk_ || !made.find_columns(dags)) return {};
    for (const auto& dag : dags)
        if (!made.add(*dag)) return {};
    return made;
}

bool CodedTrees::find_columns(const std::vector<std::shared_ptr<Dag>>& dags) {
    for (const auto& dag : dags) {
        if (dag->categorical()) return false;
        column_of_.resize(std::max<std::size_t>(column_of_.size(), dag->n_features()), -1);
        for (std::int32_t i = 0; i < dag->n_inner(); ++i) {
            const auto& node = dag->nodes()[i];
            auto& column = column_of_[node.feature];
            if (column < 0) {
                if (feature_of_.size() == CodedRow::most_columns) return false;
                column = static_cast<std::int32_t>(feature_of_.size());
                feature_of_.push_back(node.feature);
                thresholds_.emplace_back();
            }
            if (!std::isnan(node.threshold)) thresholds_[column].push_back(node.threshold);
        }
    }
    for (auto& cuts : thresholds_) {
        std::sort(cuts.begin(), cuts.end());
        cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
        if (cuts.size() > most_thresholds) return false;
        searches_.emplace_back(cuts.data(), static_cast<std::int64_t>(cuts.size()));
    }
    return true;
}

// A value is above threshold k if at least k + 1 thresholds are below it, that is, if its code is larger than k + 1.
std::uint8_t CodedTrees::code_of(std::int32_t column, double threshold) const {
    if (std::isnan(threshold)) return always_left;
    const auto& cuts = thresholds_[column];
    return static_cast<std::uint8_t>(std::lower_bound(cuts.begin(), cuts.end(), threshold) - cuts.begin() + 1);
}

// A node with several parents starts a chunk, so that no node is in two chunks.
bool CodedTrees::add(const Dag& dag) {
    const auto& nodes = dag.nodes();
    const std::int32_t n_inner = dag.n_inner();
    if (dag.n_labels() > Chunk::arrived) return false;
    std::vector<std::int32_t> n_parents(nodes.size(), 0), chunk_of(nodes.size(), -1), first_nodes = {dag.start()};
    for (std::int32_t i = 0; i < n_inner; ++i)
        for (const auto child : nodes[i].child) ++n_parents[child];
    std::vector<Chunk> chunks;
    for (std::size_t c = 0; c < first_nodes.size(); ++c) {
        Chunk chunk{};
        std::int32_t heap[2 * Chunk::size];
        heap[1] = first_nodes[c];
        for (int h = 1; h < Chunk::size; ++h) {
            const std::int32_t at = heap[h];
            heap[2 * h] = heap[2 * h + 1] = at;  // a row that has left the chunk stays at its exit
            if (at >= n_inner || (h > 1 && n_parents[at] > 1)) continue;
            const auto& node = nodes[at];
            const std::int32_t column = column_of_[node.feature];
            chunk.column[h] = static_cast<std::uint8_t>(column | (node.missing_right ? Chunk::missing_right : 0));
            chunk.code[h] = code_of(column, node.threshold);
            heap[2 * h] = node.child[0];
            heap[2 * h + 1] = node.child[1];
        }
        for (int e = 0; e < Chunk::size; ++e) {
            const std::int32_t to = heap[Chunk::size + e];
            if (to >= n_inner) {
                chunk.exit[e] = static_cast<std::uint16_t>(Chunk::arrived | (to - n_inner));
                continue;
            }
            if (chunk_of[to] < 0) {
                chunk_of[to] = static_cast<std::int32_t>(first_nodes.size());
                first_nodes.push_back(to);
            }
            chunk.exit[e] = static_cast<std::uint16_t>(chunk_of[to]);
        }
        if (first_nodes.size() > Chunk::arrived) return false;
        chunks.push_back(chunk);
    }
    trees_.push_back(std::move(chunks));
    return true;
}

CodedRows CodedTrees::code(const double* X, std::int64_t n, std::int64_t n_features) const {
    CodedRows coded{std::vector<CodedRow>((n + row_group - 1) / row_group * row_group)};
    for (std::int64_t begin = 0; begin < n; begin += CutSearch::lockstep) {
        const int m = static_cast<int>(std::min<std::int64_t>(CutSearch::lockstep, n - begin));
        for (std::size_t column = 0; column < feature_of_.size(); ++column) {
            double values[CutSearch::lockstep] = {};
            std::int32_t found[CutSearch::lockstep];
            for (int i = 0; i < m; ++i) values[i] = X[(begin + i) * n_features + feature_of_[column]];
            searches_[column](values, found);
            for (int i = 0; i < m; ++i) {
                coded.rows[begin + i].code[column] = static_cast<std::uint8_t>(found[i]);
                coded.any_missing |= found[i] == 0;
            }
        }
    }
    return coded;
}

void CodedTrees::walk(std::size_t tree, const CodedRows& coded, std::int32_t* label) const {
    const int n_column_groups = std::max(static_cast<int>(feature_of_.size() + 15) / 16, 1);
    walk_(trees_[tree].data(), coded.rows.data(), static_cast<std::int64_t>(coded.rows.size()), n_column_groups,
          coded.any_missing, label);
}

std::int64_t Forest::bytes(std::int64_t first, std::int64_t last) const {
    std::int64_t bytes = 0;
    for (std::int64_t t = first; t < last; ++t) bytes += dags_[t]->bytes();
    return bytes;
}

// Coding a value of a row costs about a quarter of the walk of a tree. Coding a tree costs as much as it saves on about
// a thousand rows; once coded, trees are used for smaller tables too.
const CodedTrees* Forest::coded_for(std::int64_t n_rows) const {
    if (dags_.empty() || n_rows < (tried_ ? 256 : 4096)) return nullptr;
    const std::size_t most_columns = std::min<std::size_t>(dags_[0]->n_features(), CodedRow::most_columns);
    if (4 * dags_.size() < most_columns) return nullptr;
    std::call_once(once_, [&] {
        coded_ = CodedTrees::make(dags_);
        tried_ = true;
    });
    return coded_ ? &*coded_ : nullptr;
}

}  // namespace rankforest
