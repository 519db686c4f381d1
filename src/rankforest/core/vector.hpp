// Vector types (compiler extension), as wide as the instruction set that a file is compiled for.
#pragma once
#include <cstdint>
#include <cstring>

#define RANKFOREST_INLINE [[gnu::always_inline]] inline

// A function with this mark is compiled for AVX2 and for the baseline, and the loader picks one. It helps plain loops.
// It does not help the vector types below, which are lowered before the clones are made, so scan_kernel.cpp is compiled
// once per instruction set instead.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && \
    !defined(RANKFOREST_SANITIZE) && !defined(RANKFOREST_SCALAR)
#define RANKFOREST_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define RANKFOREST_CLONES
#endif

namespace rankforest {

// Features per histogram block.
constexpr int lanes = 8;

template <int width>
struct VectorOf;

#define RANKFOREST_VECTORS(width)                                          \
    template <>                                                            \
    struct VectorOf<width> {                                               \
        typedef double f64 __attribute__((vector_size(8 * width)));        \
        typedef std::int64_t i64 __attribute__((vector_size(8 * width)));  \
        typedef std::uint64_t u64 __attribute__((vector_size(8 * width))); \
        typedef std::uint32_t u32 __attribute__((vector_size(4 * width))); \
        typedef std::int32_t i32 __attribute__((vector_size(4 * width)));  \
    };
RANKFOREST_VECTORS(2)
RANKFOREST_VECTORS(4)
RANKFOREST_VECTORS(8)
#undef RANKFOREST_VECTORS

// Byte vectors as wide as a register, but at most 32 bytes (a chunk of features).
template <int bytes>
struct BytesOf;
template <>
struct BytesOf<16> {
    typedef std::uint8_t u8 __attribute__((vector_size(16)));
};
template <>
struct BytesOf<32> {
    typedef std::uint8_t u8 __attribute__((vector_size(32)));
};

template <class V, class T>
RANKFOREST_INLINE void load(V& v, const T* from) {
    std::memcpy(&v, from, sizeof(V));
}

template <class V, class T>
RANKFOREST_INLINE void store(T* to, const V& v) {
    std::memcpy(to, &v, sizeof(V));
}

}  // namespace rankforest
