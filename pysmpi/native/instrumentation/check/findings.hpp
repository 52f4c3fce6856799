// Findings: mistakes detected in a program. The same kind of mistake at the same pair of lines is one finding, with the
// number of occurrences and the ranks concerned.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "engine/call_site.hpp"

namespace pysmpi {

inline constexpr std::uint32_t kNowhere = 0;  // call site of an unknown line

// A rank that takes part in a mistake, and the call site of its call.
struct Party {
  RankId rank;
  std::uint32_t site;
};

// A mistake at a pair of lines, with all its occurrences.
struct Finding {
  const char* kind;  // for example "mismatched-root"
  // The parties of the first occurrence; both may be the same.
  Party own, other;
  std::string text;  // text of the first occurrence
  std::int64_t times = 0;
  std::set<RankId> ranks;  // ranks that were the first party
};

struct Findings : SimulationPart<Findings> {
  std::deque<Finding> all;  // in the order in which they were found
  std::map<std::tuple<std::string, std::uint32_t, std::uint32_t>, Finding*> by_lines;  // key: kind, both call sites
};

// Count one occurrence. Returns the finding if it is new, so that the caller can fill in its text; otherwise nullptr.
Finding* note_finding(const char* kind, const Party& own, const Party& other);

// Return whether a party of a finding of this kind is at this call site.
bool is_found(const char* kind, std::uint32_t site);

std::int64_t count_findings();
const Finding& finding_at(std::int64_t index);
void forget_findings();

// Return " at FILE:LINE", to be appended to a text such as "rank 3 calls MPI_Bcast".
std::string at(const Party& party);

}  // namespace pysmpi
