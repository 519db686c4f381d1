#include "scan.hpp"

#include <cstdlib>
#include <cstring>

namespace rankforest {

namespace isa_baseline { extern const ScanTable table; }
#ifdef RANKFOREST_X86
namespace isa_v3 { extern const ScanTable table; }
namespace isa_v4 { extern const ScanTable table; }
#endif

namespace {

// The widest set that the machine has and that RANKFOREST_ISA (baseline, v3, v4) does not forbid.
const ScanTable& choose() {
#ifdef RANKFOREST_X86
    const char* asked = std::getenv("RANKFOREST_ISA");
    const int most = !asked || !std::strcmp(asked, "v4") ? 4 : !std::strcmp(asked, "v3") ? 3 : 1;
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
    if (v4 && most >= 4) return isa_v4::table;
    if (v3 && most >= 3) return isa_v3::table;
#endif
    return isa_baseline::table;
}

}  // namespace

const ScanTable& scans() {
    static const ScanTable& chosen = choose();
    return chosen;
}

}  // namespace rankforest
