// Detects the instruction set of the machine. It asks the processor itself, because the compilers' own functions need a
// library that clang-cl does not link.
#include "instruction_set.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace rankforest {
namespace {

#ifdef RANKFOREST_X86

struct Registers {
    std::uint32_t eax, ebx, ecx, edx;
};

Registers cpuid(std::uint32_t leaf) {
    Registers r;
    asm volatile("cpuid" : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx) : "a"(leaf), "c"(0));
    return r;
}

// The registers that the operating system saves when it changes threads.
std::uint32_t saved_registers() {
    std::uint32_t low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

constexpr bool has(std::uint32_t word, std::uint32_t bits) { return (word & bits) == bits; }
constexpr std::uint32_t bit(int i) { return std::uint32_t{1} << i; }

// The sets are the x86-64-v3 and x86-64-v4 of the psABI: kernels are compiled for all that these names contain.
InstructionSet widest() {
    if (cpuid(0).eax < 7 || cpuid(0x80000000u).eax < 0x80000001u) return InstructionSet::baseline;
    constexpr std::uint32_t fma = bit(12), movbe = bit(22), osxsave = bit(27), avx = bit(28), f16c = bit(29);
    if (!has(cpuid(1).ecx, fma | movbe | osxsave | avx | f16c)) return InstructionSet::baseline;
    const std::uint32_t extended = cpuid(7).ebx, saved = saved_registers();
    constexpr std::uint32_t bmi1 = bit(3), avx2 = bit(5), bmi2 = bit(8), lzcnt = bit(5), ymm = 0x06;
    if (!has(extended, bmi1 | avx2 | bmi2) || !has(cpuid(0x80000001u).ecx, lzcnt) || !has(saved, ymm))
        return InstructionSet::baseline;
    constexpr std::uint32_t f = bit(16), dq = bit(17), cd = bit(28), bw = bit(30), vl = bit(31), zmm = 0xe6;
    return has(extended, f | dq | cd | bw | vl) && has(saved, zmm) ? InstructionSet::v4 : InstructionSet::v3;
}

InstructionSet choose() {
    const char* asked = std::getenv("RANKFOREST_ISA");
    const InstructionSet most = !asked || !std::strcmp(asked, "v4") ? InstructionSet::v4
                                : !std::strcmp(asked, "v3")         ? InstructionSet::v3
                                                                    : InstructionSet::baseline;
    const InstructionSet found = widest();
    return found < most ? found : most;
}

#else

InstructionSet choose() { return InstructionSet::baseline; }

#endif

}  // namespace

InstructionSet instruction_set() {
    static const InstructionSet chosen = choose();
    return chosen;
}

}  // namespace rankforest
