// A tree of classes whose rows are in partitions. It is grown here, from histograms that are added up over the
// partitions; whoever has the partitions answers its questions. Its cells grow side by side, each in a thread that
// stops at every question, so that the questions of all of them are asked together.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exchange.hpp"
#include "row_holder.hpp"
#include "tree_question.hpp"

namespace rankforest {

struct FarQuestion {
    std::string bytes;
    std::size_t n_words = 0;
};
using TreeExchange = Exchange<FarQuestion, HistogramWords>;

// The moves of all cells of a tree, and the sizes of its nodes. The plane of a segment is the number of the node.
class FarMoves {
public:
    std::pair<Segment, Segment> add(const RowMove& move) {
        const std::lock_guard lock(mutex_);
        unsent_ += bytes_of(move);
        const int left = static_cast<int>(sizes_.size());
        sizes_.resize(sizes_.size() + 2, 0);
        return {{0, 0, left}, {0, 0, left + 1}};
    }
    std::int64_t size(int node) const {
        const std::lock_guard lock(mutex_);
        return sizes_.at(node);
    }

    // ---- while no cell is at work
    // Moves that were not sent before; their nodes wait for their sizes.
    std::string take() {
        first_unsized_ = n_sent_;
        n_sent_ = sizes_.size();
        return std::exchange(unsent_, {});
    }
    std::size_t n_unsized() const { return n_sent_ - first_unsized_; }
    void put_sizes(const std::uint64_t* words) {
        for (std::size_t i = first_unsized_; i < n_sent_; ++i) sizes_[i] = static_cast<std::int64_t>(*words++);
    }

private:
    mutable std::mutex mutex_;
    std::string unsent_;
    std::vector<std::int64_t> sizes_{0};  // the root has no sibling to be compared with
    std::size_t n_sent_ = 1, first_unsized_ = 1;
};

// The rows of a tree, as one cell sees them. Moves and histograms that are not urgent wait for the next question.
template <class Histogram>
class FarTreeRows final : public RowHolder<Histogram> {
public:
    FarTreeRows(FarMoves& moves, TreeExchange& exchange, const BinnedTable& table, int n_classes)
        : moves_(moves), exchange_(exchange), table_(table), n_classes_(n_classes) {}

    bool is_far() const override { return true; }
    Segment root() const override { return {0, 0, 0}; }
    std::int64_t size(const Segment& node) const override { return moves_.size(node.plane); }

    void ask_ahead(const Segment& node, const HistogramShape& shape, std::int64_t weight) override {
        next_.bytes += bytes_of(NodeQuestion{node.plane, false, weight, shape.features});
        asked_.emplace_back(node.plane, Histogram::n_words(shape, n_classes_, weight));
        next_.n_words += asked_.back().second;
    }

    double totals(const Segment& node, double* mass) const override {
        const FarQuestion question{bytes_of(NodeQuestion{node.plane, true, 0, {}}),
                                   static_cast<std::size_t>(n_classes_) + 1};
        const HistogramWords words = exchange_.ask(question);
        for (int k = 0; k < n_classes_; ++k) mass[k] = static_cast<double>(words.at(k));
        return static_cast<double>(words.at(n_classes_));
    }

    void histogram(const Segment& node, const HistogramShape& shape, std::int64_t weight, Histogram& out) override {
        auto found = known_.find(node.plane);
        if (found == known_.end()) {
            const auto is_it = [&](const auto& each) { return each.first == node.plane; };
            if (std::find_if(asked_.begin(), asked_.end(), is_it) == asked_.end()) ask_ahead(node, shape, weight);
            ask();
            found = known_.find(node.plane);
        }
        out.put(found->second, shape, weight);
        known_.erase(found);
    }

    std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) override {
        return moves_.add({node.plane, feature, {goes_left, goes_left + table_.n_bins[feature] + 1}, {}, {}});
    }

