// Scoring with many trees. Each row is coded once for all trees: the code of a value is its position among the
// thresholds that the trees compare it with. Trees are then walked four levels at a time.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "binning.hpp"
#include "chunk.hpp"
#include "dag.hpp"

namespace rankforest {

struct CodedRows {
    std::vector<CodedRow> rows;  // rounded up to a multiple of row_group
    bool any_missing = false;
};

class CodedTrees {
public:
    // Empty if the trees cannot be coded: sets of categories, more than 64 features in use, more than 254 thresholds of
    // one feature, more than 2^15 chunks or labels of one tree, or a machine without a byte shuffle.
    static std::optional<CodedTrees> make(const std::vector<std::shared_ptr<Dag>>& dags);

    // X row-major.
    CodedRows code(const double* X, std::int64_t n, std::int64_t n_features) const;
    // Labels of the rows, including the padding.
    void walk(std::size_t tree, const CodedRows& rows, std::int32_t* label) const;

private:
    explicit CodedTrees(ChunkWalk walk) : walk_(walk) {}
    bool find_columns(const std::vector<std::shared_ptr<Dag>>& dags);
    bool add(const Dag& dag);
    std::uint8_t code_of(std::int32_t column, double threshold) const;

    ChunkWalk walk_;
    std::vector<std::int32_t> feature_of_, column_of_;  // -1: not in use
    std::vector<std::vector<double>> thresholds_;       // of each column
    std::vector<CutSearch> searches_;
    std::vector<std::vector<Chunk>> trees_;
};

// Trees that score together. They are coded when it pays: the first time that many rows are scored by many trees.
class Forest {
public:
    explicit Forest(std::vector<std::shared_ptr<Dag>> dags) : dags_(std::move(dags)) {}

    std::size_t size() const { return dags_.size(); }
    const Dag& operator[](std::size_t tree) const { return *dags_[tree]; }
    std::int64_t bytes(std::int64_t first, std::int64_t last) const;  // of trees first .. last - 1
    const CodedTrees* coded_for(std::int64_t n_rows) const;

private:
    std::vector<std::shared_ptr<Dag>> dags_;
    mutable std::once_flag once_;
    mutable std::atomic<bool> tried_ = false;
    mutable std::optional<CodedTrees> coded_;
};

}  // namespace rankforest
