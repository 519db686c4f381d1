// Python bindings of boosting on partitions: the booster that asks, and the partition that answers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "binding_tools.hpp"
#include "boost_arrays.hpp"
#include "booster_part.hpp"
#include "far_booster.hpp"
#include "flat_boosted.hpp"
#include "table_arrays.hpp"

namespace rankforest {

using namespace nanobind::literals;

namespace {

// Boosters side by side, each in a thread of its own that waits for the answers to its questions.
class FarBoosters {
public:
    // table: the bins, without rows.
    FarBoosters(const TableArrays& table, Vector<std::uint8_t> labels, std::optional<Vector<double>> weights,
                Bits held_out, const std::vector<BoostParams>& params)
        : arrays_(table), labels_(labels), weights_(weights), held_out_(held_out), table_(arrays_.view()) {
        require(!params.empty(), "at least one booster is needed");
        require_rows(labels.size(), labels, weights, held_out, params.size());
        const auto n = static_cast<std::int64_t>(labels.size());
        const double* w = weights_ ? weights_->data() : nullptr;
        for (std::size_t b = 0; b < params.size(); ++b) {
            const LabelledRows rows{table_, labels_.data(), w, held_out_.data() + b * n};
            boosters_.push_back(std::make_unique<FarBooster>(rows, n, params[b]));
            exchanges_.push_back(std::make_unique<BoosterExchange>());
        }
        state_.assign(params.size(), State::done);
    }
    FarBoosters(const FarBoosters&) = delete;
    ~FarBoosters() { stop(); }

    // Trees of each booster that become its next rounds.
    void resume(std::vector<std::vector<BoostedTree>> grown) {
        require(grown.size() == boosters_.size(), "one list of trees per booster is needed");
        for (std::size_t b = 0; b < grown.size(); ++b) boosters_[b]->resume(std::move(grown[b]));
    }

    // Starts the rounds up to `n_rounds`; they go on as their questions are answered.
    void begin(int n_rounds) {
        stop();
        for (std::size_t b = 0; b < boosters_.size(); ++b) {
            auto& booster = *boosters_[b];
            auto& exchange = *exchanges_[b];
            exchange.start([&booster, &exchange, n_rounds] { booster.advance_to(n_rounds, exchange); });
            state_[b] = State::running;
        }
    }
    void stop() {
        for (auto& exchange : exchanges_) exchange->stop();
        state_.assign(state_.size(), State::done);
    }

    // (booster, whether the question is of the second kind, its bytes) of all boosters that are neither done nor
    // waiting for an answer.
    nb::list questions() {
        std::vector<std::optional<BoosterQuestion>> asked(boosters_.size());
        {
            const nb::gil_scoped_release released;
            for (std::size_t b = 0; b < boosters_.size(); ++b)
                if (state_[b] == State::running) asked[b] = exchanges_[b]->next();
        }
        nb::list found;
        for (std::size_t b = 0; b < boosters_.size(); ++b) {
            if (state_[b] == State::running) state_[b] = asked[b] ? State::waiting : State::done;
            if (asked[b]) found.append(nb::make_tuple(b, asked[b]->ends, to_bytes(asked[b]->to_bytes())));
        }
        return found;
    }

    void answer_words(int b, const Vector<std::uint64_t>& words) {
        answer(b, {std::vector<std::uint64_t>(words.data(), words.data() + words.size()), {}});
    }
    void answer_parts(int b, const std::vector<Vector<std::uint8_t>>& parts) {
        BoosterAnswer found;
        for (const auto& part : parts) found.parts.emplace_back(part.data(), part.data() + part.size());
        answer(b, std::move(found));
    }

    std::vector<double> starts() const {
        std::vector<double> found;
        for (const auto& booster : boosters_) found.push_back(booster->start());
        return found;
    }
    nb::list curves() const {
        nb::list found;
        for (const auto& booster : boosters_) found.append(to_numpy(std::vector<double>(booster->curve)));
        return found;
    }
    std::vector<BoostedTree> grown(int b, int first) const {
        exchange(b);
        const auto& trees = boosters_[b]->trees;
        return {trees.begin() + std::clamp<std::ptrdiff_t>(first, 0, trees.size()), trees.end()};
    }

private:
    enum class State { running, waiting, done };

