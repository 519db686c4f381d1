// Messages between a tree that grows here and the partitions that hold its rows, as bytes. Nodes are numbered in the
// order in which they are made: the root is 0, every move makes two more. So the state of a partition is a function of
// its rows and of the moves so far. Answers are words, which are added up over the partitions.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "wire.hpp"

namespace rankforest {

// Rows of a node go to two new ones: those of a split, or the left and the right child of a cell, whose rows are
// collected from leaves of its inner tree.
struct RowMove {
    std::int32_t node = 0;
    std::int32_t feature = -1;            // -1: rows are collected
    std::vector<std::uint8_t> goes_left;  // split: of each code, eight in a byte
    std::vector<std::int32_t> left, right;

    template <class Archive, class Move>
    static void pass(Archive& archive, Move& m) {
        archive(m.node, m.feature, m.goes_left, m.left, m.right);
    }
};

// The answer to `totals` has one word per class and the number of drawn rows. The answer to `rows` are the rows
// themselves, as they are stored: they are not added up but put together.
enum class Wanted : std::int32_t { totals, histogram, rows };

struct NodeQuestion {
    std::int32_t node = 0;
    Wanted wanted = Wanted::histogram;
    std::int64_t weight = 0;  // of the node over all partitions: sets the width of the cells
    std::vector<std::int32_t> features;

    template <class Archive, class Question>
    static void pass(Archive& archive, Question& q) {
        archive(q.node, q.wanted, q.weight, q.features);
    }
};

// What a partition answers, or all of them together: words of totals and histograms, and the rows of each node whose
// rows are wanted.
struct TreeAnswer {
    std::vector<std::uint64_t> words;
    std::vector<std::vector<std::uint64_t>> rows;
};

template <class Item>
std::string bytes_of(const Item& item) {
    Writer writer;
    Item::pass(writer, item);
    return writer.take();
}

template <class Item, class Task>
void for_each_item(const char* bytes, std::size_t n, const Task& task) {
    for (Reader reader(bytes, n); !reader.done();) {
        Item item;
        Item::pass(reader, item);
        task(item);
    }
}

}  // namespace rankforest
