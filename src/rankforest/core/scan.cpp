// Picks the compiled scan kernels for the machine.
#include "scan.hpp"

#include "instruction_set.hpp"
#include "level_scan.hpp"

namespace rankforest {

namespace isa_baseline {
extern const ScanTable table;
void add_gains(const LevelScan&);
}  // namespace isa_baseline
#ifdef RANKFOREST_X86
namespace isa_v3 {
extern const ScanTable table;
void add_gains(const LevelScan&);
}  // namespace isa_v3
namespace isa_v4 {
extern const ScanTable table;
void add_gains(const LevelScan&);
}  // namespace isa_v4
#endif

namespace {

const ScanTable& choose() {
#ifdef RANKFOREST_X86
    if (instruction_set() == InstructionSet::v4) return isa_v4::table;
    if (instruction_set() == InstructionSet::v3) return isa_v3::table;
#endif
    return isa_baseline::table;
}

}  // namespace

const ScanTable& scans() {
    static const ScanTable& chosen = choose();
    return chosen;
}

void add_gains(const LevelScan& scan) {
#ifdef RANKFOREST_X86
    if (instruction_set() == InstructionSet::v4) return isa_v4::add_gains(scan);
    if (instruction_set() == InstructionSet::v3) return isa_v3::add_gains(scan);
#endif
    isa_baseline::add_gains(scan);
}

}  // namespace rankforest
