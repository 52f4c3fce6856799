// Storage of findings, one for each kind and pair of source lines.
#include "instrumentation/check/findings.hpp"

#include <cstring>

namespace pysmpi {

namespace {

auto& findings() { return Findings::current().all; }

}  // namespace

Finding* note_finding(const char* kind, const Party& own, const Party& other) {
  Finding*& known = Findings::current().by_lines[{kind, own.site, other.site}];
  const bool is_new = known == nullptr;
  if (is_new) known = &findings().emplace_back(Finding{kind, own, other, {}, 0, {}});
  ++known->times;
  known->ranks.insert(own.rank);
  return is_new ? known : nullptr;
}

bool is_found(const char* kind, std::uint32_t site) {
  for (const Finding& finding : findings()) {
    if (std::strcmp(finding.kind, kind) == 0 && (finding.own.site == site || finding.other.site == site)) return true;
  }
  return false;
}

std::int64_t count_findings() { return static_cast<std::int64_t>(findings().size()); }
const Finding& finding_at(std::int64_t index) { return findings()[index]; }

void forget_findings() {
  Findings::current().all.clear();
  Findings::current().by_lines.clear();
}

std::string at(const Party& party) {
  const std::string place = call_site_text(party.site);
  return " at " + (place.empty() ? "an unknown place" : place);
}

}  // namespace pysmpi
