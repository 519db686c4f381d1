// Picks the compiled scan kernels for the machine.
#include "scan.hpp"

#include "group_scan.hpp"
#include "instruction_set.hpp"

namespace rankforest {

namespace isa_baseline {
extern const ScanTable table;
void add_gains(const FeatureGroup&, double*);
void find_best_cuts(const FeatureGroup&, BestCuts&);
}  // namespace isa_baseline
#ifdef RANKFOREST_X86
namespace isa_v3 {
extern const ScanTable table;
void add_gains(const FeatureGroup&, double*);
void find_best_cuts(const FeatureGroup&, BestCuts&);
}  // namespace isa_v3
namespace isa_v4 {
extern const ScanTable table;
void add_gains(const FeatureGroup&, double*);
void find_best_cuts(const FeatureGroup&, BestCuts&);
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

void add_gains(const FeatureGroup& group, double* gain) {
#ifdef RANKFOREST_X86
    if (instruction_set() == InstructionSet::v4) return isa_v4::add_gains(group, gain);
    if (instruction_set() == InstructionSet::v3) return isa_v3::add_gains(group, gain);
#endif
    isa_baseline::add_gains(group, gain);
}

void find_best_cuts(const FeatureGroup& group, BestCuts& best) {
#ifdef RANKFOREST_X86
    if (instruction_set() == InstructionSet::v4) return isa_v4::find_best_cuts(group, best);
    if (instruction_set() == InstructionSet::v3) return isa_v3::find_best_cuts(group, best);
#endif
    isa_baseline::find_best_cuts(group, best);
}

}  // namespace rankforest
