// Local search for a median ranking: remove an item and insert it where it gains most, alone or into a bucket.
#pragma once
#include <cstdint>
#include <vector>

#include "interrupt.hpp"

namespace rankforest {

struct SearchParams {
    int n_restarts = 1;  // independent searches; the first starts at the given ranking, the others at perturbed ones
    int n_kicks = 0;     // per search: perturb a part of the best ranking so far, improve it, keep it if not worse
    std::uint64_t seed = 0;
    bool strict = false;  // no ties in the result
};

struct SearchResult {
    std::vector<std::int32_t> level;  // bucket of each item, 0 is the best
    std::int64_t n_moves = 0;         // insertions made by the search that won
};

// margin, tied: the gains of preferences.hpp, [n][n]; start: levels of the first ranking. The result depends on the
// seed but not on the number of threads. It gains at least as much as the start (if strict, as the start with its ties
// broken).
template <class Cell>
SearchResult insertion_search(const Cell* margin, const Cell* tied, std::int64_t n, const std::int32_t* start,
                              const SearchParams& params, int n_threads, const SignalCheck& signalled);

}  // namespace rankforest