    void answer(int b, BoosterAnswer found) {
        exchange(b).give(std::move(found));
        state_[b] = State::running;
    }
    BoosterExchange& exchange(int b) const {
        require(b >= 0 && b < static_cast<int>(exchanges_.size()), "there is no such booster");
        return *exchanges_[b];
    }

    const TableArrays arrays_;
    const Vector<std::uint8_t> labels_;
    const std::optional<Vector<double>> weights_;
    const Bits held_out_;
    const BinnedTable table_;
    std::vector<std::unique_ptr<FarBooster>> boosters_;
    std::vector<std::unique_ptr<BoosterExchange>> exchanges_;  // end before the boosters
    std::vector<State> state_;
};

// The state of a booster on the rows of a partition, with the arrays that it reads.
class PartOfArrays {
public:
    PartOfArrays(const TableArrays& table, Vector<std::uint8_t> labels, std::optional<Vector<double>> weights,
                 Vector<std::uint8_t> held_out, std::int64_t first_row, double start)
        : arrays_(table), labels_(labels), weights_(weights) {
        const BinnedTable view = arrays_.view();
        const auto n = static_cast<std::size_t>(view.n_rows);
        require(labels.size() == n && held_out.size() == n && (!weights || weights->size() == n),
                "labels, weights, held-out flags and codes differ in length");
        for (std::size_t i = 0; i < n; ++i) require(labels.data()[i] <= 1, "labels must be 0 or 1");
        arrays_.require_codes();
        part_ =
            make_part({view, labels_.data(), weights_ ? weights_->data() : nullptr, held_out.data(), first_row}, start);
    }

    bool knows(const nb::bytes& question) const { return part_->knows(read(question)); }
    void follow(const nb::bytes& question) {
        const BoosterQuestion asked = read(question);
        const nb::gil_scoped_release released;
        part_->follow(asked);
    }
    Out<std::uint64_t> words(const nb::bytes& question) {
        return to_numpy(after<std::uint64_t>(question, &BoosterPart::words));
    }
    Out<std::uint8_t> leaves(const nb::bytes& question) {
        return to_numpy(after<std::uint8_t>(question, &BoosterPart::leaves));
    }

private:
    static BoosterQuestion read(const nb::bytes& question) {
        return BoosterQuestion::of_bytes(question.c_str(), question.size());
    }
    template <class T>
    std::vector<T> after(const nb::bytes& question, std::vector<T> (BoosterPart::*answer)(const BoosterQuestion&)) {
        const BoosterQuestion asked = read(question);
        const nb::gil_scoped_release released;
        require(part_->knows(asked), "the partition has another state than the question");
        part_->follow(asked);
        return ((*part_).*answer)(asked);
    }

