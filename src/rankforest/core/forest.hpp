// Trees that score together.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "coded_trees.hpp"
#include "dag.hpp"

namespace rankforest {

// The trees are coded when it pays: once enough rows have been scored.
class Forest {
public:
    explicit Forest(std::vector<std::shared_ptr<Dag>> dags) : dags_(std::move(dags)) {}

    std::size_t size() const { return dags_.size(); }
    const Dag& operator[](std::size_t tree) const { return *dags_[tree]; }
    std::int64_t bytes(std::int64_t first, std::int64_t last) const;  // of trees first .. last - 1
    // The coded trees if they are worth their price when n_rows more rows are scored by n_trees of them, else null.
    const CodedTrees* coded_for(std::int64_t n_rows, std::int64_t n_trees) const;
    CodedTrees code() const { return CodedTrees(dags_); }
    void count_rows(std::int64_t n_rows) const { rows_scored_ += n_rows; }  // that have been scored

    // The labels of one row in trees first .. last - 1.
    void walk_row(const double* row, std::int64_t first, std::int64_t last, std::int32_t* labels) const;

private:
    std::vector<std::shared_ptr<Dag>> dags_;
    mutable std::once_flag once_;
    mutable std::atomic<std::int64_t> rows_scored_ = 0;
    mutable std::optional<CodedTrees> coded_;
};

}  // namespace rankforest
