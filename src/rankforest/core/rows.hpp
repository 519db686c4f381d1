// Rows of a tree, reordered at every split so that each node is one contiguous run. A row is its codes followed by a
// tag (class and weight), padded to whole 8-byte words. A store holds two planes: a split copies the rows of a segment
// from one plane to the other, and histograms read memory in order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace rankforest {

// Two classes, integer multiplicities. The tag is the value that the row adds to a packed histogram cell: multiplicity,
// shifted left by 16 for a positive.
struct CountTag {
    std::uint32_t increment;
    static constexpr bool counts = true;  // the weight of a row is its multiplicity
    static CountTag make(int label, std::int64_t weight) {
        return {static_cast<std::uint32_t>(weight) << (16 * label)};
    }
    int label() const { return increment > 0xffffu; }
    std::int64_t weight() const { return (increment >> 16) | (increment & 0xffffu); }
    std::int64_t count() const { return weight(); }  // a row drawn twice is two rows
};

// Any number of classes, integer multiplicities.
struct ClassTag {
    std::uint32_t class_index, multiplicity;
    static constexpr bool counts = true;
    static ClassTag make(int label, std::int64_t weight) {
        return {static_cast<std::uint32_t>(label), static_cast<std::uint32_t>(weight)};
    }
    int label() const { return static_cast<int>(class_index); }
    std::int64_t weight() const { return multiplicity; }
    std::int64_t count() const { return multiplicity; }
};

// Any number of classes, any weights. Weights are 64-bit fixed point: sums are exact, so they depend neither on the
// order of the rows nor on threads, and parent - child has no rounding error.
struct MassTag {
    std::int64_t mass;
    std::int32_t class_index;
    std::int32_t multiplicity;
    static constexpr bool counts = false;
    static MassTag make(int label, std::int64_t weight) { return {weight, label, 1}; }
    int label() const { return class_index; }
    std::int64_t weight() const { return mass; }
    std::int64_t count() const { return multiplicity; }
};

// A run of rows in one plane.
struct Segment {
    std::int64_t begin = 0, end = 0;
    int plane = 0;
    std::int64_t size() const { return end - begin; }
};

template <class CodeT, class TagT>
class RowStore {
public:
    using Code = CodeT;
    using Tag = TagT;

    RowStore(std::int64_t capacity, int n_features) {
        padded_features_ = (n_features + 3) / 4 * 4;
        tag_offset_ = (padded_features_ * sizeof(Code) + alignof(Tag) - 1) / alignof(Tag) * alignof(Tag);
        words_ = std::max<std::size_t>(2, (tag_offset_ + sizeof(Tag) + 7) / 8);
        // new[] does not initialise, so untouched pages are never mapped. The 4 spare words allow 16-byte reads past
        // the end of the last row.
        for (auto& plane : planes_) plane.reset(new std::uint64_t[std::max<std::int64_t>(capacity, 1) * words_ + 4]);
    }

    // Frees the memory; no row can be read afterwards.
    void release() {
        for (auto& plane : planes_) plane.reset();
    }

    int padded_features() const { return padded_features_; }
    std::size_t words() const { return words_; }
    std::size_t tag_offset() const { return tag_offset_; }
    std::uint64_t* row(int plane, std::int64_t i) { return planes_[plane].get() + i * words_; }
    const std::uint64_t* row(int plane, std::int64_t i) const { return planes_[plane].get() + i * words_; }

    void put(int plane, std::int64_t i, const Code* codes, int n_features, Tag tag) {
        std::uint64_t* to = row(plane, i);
        auto* bytes = reinterpret_cast<unsigned char*>(to);
        to[words_ - 2] = to[words_ - 1] = 0;  // all padding is in the last two words
        std::memcpy(bytes, codes, n_features * sizeof(Code));
        std::memcpy(bytes + tag_offset_, &tag, sizeof(Tag));
    }

