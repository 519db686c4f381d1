// The rows of a tree in one partition, and the answers to questions about its nodes.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "class_histogram.hpp"
#include "many_trees.hpp"
#include "packed_histogram.hpp"
#include "row_holder.hpp"
#include "tree_question.hpp"

namespace rankforest {

class TreePart {
public:
    virtual ~TreePart() = default;

    // Moves rows.
    virtual void follow(const char* moves, std::size_t n) = 0;
    // Numbers of rows of the last `n_nodes` nodes, then the answers to the questions.
    virtual TreeAnswer answer(std::size_t n_nodes, const char* questions, std::size_t n) = 0;
};

template <class Code, class Histogram>
class TreePartOf final : public TreePart {
public:
    // times: how often each row is drawn, empty if once.
    TreePartOf(const BinnedTable& table, const std::uint8_t* labels, const std::int64_t* weights,
               const std::vector<std::uint32_t>& times, int n_classes)
        : table_(table),
          n_classes_(n_classes),
          store_(times.empty() ? table.n_rows : std::count_if(times.begin(), times.end(), [](auto t) { return t > 0; }),
                 table.n_features),
          filled_(fill_rows(store_, table, labels, weights, times, nullptr)),
          rows_(store_, filled_.n_rows, filled_.max_weight, n_classes),
          nodes_{rows_.root()},
          histogram_(n_classes),
          goes_left_(std::size_t{1} << (8 * sizeof(Code))) {}

    void follow(const char* moves, std::size_t n) override {
        for_each_item<RowMove>(moves, n, [&](const RowMove& move) {
            const Segment from = nodes_.at(move.node);
            const auto [left, right] =
                move.feature < 0 ? rows_.gather(from, at(move.left), at(move.right)) : split(from, move);
            nodes_.push_back(left);
            nodes_.push_back(right);
        });
    }

    TreeAnswer answer(std::size_t n_nodes, const char* questions, std::size_t n) override {
        if (n_nodes >= nodes_.size()) throw std::invalid_argument("the partition has not made these nodes");
        TreeAnswer answer;
        HistogramWords& found = answer.words;
        for (auto node = nodes_.end() - static_cast<std::ptrdiff_t>(n_nodes); node != nodes_.end(); ++node)
            found.push_back(static_cast<std::uint64_t>(node->size()));
        std::vector<double> mass(n_classes_);
        for_each_item<NodeQuestion>(questions, n, [&](const NodeQuestion& question) {
            const Segment& node = nodes_.at(question.node);
            if (question.wanted == Wanted::rows) {
                const std::uint64_t* first = store_.row(node.plane, node.begin);
                answer.rows.emplace_back(first, first + node.size() * static_cast<std::int64_t>(store_.words()));
                return;
            }
            if (question.wanted == Wanted::totals) {
                const double count = rows_.totals(node, mass.data());
                for (const double m : mass) found.push_back(static_cast<std::uint64_t>(m));
                found.push_back(static_cast<std::uint64_t>(count));
                return;
            }
            for (const int feature : question.features) require_feature(feature);
            shape_.set(table_, question.features);
            rows_.histogram(node, shape_, question.weight, histogram_);
            histogram_.take(of_node_);
            found.insert(found.end(), of_node_.begin(), of_node_.end());
        });
        return answer;
    }

private:
    std::pair<Segment, Segment> split(const Segment& from, const RowMove& move) {
        require_feature(move.feature);
        if (8 * move.goes_left.size() > goes_left_.size()) throw std::invalid_argument("a split has too many codes");
        std::fill(goes_left_.begin(), goes_left_.end(), 0);
        for (std::size_t c = 0; c < 8 * move.goes_left.size(); ++c)
            goes_left_[c] = (move.goes_left[c / 8] >> (c % 8)) & 1;
        return rows_.split(from, move.feature, goes_left_.data());
    }

    void require_feature(int feature) const {
        if (feature < 0 || feature >= table_.n_features) throw std::invalid_argument("there is no such feature");
    }

    std::vector<Segment> at(const std::vector<std::int32_t>& numbers) const {
        std::vector<Segment> found;
        for (const auto number : numbers) found.push_back(nodes_.at(number));
        return found;
    }

    const BinnedTable table_;
    const int n_classes_;
    RowStore<Code, typename Histogram::Tag> store_;
    const Filled filled_;
    LocalRows<RowStore<Code, typename Histogram::Tag>, Histogram> rows_;
    std::vector<Segment> nodes_;
    Histogram histogram_;
    std::vector<std::uint8_t> goes_left_;
    HistogramShape shape_;
    HistogramWords of_node_;
};

}  // namespace rankforest
