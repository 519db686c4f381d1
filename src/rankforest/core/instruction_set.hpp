// Which of the compiled kernels to use.
#pragma once

namespace rankforest {

enum class InstructionSet { baseline = 1, v3 = 3, v4 = 4 };

// The widest set that the machine has and that RANKFOREST_ISA (baseline, v3, v4) in the environment does not forbid.
InstructionSet instruction_set();

}  // namespace rankforest