    Tag tag(const std::uint64_t* row) const {
        Tag tag;
        std::memcpy(&tag, reinterpret_cast<const unsigned char*>(row) + tag_offset_, sizeof(Tag));
        return tag;
    }

    // Writes the rows whose code has goes_left set from the front of the run in the other plane, and the others from
    // its back. Each row is written once, without a branch on its side. Returns the number of left rows.
    std::int64_t partition(const Segment& from, int feature, const std::uint8_t* goes_left) {
        return partition_part(from, {from.begin, from.end, from.plane}, 0, feature, goes_left);
    }

    // Partitions one part of the rows of `from`; `left_before` is the number of left rows before the part. Every row is
    // written where partition() would write it, so threads can share the work.
    std::int64_t partition_part(const Segment& from, const Segment& part, std::int64_t left_before, int feature,
                                const std::uint8_t* goes_left) {
        switch (words_) {
            case 2: return partition_words<2>(from, part, left_before, feature, goes_left);
            case 3: return partition_words<3>(from, part, left_before, feature, goes_left);
            case 4: return partition_words<4>(from, part, left_before, feature, goes_left);
            case 5: return partition_words<5>(from, part, left_before, feature, goes_left);
            default: return partition_words<0>(from, part, left_before, feature, goes_left);
        }
    }

    std::int64_t count_left(const Segment& rows, int feature, const std::uint8_t* goes_left) const {
        std::int64_t n = 0;
        for (std::int64_t i = rows.begin; i < rows.end; ++i)
            n += goes_left[reinterpret_cast<const Code*>(row(rows.plane, i))[feature]];
        return n;
    }

    // Copies scattered segments, in the given order, to one run that starts at `begin`. Together they must be exactly
    // the rows begin .. end of a cell. Returns the plane of the run. each(n, copy) must call copy(0 .. n-1).
    template <class Each>
    int gather(const std::vector<Segment>& segments, std::int64_t begin, const Each& each) {
        std::int64_t in_plane[2] = {0, 0};
        std::vector<std::int64_t> to;
        for (const auto& s : segments) {
            in_plane[s.plane] += s.size();
            to.push_back(begin);
            begin += s.size();
        }
        const int source = in_plane[0] >= in_plane[1] ? 0 : 1, n = static_cast<int>(segments.size());
        each(n, [&](int i) {
            const Segment& s = segments[i];
            if (s.plane != source) copy(s.plane, s.begin, source, s.begin, s.size());
        });
        each(n, [&](int i) { copy(source, segments[i].begin, 1 - source, to[i], segments[i].size()); });
        return 1 - source;
    }

private:
    template <std::size_t fixed_words>
    std::int64_t partition_words(const Segment& from, const Segment& part, std::int64_t left_before, int feature,
                                 const std::uint8_t* goes_left) {
        const std::size_t words = fixed_words ? fixed_words : words_;
        const std::uint64_t* in = row(part.plane, part.begin);
        std::uint64_t* out = row(1 - from.plane, from.begin);
        std::int64_t front = left_before, back = from.size() - 1 - (part.begin - from.begin - left_before);
        for (std::int64_t i = 0, n = part.size(); i < n; ++i, in += words) {
            Code code;
            std::memcpy(&code, reinterpret_cast<const Code*>(in) + feature, sizeof(Code));
            const std::int64_t left = goes_left[code];
            std::uint64_t* to =
                out + ((front & -left) | (back & (left - 1))) * words;  // branchless: sides are unpredictable
            for (std::size_t w = 0; w < words; ++w) to[w] = in[w];
            front += left;
            back -= 1 - left;
        }
        return front - left_before;
    }

    void copy(int from_plane, std::int64_t from, int to_plane, std::int64_t to, std::int64_t n) {
        std::memcpy(row(to_plane, to), row(from_plane, from), n * words_ * 8);
    }

    int padded_features_;
    std::size_t tag_offset_, words_;
    std::unique_ptr<std::uint64_t[]> planes_[2];
};

}  // namespace rankforest
