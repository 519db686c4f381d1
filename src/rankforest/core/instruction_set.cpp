// Detects the instruction set of the machine.
#include "instruction_set.hpp"

#include <cstdlib>
#include <cstring>

namespace rankforest {
namespace {

InstructionSet choose() {
#ifdef RANKFOREST_X86
    const char* asked = std::getenv("RANKFOREST_ISA");
    const int most = !asked || !std::strcmp(asked, "v4") ? 4 : !std::strcmp(asked, "v3") ? 3 : 1;
    __builtin_cpu_init();
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma");
    const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd");
    if (v4 && most >= 4) return InstructionSet::v4;
    if (v3 && most >= 3) return InstructionSet::v3;
#endif
    return InstructionSet::baseline;
}

}  // namespace

InstructionSet instruction_set() {
    static const InstructionSet chosen = choose();
    return chosen;
}

}  // namespace rankforest
