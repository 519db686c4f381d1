// Gives freed memory back to the system: the buffers of threads that have ended stay with the process otherwise.
#pragma once
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rankforest {

inline void give_back_memory() {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

}  // namespace rankforest