    std::pair<Segment, Segment> gather(const Segment& cell, const std::vector<Segment>& left,
                                       const std::vector<Segment>& right) override {
        return moves_.add({cell.plane, -1, {}, numbers(left), numbers(right)});
    }

private:
    static std::vector<std::int32_t> numbers(const std::vector<Segment>& nodes) {
        std::vector<std::int32_t> found;
        for (const auto& node : nodes) found.push_back(node.plane);
        return found;
    }

    void ask() {
        const HistogramWords words = exchange_.ask(std::exchange(next_, {}));
        auto at = words.begin();
        for (const auto& [node, n_words] : asked_) {
            known_[node].assign(at, at + static_cast<std::ptrdiff_t>(n_words));
            at += static_cast<std::ptrdiff_t>(n_words);
        }
        asked_.clear();
    }

    FarMoves& moves_;
    TreeExchange& exchange_;
    const BinnedTable& table_;
    const int n_classes_;
    FarQuestion next_;
    std::vector<std::pair<int, std::size_t>> asked_;  // nodes, and words of their histograms
    std::map<int, HistogramWords> known_;
};

// What a far tree asks in one round.
struct FarMessage {
    std::string moves, questions;
    std::size_t n_nodes = 0, n_words = 0;  // nodes that the moves make, words of the answer
};

class FarTree {
public:
    virtual ~FarTree() = default;
    // Waits until every cell asks or is done; none if the tree is complete.
    virtual std::optional<FarMessage> next() = 0;
    virtual std::size_t n_words() const = 0;  // of the answer that it waits for
    virtual void give(const std::uint64_t* words) = 0;
};

// Cells that grow side by side.
template <class Histogram>
class FarCells {
public:
    FarCells(const BinnedTable& table, int n_classes) : table_(table), n_classes_(n_classes) {}

    // Runs `work` in a thread of its own; once it is done, `after` in that of the caller of next().
    void start(std::function<void(RowHolder<Histogram>&)> work, std::function<void()> after) {
        auto cell = std::make_unique<Cell>(moves_, table_, n_classes_);
        cell->after = std::move(after);
        cell->exchange.start([work = std::move(work), &rows = cell->rows] { work(rows); });
        cells_.push_back(std::move(cell));
    }

    std::optional<FarMessage> next() {
        FarMessage message;
        for (std::size_t i = 0; i < cells_.size();) {
            if (auto question = cells_[i]->exchange.next()) {
                message.questions += question->bytes;
                message.n_words += cells_[i]->n_words = question->n_words;
                ++i;
            } else {
                const auto done = std::move(cells_[i]);
                cells_.erase(cells_.begin() + static_cast<std::ptrdiff_t>(i));
                done->after();  // may start more
            }
        }
        if (cells_.empty()) return std::nullopt;
        message.moves = moves_.take();
        message.n_nodes = moves_.n_unsized();
        message.n_words += message.n_nodes;
        return message;
    }

    std::size_t n_words() const {
        std::size_t n = moves_.n_unsized();
        for (const auto& cell : cells_) n += cell->n_words;
        return n;
    }
    void give(const std::uint64_t* words) {
        moves_.put_sizes(words);
        words += moves_.n_unsized();
        for (auto& cell : cells_) {
            cell->exchange.give({words, words + cell->n_words});
            words += cell->n_words;
        }
    }

private:
    struct Cell {
        TreeExchange exchange;
        FarTreeRows<Histogram> rows;
        std::function<void()> after;
        std::size_t n_words = 0;
        Cell(FarMoves& moves, const BinnedTable& table, int n_classes) : rows(moves, exchange, table, n_classes) {}
        ~Cell() { exchange.stop(); }
    };

    const BinnedTable& table_;
    const int n_classes_;
    FarMoves moves_;
    std::vector<std::unique_ptr<Cell>> cells_;
};

// A far tree that becomes flat arrays.
template <class Tree>
class FarTreeOf : public FarTree {
public:
    virtual Tree take() = 0;
};

}  // namespace rankforest
