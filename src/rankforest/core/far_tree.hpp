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
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "exchange.hpp"
#include "near_rows.hpp"
#include "row_holder.hpp"
#include "tree_question.hpp"

namespace rankforest {

// n_words, n_rows: length of the answer; number of nodes whose rows are wanted.
struct FarQuestion {
    std::string bytes;
    std::size_t n_words = 0, n_rows = 0;
};
using TreeExchange = Exchange<FarQuestion, TreeAnswer>;

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

// The rows of a tree, as one cell sees them. Moves and histograms that are not urgent wait for the next question. The
// rows of a small node are brought here, and the nodes below it are near: their planes are -1, -2, ...
template <class Histogram>
class FarTreeRows final : public RowHolder<Histogram> {
public:
    // near: rows are brought here if they are at most so many times as large as a histogram.
    FarTreeRows(FarMoves& moves, TreeExchange& exchange, const BinnedTable& table, int n_classes, double near)
        : moves_(moves),
          exchange_(exchange),
          table_(table),
          n_classes_(n_classes),
          near_(near),
          row_words_(static_cast<double>(near_row_words<Histogram>(table))) {}

    bool is_far() const override { return true; }
    Segment root() const override { return {0, 0, 0}; }
    std::int64_t size(const Segment& node) const override {
        return is_near(node) ? node.size() : moves_.size(node.plane);
    }

    void ask_ahead(const Segment& node, const HistogramShape& shape, std::int64_t weight, double count) override {
        if (find(node) || known_.contains(node.plane) || is_asked(node)) return;
        const std::size_t n_words = Histogram::n_words(shape, n_classes_, weight);
        if (count * row_words_ <= near_ * static_cast<double>(n_words)) {
            next_.bytes += bytes_of(NodeQuestion{node.plane, Wanted::rows, 0, {}});
            wanted_.push_back(node.plane);
            ++next_.n_rows;
        } else {
            next_.bytes += bytes_of(NodeQuestion{node.plane, Wanted::histogram, weight, shape.features});
            asked_.emplace_back(node.plane, n_words);
            next_.n_words += n_words;
        }
    }

    // Whether rows are small beside the histograms of `n_nodes` nodes.
    bool is_small(double count, double n_nodes) {
        if (shape_.features.empty()) {
            std::vector<int> features(table_.n_features);
            std::iota(features.begin(), features.end(), 0);
            shape_.set(table_, features);
        }
        const auto weight = static_cast<std::int64_t>(count);
        return count * row_words_ <=
               near_ * n_nodes * static_cast<double>(Histogram::n_words(shape_, n_classes_, weight));
    }
    // Brings the rows of a node here.
    std::shared_ptr<RowHolder<Histogram>> bring(const Segment& node) {
        if (!find(node)) {
            next_.bytes += bytes_of(NodeQuestion{node.plane, Wanted::rows, 0, {}});
            wanted_.push_back(node.plane);
            ++next_.n_rows;
            ask();
        }
        return find(node)->rows;
    }

    double totals(const Segment& node, double* mass) const override {
        const FarQuestion question{bytes_of(NodeQuestion{node.plane, Wanted::totals, 0, {}}),
                                   static_cast<std::size_t>(n_classes_) + 1, 0};
        const TreeAnswer answer = exchange_.ask(question);
        for (int k = 0; k < n_classes_; ++k) mass[k] = static_cast<double>(answer.words.at(k));
        return static_cast<double>(answer.words.at(n_classes_));
    }

    // The histogram must have been asked for.
    void histogram(const Segment& node, const HistogramShape& shape, std::int64_t weight, Histogram& out) override {
        if (is_asked(node)) ask();
        if (const Near* near = find(node)) return near->rows->histogram(near->segment, shape, weight, out);
        const auto found = known_.find(node.plane);
        if (found == known_.end()) throw std::logic_error("a histogram was not asked for");
        out.put(found->second, shape, weight);
        known_.erase(found);
    }

    std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) override {
        const Near* near = find(node);
        if (!near) return moves_.add({node.plane, feature, packed(goes_left, feature), {}, {}});
        const Near from = *near;
        const auto [left, right] = from.rows->split(from.segment, feature, goes_left);
        near_splits_.push_back({node, static_cast<int>(near_nodes_.size()), feature, packed(goes_left, feature)});
        const Segment of_left = place({from.rows, left, -1});
        return {of_left, place({from.rows, right, -1})};
    }

    std::pair<Segment, Segment> gather(const Segment& cell, const std::vector<Segment>& left,
                                       const std::vector<Segment>& right) override {
        // only now the partitions must know of near nodes
        for (const auto& split : near_splits_) {
            const auto [l, r] = moves_.add({number(split.node), split.feature, split.goes_left, {}, {}});
            near_nodes_[split.left].number = l.plane;
            near_nodes_[split.left + 1].number = r.plane;
        }
        near_splits_.clear();
        return moves_.add({number(cell), -1, {}, numbers(left), numbers(right)});
    }

    void forget(const Segment& node) override {
        if (is_near(node)) near_nodes_[-1 - node.plane].rows.reset();
        else at_home_.erase(node.plane);
    }

private:
    // A node whose rows are here; `number` is that of the far node, -1 if the partitions do not know of it.
    struct Near {
        std::shared_ptr<RowHolder<Histogram>> rows;
        Segment segment;
        int number;
    };