    const TableArrays arrays_;
    const Vector<std::uint8_t> labels_;
    const std::optional<Vector<double>> weights_;
    std::unique_ptr<BoosterPart> part_;
};

// Adds the values of trees to a margin, tree after tree; without `rows`, for all rows.
Out<double> margins_of(const TableArrays& arrays, const std::vector<BoostedTree>& trees, double start,
                       const std::optional<Vector<std::uint8_t>>& rows) {
    const BinnedTable table = arrays.view();
    require(!rows || rows->size() == static_cast<std::size_t>(table.n_rows), "flags and codes differ in length");
    arrays.require_codes();
    std::vector<double> found;
    {
        const nb::gil_scoped_release released;
        std::vector<std::uint8_t> all;
        if (!rows) all.assign(table.n_rows, 1);
        const auto chosen = rows_where(rows ? rows->data() : all.data(), table.n_rows, true);
        found.assign(chosen.size(), start);
        const auto add = [&]<class Code>(const Code* codes) {
            for (const auto& tree : trees)
                RowWalk(tree, table)(
                    0, static_cast<std::int64_t>(chosen.size()),
                    [&](std::int64_t i) { return codes + static_cast<std::int64_t>(chosen[i]) * table.n_features; },
                    [&](std::int64_t i, std::uint32_t leaf) { found[i] += tree.value[leaf]; });
        };
        if (table.code_bytes == 1) add(static_cast<const std::uint8_t*>(table.codes));
        else add(static_cast<const std::uint16_t*>(table.codes));
    }
    return to_numpy(std::move(found));
}

}  // namespace

void bind_boost_parts(nb::module_& m) {
    nb::class_<BoostedTree>(m, "BoostedTree")
        .def_prop_ro("n_leaves", [](const BoostedTree& tree) { return tree.value.size(); })
        .def("__getstate__",
             [](const BoostedTree& tree) {
                 Writer writer;
                 pass_tree(writer, tree);
                 return to_bytes(writer.take());
             })
        .def("__setstate__", [](BoostedTree& tree, const nb::bytes& bytes) {
            new (&tree) BoostedTree();
            Reader reader(bytes.c_str(), bytes.size());
            pass_tree(reader, tree);
        });
    nb::class_<FarBoosters>(m, "FarBoosters")
        .def(nb::init<const TableArrays&, Vector<std::uint8_t>, std::optional<Vector<double>>, Bits,
                      const std::vector<BoostParams>&>(),
             "table"_a, "labels"_a, "weights"_a.none(), "held_out"_a, "boosters"_a)
        .def("resume", &FarBoosters::resume, "grown"_a)
        .def("begin", &FarBoosters::begin, "n_rounds"_a)
        .def("stop", &FarBoosters::stop, nb::call_guard<nb::gil_scoped_release>())
        .def("questions", &FarBoosters::questions)
        .def("answer_words", &FarBoosters::answer_words, "booster"_a, "words"_a)
        .def("answer_parts", &FarBoosters::answer_parts, "booster"_a, "parts"_a)
        .def("starts", &FarBoosters::starts)
        .def("curves", &FarBoosters::curves)
        .def("grown", &FarBoosters::grown, "booster"_a, "first"_a);
    nb::class_<PartOfArrays>(m, "BoosterPart")
        .def(nb::init<const TableArrays&, Vector<std::uint8_t>, std::optional<Vector<double>>, Vector<std::uint8_t>,
                      std::int64_t, double>(),
             "table"_a, "labels"_a, "weights"_a.none(), "held_out"_a, "first_row"_a, "start"_a)
        .def("knows", &PartOfArrays::knows, "question"_a)
        .def("follow", &PartOfArrays::follow, "question"_a)
        .def("words", &PartOfArrays::words, "question"_a)
        .def("leaves", &PartOfArrays::leaves, "question"_a);
    m.def(
        "flat_trees",
        [](const TableArrays& arrays, const std::vector<BoostedTree>& trees) {
            const BinnedTable table = arrays.view();
            FlatTrees flat;
            for (const auto& tree : trees) flat.add(tree, table);
            return flat.to_dict();
        },
        "table"_a, "trees"_a);
    m.def(
        "boosted_trees",
        [](const TableArrays& arrays, const nb::dict& trees, std::size_t n_boosters) {
            require(n_boosters >= 1, "at least one booster is needed");
            return trees_of_dict(trees, n_boosters, arrays.view());
        },
        "table"_a, "trees"_a, "n_boosters"_a);
    m.def(
        "best_round",
        [](const std::vector<std::vector<double>>& curves, int n_rounds) {
            std::vector<const std::vector<double>*> pointers;
            for (const auto& curve : curves) {
                require(curve.empty() || curve.size() >= static_cast<std::size_t>(n_rounds), "a curve is too short");
                pointers.push_back(&curve);
            }
            return best_round_of(pointers, n_rounds);
        },
        "curves"_a, "n_rounds"_a);
    m.def("boosted_margins", &margins_of, "table"_a, "trees"_a, "start"_a, "rows"_a.none());
}

}  // namespace rankforest
