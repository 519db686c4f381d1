#include "scan.hpp"

namespace rankforest {

namespace isa_baseline { extern const ScanTable table; }
#ifdef RANKFOREST_X86
namespace isa_v3 { extern const ScanTable table; }
namespace isa_v4 { extern const ScanTable table; }
#endif

const ScanTable& scans() {
#ifdef RANKFOREST_X86
    static const ScanTable& chosen = [&]() -> const ScanTable& {
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")) return isa_v4::table;
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma")) return isa_v3::table;
        return isa_baseline::table;
    }();
    return chosen;
#else
    return isa_baseline::table;
#endif
}

}  // namespace rankforest
