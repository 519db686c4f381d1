// Rows of a small node of a far tree that were brought here, because they are smaller than the histograms of all nodes
// below it.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <vector>

#include "row_holder.hpp"

namespace rankforest {

// Makes a holder of rows as they are stored in a RowStore, and owns the store.
template <class Code, class Histogram>
class NearRows final : public RowHolder<Histogram> {
public:
    using Store = RowStore<Code, typename Histogram::Tag>;

    NearRows(const std::vector<std::uint64_t>& words, int n_features, int n_classes)
        : store_(n_rows_of(words, n_features), n_features),
          n_rows_(n_rows_of(words, n_features)),
          rows_(store_, n_rows_, max_weight(words), n_classes) {}

    Segment root() const override { return rows_.root(); }
    double totals(const Segment& node, double* mass) const override { return rows_.totals(node, mass); }
    void histogram(const Segment& node, const HistogramShape& shape, std::int64_t weight, Histogram& out) override {
        rows_.histogram(node, shape, weight, out);
    }
    std::pair<Segment, Segment> split(const Segment& node, int feature, const std::uint8_t* goes_left) override {
        return rows_.split(node, feature, goes_left);
    }
    std::pair<Segment, Segment> gather(const Segment& cell, const std::vector<Segment>& left,
                                       const std::vector<Segment>& right) override {
        return rows_.gather(cell, left, right);
    }

    // Words of one row.
    static std::size_t row_words(int n_features) { return Store(0, n_features).words(); }

private:
    static std::int64_t n_rows_of(const std::vector<std::uint64_t>& words, int n_features) {
        const std::size_t per_row = row_words(n_features);
        if (words.size() % per_row != 0) throw std::invalid_argument("the answer has a part of a row");
        return static_cast<std::int64_t>(words.size() / per_row);
    }

    // Copies the rows; the greatest weight of one.
    std::int64_t max_weight(const std::vector<std::uint64_t>& words) {
        if (!words.empty()) std::memcpy(store_.row(0, 0), words.data(), words.size() * sizeof words[0]);
        std::int64_t most = 1;
        for (std::int64_t i = 0; i < n_rows_; ++i) most = std::max(most, store_.tag(store_.row(0, i)).weight());
        return most;
    }

    Store store_;
    const std::int64_t n_rows_;
    LocalRows<Store, Histogram> rows_;
};

template <class Histogram>
std::unique_ptr<RowHolder<Histogram>> make_near(const std::vector<std::uint64_t>& words, const BinnedTable& table,
                                                int n_classes) {
    if (table.code_bytes == 1)
        return std::make_unique<NearRows<std::uint8_t, Histogram>>(words, table.n_features, n_classes);
    return std::make_unique<NearRows<std::uint16_t, Histogram>>(words, table.n_features, n_classes);
}

template <class Histogram>
std::size_t near_row_words(const BinnedTable& table) {
    return table.code_bytes == 1 ? NearRows<std::uint8_t, Histogram>::row_words(table.n_features)
                                 : NearRows<std::uint16_t, Histogram>::row_words(table.n_features);
}

}  // namespace rankforest
