// Plain values and vectors of them as bytes, for messages between processes of the same build.
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace rankforest {

class Writer {
public:
    template <class... T>
    void operator()(const T&... values) {
        (put(values), ...);
    }
    std::string take() { return std::move(bytes_); }

private:
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
    }
    template <class T>
    void put(const std::vector<T>& values) {
        static_assert(std::is_trivially_copyable_v<T>);
        put(static_cast<std::uint64_t>(values.size()));
        if (!values.empty()) bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    }

    std::string bytes_;
};

// Reads what a Writer has written, in the same order.
class Reader {
public:
    Reader(const char* bytes, std::size_t n) : at_(bytes), left_(n) {}

    template <class... T>
    void operator()(T&... values) {
        (get(values), ...);
    }
    bool done() const { return left_ == 0; }

private:
    void copy(void* to, std::size_t n) {
        if (n > left_) throw std::invalid_argument("the message is too short");
        if (n > 0) std::memcpy(to, at_, n);
        at_ += n;
        left_ -= n;
    }
    template <class T>
    void get(T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        copy(&value, sizeof(T));
    }
    template <class T>
    void get(std::vector<T>& values) {
        std::uint64_t n = 0;
        get(n);
        if (n > left_ / sizeof(T)) throw std::invalid_argument("the message is too short");
        values.resize(n);
        copy(values.data(), n * sizeof(T));
    }

    const char* at_;
    std::size_t left_;
};

}  // namespace rankforest
