// Mistakes that have been found: each kind at each pair of lines once, with how often and in which ranks.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/types.hpp"
#include "engine/call_site.hpp"

namespace pysmpi {

inline constexpr std::uint32_t kNowhere = 0;  // call_site: the line is unknown

// One of those who are in it, and the line (call_site).
struct Party {
  RankId rank;
  std::uint32_t site;
};

struct Finding {
  const char* kind;  // "mismatched-root"
  Party own, other;  // of the first; the other may be the same
  std::string text;  // the same
  std::int64_t times = 0;
  std::set<RankId> ranks;  // who was the first party
};

// Whether it is new: it is to be put in words then. Otherwise it has been counted.
Finding* note_finding(const char* kind, const Party& own, const Party& other);

// Whether this kind has been found at the line already, whatever the other one.
bool is_found(const char* kind, std::uint32_t site);

std::int64_t count_findings();
const Finding& finding_at(std::int64_t index);
void forget_findings();

// "rank 3 … at FILE:LINE"
std::string at(const Party& party);

}  // namespace pysmpi
