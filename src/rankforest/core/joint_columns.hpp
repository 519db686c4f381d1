// Columns of few bins, such as yes or no, joined: the codes of several columns form one number below 256. A histogram
// then has one update per row for all of them, and its sums are added up for each column. The sums are whole numbers,
// so the histogram is the same.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "table.hpp"

namespace rankforest {

class JointColumns {
public:
    static constexpr int most_codes = 256;

    struct Part {
        int feature, first_code, n_codes, step;  // joint code = sum over the parts of (code - first_code) * step
    };
    struct Column {
        std::vector<Part> parts;
        int n_codes = 1;
    };

    // Null if the table has too few columns that can be joined, or codes of two bytes.
    static std::unique_ptr<JointColumns> of(const BinnedTable& table) {
        if (table.code_bytes != 1) return nullptr;
        auto joint = std::unique_ptr<JointColumns>(new JointColumns(table));
        return 5 * joint->width() <= 4 * table.n_features ? std::move(joint) : nullptr;
    }

    const std::vector<int>& single() const { return single_; }  // features that are not joined
    const std::vector<Column>& joined() const { return joined_; }
    int width() const { return static_cast<int>(single_.size() + joined_.size()); }

    // Codes of a row: of the single features, then of the joined columns.
    const std::uint8_t* codes(std::uint32_t row) const {
        return codes_.data() + static_cast<std::int64_t>(row) * width();
    }

    // Whether the updates saved on so many rows are more than the sums over joint codes.
    bool pays(std::int64_t n_rows) const { return n_rows * n_saved_ > n_sums_; }

private:
    explicit JointColumns(const BinnedTable& table) {
        const auto* codes = static_cast<const std::uint8_t*>(table.codes);
        const int q = table.n_features;
        std::vector<std::uint8_t> has_missing(q, 0);
        for (std::int64_t i = 0; i < table.n_rows; ++i)
            for (int j = 0; j < q; ++j) has_missing[j] |= codes[i * q + j] == 0;
        choose(table, has_missing);
        if (5 * width() <= 4 * q) join(codes, table.n_rows, q);
    }

    // Few codes first; a column that does not fit into the joint column begins the next one.
    void choose(const BinnedTable& table, const std::vector<std::uint8_t>& has_missing) {
        std::vector<Part> parts;
        for (int j = 0; j < table.n_features; ++j) {
            const int first = has_missing[j] ? 0 : 1;
            parts.push_back({j, first, std::max(table.n_bins[j] + 1 - first, 1), 1});
        }
        std::stable_sort(parts.begin(), parts.end(),
                         [](const Part& a, const Part& b) { return a.n_codes < b.n_codes; });
        std::vector<Column> columns;
        for (Part part : parts) {
            if (columns.empty() || columns.back().n_codes * part.n_codes > most_codes) columns.emplace_back();
            part.step = columns.back().n_codes;
            columns.back().n_codes *= part.n_codes;
            columns.back().parts.push_back(part);
        }
        for (auto& column : columns) {
            if (column.parts.size() == 1) {
                single_.push_back(column.parts[0].feature);
                continue;
            }
            n_saved_ += static_cast<std::int64_t>(column.parts.size()) - 1;
            n_sums_ += static_cast<std::int64_t>(column.n_codes) * static_cast<std::int64_t>(1 + column.parts.size());
            joined_.push_back(std::move(column));
        }
        std::sort(single_.begin(), single_.end());
    }

    void join(const std::uint8_t* codes, std::int64_t n_rows, int q) {
        codes_.resize(n_rows * width());
        std::uint8_t* out = codes_.data();
        for (std::int64_t i = 0; i < n_rows; ++i, codes += q) {
            for (const int j : single_) *out++ = codes[j];
            for (const auto& column : joined_) {
                int code = 0;
                for (const auto& part : column.parts) code += (codes[part.feature] - part.first_code) * part.step;
                *out++ = static_cast<std::uint8_t>(code);
            }
        }
    }

    std::vector<int> single_;
    std::vector<Column> joined_;
    std::vector<std::uint8_t> codes_;
    std::int64_t n_saved_ = 0, n_sums_ = 0;
};

}  // namespace rankforest
