// Python bindings of trees whose rows are in partitions: the trees that ask, and the partition that answers.
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include "far_trees.hpp"
#include "tree_part.hpp"

namespace rankforest {

using namespace nanobind::literals;

void drive(const TableArrays& arrays, FarTrees& trees, const FarClasses& classes, const FarDraw& draw,
           const std::optional<std::function<void(int)>>& finished) {
    nb::object progress = finished ? nb::cast(*finished) : nb::none();
    nb::object units = classes.units.empty() ? nb::none() : nb::cast(classes.units);
    arrays.rows.attr("grow")(nb::cast(&trees, nb::rv_policy::reference), "n_classes"_a = classes.n_classes,
                             "packed"_a = classes.packed, "units"_a = units, "size"_a = draw.size,
                             "replace"_a = draw.replace, "class_sizes"_a = draw.class_sizes, "seed"_a = draw.seed,
                             "first_tree"_a = draw.first_tree, "progress"_a = progress);
}

namespace {

// (moves, number of nodes that they make, questions, numbers of words and of nodes with rows of the answer), or None.
nb::object next_of(FarTrees& trees, int tree) {
    std::optional<FarMessage> message;
    {
        const nb::gil_scoped_release released;
        message = trees.next(tree);
    }
    if (!message) return nb::none();
    return nb::make_tuple(to_bytes(message->moves), message->n_nodes, to_bytes(message->questions), message->n_words,
                          message->n_rows);
}

// The rows of a tree in a partition, with the arrays that they need.
class TreePartOfArrays {
public:
    // packed: two classes that are counted.
    TreePartOfArrays(const TableArrays& arrays, Vector<std::uint8_t> labels,
                     std::optional<Vector<std::int64_t>> weights, std::optional<Vector<std::uint32_t>> times,
                     int n_classes, bool packed)
        : arrays_(arrays) {
        const BinnedTable table = arrays_.view();
        const auto n = static_cast<std::size_t>(table.n_rows);
        require(labels.size() == n && (!weights || weights->size() == n) && (!times || times->size() == n),
                "labels, weights, multiplicities and codes differ in length");
        require(n_classes >= 2 && (!packed || (n_classes == 2 && !weights)), "packed rows are two classes of counts");
        for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] < n_classes, "a label is beyond the classes");
        arrays_.require_codes();
        std::vector<std::uint32_t> drawn;
        if (times) drawn.assign(times->data(), times->data() + n);
        const std::int64_t* masses = weights ? weights->data() : nullptr;
        const auto make = [&]<class Code, class Histogram>() {
            part_ = std::make_unique<TreePartOf<Code, Histogram>>(table, labels.data(), masses, drawn, n_classes);
        };
        const auto with = [&]<class Code>() {
            if (packed) make.template operator()<Code, PackedHistogram>();
            else if (weights) make.template operator()<Code, MassHistogram>();
            else make.template operator()<Code, CountHistogram>();
        };
        const nb::gil_scoped_release released;
        if (table.code_bytes == 1) with.template operator()<std::uint8_t>();
        else with.template operator()<std::uint16_t>();
    }

    void follow(const nb::bytes& moves) {
        const char* bytes = moves.c_str();
        const std::size_t n = moves.size();
        const nb::gil_scoped_release released;
        part_->follow(bytes, n);
    }
    // (words, rows of each node whose rows are wanted)
    nb::tuple answer(std::size_t n_nodes, const nb::bytes& questions) {
        TreeAnswer found;
        {
            const char* bytes = questions.c_str();
            const std::size_t n = questions.size();
            const nb::gil_scoped_release released;
            found = part_->answer(n_nodes, bytes, n);
        }
        nb::list rows;
        for (auto& of_node : found.rows) rows.append(to_numpy(std::move(of_node)));
        return nb::make_tuple(to_numpy(std::move(found.words)), rows);
    }

private:
    const TableArrays arrays_;
    std::unique_ptr<TreePart> part_;
};

}  // namespace

void bind_far_trees(nb::module_& m) {
    nb::class_<FarTrees>(m, "FarTrees")
        .def_prop_ro("n_trees", &FarTrees::n_trees)
        .def("begin", &FarTrees::begin, "tree"_a)
        .def("next", &next_of, "tree"_a)
        .def(
            "give",
            [](FarTrees& trees, int tree, const Vector<std::uint64_t>& words,
               const std::vector<Vector<std::uint64_t>>& rows) {
                TreeAnswer answer{{words.data(), words.data() + words.size()}, {}};
                for (const auto& of_node : rows)
                    answer.rows.emplace_back(of_node.data(), of_node.data() + of_node.size());
                trees.give(tree, answer);
            },
            "tree"_a, "words"_a, "rows"_a);
    nb::class_<TreePartOfArrays>(m, "TreePart")
        .def(nb::init<const TableArrays&, Vector<std::uint8_t>, std::optional<Vector<std::int64_t>>,
                      std::optional<Vector<std::uint32_t>>, int, bool>(),
             "table"_a, "labels"_a, "weights"_a.none(), "times"_a.none(), "n_classes"_a, "packed"_a)
        .def("follow", &TreePartOfArrays::follow, "moves"_a)
        .def("answer", &TreePartOfArrays::answer, "n_nodes"_a, "questions"_a);
}

}  // namespace rankforest
