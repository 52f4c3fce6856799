// Comparison of the order in which the members of a communicator make collective calls.
#include "instrumentation/check/call_order.hpp"

#include <algorithm>
#include <string_view>

#include "engine/simulation.hpp"
#include "instrumentation/check/places.hpp"
#include "schedule/ledger.hpp"

namespace pysmpi {

namespace {

std::string call_text(const Party& party, const char* function) {
  return "rank " + std::to_string(party.rank) + " calls " + function + at(party);
}

// Return whether the function ends the life of its communicator, window or file for the calling rank. Members that
// never call it have leaked the object, which other findings report.
bool is_last(const char* function) {
  constexpr std::string_view kLast[] = {"MPI_Comm_free", "MPI_Comm_disconnect", "MPI_Win_free", "MPI_File_close"};
  return std::ranges::find(kLast, std::string_view(function)) != std::end(kLast);
}

}  // namespace

std::string on(const Communicator& communicator) {
  constexpr std::int32_t kWorld = 0x44000000;
  return communicator.handle == kWorld || communicator.title.empty() ? "" : " on " + communicator.title;
}

void CallOrder::enter(const Communicator& communicator, const char* function, const Party& own) {
  const Places places(communicator);
  if (places.all == 1) return;
  Order& order = by_context_[communicator.context];
  if (order.made.empty()) {
    order.made.resize(places.all);
    for (std::int32_t i = 0; i < places.all; ++i) order.members.push_back(places.world(communicator, i));
    order.title = on(communicator);
  }
  if (order.differs) return;
  const std::uint32_t index = order.made[places.mine]++ - order.first;
  if (index == order.pending.size()) order.pending.push_back({function, own});
  Called& called = order.pending[index];
  ++called.ranks;
  if (std::string_view(called.function) != function) {
    order.differs = true;  // later calls would be compared with the wrong ones
    if (Finding* const found = note_finding("mismatched-collective", own, called.first)) {
      found->text = call_text(own, function) + ", " + call_text(called.first, called.function) + order.title;
    }
  }
  while (!order.pending.empty() && order.pending.front().ranks == places.all) {
    order.pending.pop_front();
    ++order.first;
  }
  if (order.pending.empty() && is_last(function)) by_context_.erase(communicator.context);
}

void CallOrder::report_missing() {
  for (const auto& [context, order] : by_context_) {
    if (order.differs || order.pending.empty() || is_last(order.pending.front().function)) continue;
    const Called& called = order.pending.front();
    std::size_t absent = 0;  // the first member that has not made the call, except those whose hosts have failed
    const auto is_absent = [&](std::size_t i) {
      return order.made[i] == order.first && simulation().fibers[order.members[i]].failed_at < 0.0;
    };
    while (absent < order.made.size() && !is_absent(absent)) ++absent;
    if (absent == order.made.size()) continue;
    if (Finding* const found = note_finding("mismatched-collective", called.first, called.first)) {
      found->text = call_text(called.first, called.function) + order.title + ", and rank " +
                    std::to_string(order.members[absent]) + " never does";
    }
  }
}

}  // namespace pysmpi