    struct NearSplit {
        Segment node;
        int left;  // child in near_nodes_; the right one follows
        int feature;
        std::vector<std::uint8_t> goes_left;
    };

    static bool is_near(const Segment& node) { return node.plane < 0; }
    int number(const Segment& node) const { return is_near(node) ? near_nodes_[-1 - node.plane].number : node.plane; }
    std::vector<std::int32_t> numbers(const std::vector<Segment>& nodes) const {
        std::vector<std::int32_t> found;
        for (const auto& node : nodes) found.push_back(number(node));
        return found;
    }

    // The rows of a node, if they are here.
    const Near* find(const Segment& node) const {
        if (is_near(node)) return &near_nodes_[-1 - node.plane];
        const auto found = at_home_.find(node.plane);
        return found == at_home_.end() ? nullptr : &found->second;
    }
    Segment place(Near near) {
        near_nodes_.push_back(std::move(near));
        const Segment& at = near_nodes_.back().segment;
        return {at.begin, at.end, -static_cast<int>(near_nodes_.size())};
    }

    bool is_asked(const Segment& node) const {
        return std::find(wanted_.begin(), wanted_.end(), node.plane) != wanted_.end() ||
               std::find_if(asked_.begin(), asked_.end(), [&](const auto& each) { return each.first == node.plane; }) !=
                   asked_.end();
    }

    std::vector<std::uint8_t> packed(const std::uint8_t* goes_left, int feature) const {
        const int n = table_.n_bins[feature] + 1;
        std::vector<std::uint8_t> bits((n + 7) / 8, 0);
        for (int i = 0; i < n; ++i) bits[i / 8] |= static_cast<std::uint8_t>((goes_left[i] != 0) << (i % 8));
        return bits;
    }

    void ask() {
        const TreeAnswer answer = exchange_.ask(std::exchange(next_, {}));
        auto at = answer.words.begin();
        for (const auto& [node, n_words] : asked_) {
            known_[node].assign(at, at + static_cast<std::ptrdiff_t>(n_words));
            at += static_cast<std::ptrdiff_t>(n_words);
        }
        for (std::size_t i = 0; i < wanted_.size(); ++i) {
            std::shared_ptr<RowHolder<Histogram>> rows = make_near<Histogram>(answer.rows[i], table_, n_classes_);
            const Segment root = rows->root();
            at_home_[wanted_[i]] = {std::move(rows), root, wanted_[i]};
        }
        asked_.clear();
        wanted_.clear();
    }

    FarMoves& moves_;
    TreeExchange& exchange_;
    const BinnedTable& table_;
    const int n_classes_;
    const double near_, row_words_;
    HistogramShape shape_;  // of all features
    FarQuestion next_;
    std::vector<std::pair<int, std::size_t>> asked_;  // nodes, and words of their histograms
    std::vector<int> wanted_;                         // nodes whose rows are wanted
    std::map<int, HistogramWords> known_;
    std::map<int, Near> at_home_;   // far nodes whose rows are here
    std::vector<Near> near_nodes_;  // nodes below them
    std::vector<NearSplit> near_splits_;
};

// What a far tree asks in one round.
struct FarMessage {
    std::string moves, questions;
    std::size_t n_nodes = 0, n_words = 0, n_rows = 0;  // nodes that the moves make; length of the answer
};

class FarTree {
public:
    virtual ~FarTree() = default;
    // Waits until every cell asks or is done; none if the tree is complete.
    virtual std::optional<FarMessage> next() = 0;
    virtual void give(const TreeAnswer& answer) = 0;
};

// Cells that grow side by side.
template <class Histogram>
class FarCells {
public:
    FarCells(const BinnedTable& table, int n_classes, double near)
        : table_(table), n_classes_(n_classes), near_(near) {}

    // Runs `work` in a thread of its own; once it is done, `after` in that of the caller of next().
    void start(std::function<void(FarTreeRows<Histogram>&)> work, std::function<void()> after) {
        auto cell = std::make_unique<Cell>(moves_, table_, n_classes_, near_);
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
                message.n_rows += cells_[i]->n_rows = question->n_rows;
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

    void give(const TreeAnswer& answer) {
        std::size_t n_words = moves_.n_unsized(), n_rows = 0;
        for (const auto& cell : cells_) {
            n_words += cell->n_words;
            n_rows += cell->n_rows;
        }
        if (answer.words.size() != n_words || answer.rows.size() != n_rows)
            throw std::invalid_argument("the answer has a wrong number of words");
        moves_.put_sizes(answer.words.data());
        auto words = answer.words.begin() + static_cast<std::ptrdiff_t>(moves_.n_unsized());
        auto rows = answer.rows.begin();
        for (auto& cell : cells_) {
            const auto last_word = words + static_cast<std::ptrdiff_t>(cell->n_words);
            const auto last_row = rows + static_cast<std::ptrdiff_t>(cell->n_rows);
            cell->exchange.give({{words, last_word}, {rows, last_row}});
            words = last_word;
            rows = last_row;
        }
    }

private:
    struct Cell {
        TreeExchange exchange;
        FarTreeRows<Histogram> rows;
        std::function<void()> after;
        std::size_t n_words = 0, n_rows = 0;
        Cell(FarMoves& moves, const BinnedTable& table, int n_classes, double near)
            : rows(moves, exchange, table, n_classes, near) {}
        ~Cell() { exchange.stop(); }
    };

    const BinnedTable& table_;
    const int n_classes_;
    const double near_;
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
