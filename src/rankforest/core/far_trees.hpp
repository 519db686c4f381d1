// Trees whose rows are in partitions, as Python drives them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "far_tree.hpp"
#include "table_arrays.hpp"

namespace rankforest {

// Some trees, of which several may grow at once. Python begins a tree, and answers its questions until there are none.
class FarTrees {
public:
    explicit FarTrees(int n_trees) : trees_(n_trees) {}
    FarTrees(const FarTrees&) = delete;
    virtual ~FarTrees() = default;

    int n_trees() const { return static_cast<int>(trees_.size()); }
    void begin(int tree) { trees_.at(tree) = make(tree); }
    // What a tree asks; none if it is complete.
    std::optional<FarMessage> next(int tree) {
        auto message = begun(tree).next();
        if (!message) end(tree);
        return message;
    }
    void give(int tree, const TreeAnswer& answer) { begun(tree).give(answer); }

protected:
    virtual std::unique_ptr<FarTree> make(int tree) = 0;
    virtual void end(int tree) = 0;
    FarTree& begun(int tree) {
        if (!trees_.at(tree)) throw std::invalid_argument("the tree has not begun");
        return *trees_[tree];
    }
    std::vector<std::unique_ptr<FarTree>> trees_;
};

template <class Tree>
class FarTreesOf final : public FarTrees {
public:
    using Make = std::function<std::unique_ptr<FarTreeOf<Tree>>(int)>;
    FarTreesOf(int n_trees, Make make) : FarTrees(n_trees), make_(std::move(make)), grown_(n_trees) {}
    std::vector<Tree> take() { return std::move(grown_); }

private:
    std::unique_ptr<FarTree> make(int tree) override { return make_(tree); }
    void end(int tree) override {
        grown_[tree] = static_cast<FarTreeOf<Tree>&>(begun(tree)).take();
        trees_[tree].reset();
    }

    Make make_;
    std::vector<Tree> grown_;
};

// How partitions draw the rows of a tree; as in grow().
struct FarDraw {
    std::int64_t size;
    bool replace;
    std::optional<std::vector<std::int64_t>> class_sizes;
    std::uint64_t seed;
    int first_tree;
};

// Number of classes, whether two of them are packed in one word, and the weight of one unit of mass of each; empty if
// rows are counted.
struct FarClasses {
    int n_classes;
    bool packed;
    std::vector<double> units;
};

void drive(const TableArrays& arrays, FarTrees& trees, const FarClasses& classes, const FarDraw& draw,
           const std::optional<std::function<void(int)>>& finished);

template <class Tree>
std::vector<Tree> grow_far_trees(const TableArrays& arrays, typename FarTreesOf<Tree>::Make make,
                                 const FarClasses& classes, const FarDraw& draw, int n_trees,
                                 const std::optional<std::function<void(int)>>& finished) {
    FarTreesOf<Tree> trees(n_trees, std::move(make));
    drive(arrays, trees, classes, draw, finished);
    return trees.take();
}

}  // namespace rankforest
