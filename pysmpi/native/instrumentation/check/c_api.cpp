// C interface to the checker.
#include "instrumentation/check/c_api.h"

#include <memory>

#include "engine/simulation.hpp"
#include "instrumentation/check/checker.hpp"
#include "instrumentation/check/findings.hpp"
#include "instrumentation/instruments.hpp"

using namespace pysmpi;

void pysmpi_check(int32_t looks) {
  std::unique_ptr<MistakeFinder>& finder = Instruments::current().mistakes;
  if (finder) remove_observer(*finder);
  finder = looks ? std::make_unique<MistakeFinder>() : nullptr;
  if (finder) add_observer(*finder);
  forget_findings();
}

void pysmpi_check_end(void) { Instruments::current().mistakes->report_missing_calls(); }

int64_t pysmpi_count_findings(void) { return count_findings(); }

void pysmpi_read_finding(int64_t index, pysmpi_finding* out) {
  const Finding& finding = finding_at(index);
  const std::uint32_t other = finding.other.site == finding.own.site ? kNowhere : finding.other.site;
  *out = {finding.kind,
          finding.text.c_str(),
          {call_site_text(finding.own.site).c_str(), call_site_text(other).c_str()},
          finding.times,
          static_cast<int32_t>(finding.ranks.size())};
}

void pysmpi_read_finding_ranks(int64_t index, int32_t* out) {
  for (const RankId rank : finding_at(index).ranks) *out++ = rank;
}

const char* pysmpi_function_under_way(void) {
  const char* const function = inside_rank() ? running_fiber().outer_call : nullptr;
  return function ? function : "";
}

const char* pysmpi_request_place(uint32_t request) {
  const MistakeFinder* const finder = Instruments::current().mistakes.get();
  return call_site_text(finder ? finder->site_of(request) : kNowhere).c_str();
}
