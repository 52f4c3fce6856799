// Waiting for transfers in windows, with the overheads of receiving them.
#include "rma/completion.hpp"

#include <algorithm>
#include <utility>

#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

namespace {

constexpr RankId kEverybody = -1;
const Fault kStopped{kErrorStopped, 0};

// Blocks on the requests. Reports name the first incomplete request that is not a transfer, since transfers add nothing
// to the name of the call.
bool block_on(const Window& window, const std::vector<RequestId>& requests, const char* call) {
  RequestId first = kNone;
  for (const RequestId id : requests) {
    if (first == kNone && !is_complete(id) && !request(id).is_transfer()) first = id;
  }
  return block({.call = call,
                .kind = WaitKind::kOther,
                .request = first,
                .requests = static_cast<std::int32_t>(requests.size()),
                .communicator = window.handle});
}

// Blocks until one request is complete. Returns its index, or -1 if the rank is being stopped.
std::int64_t wait_for_any(const Window& window, const std::vector<RequestId>& requests, const char* call) {
  const auto complete = [&] { return std::find_if(requests.begin(), requests.end(), is_complete); };
  if (complete() == requests.end()) {
    Fiber& fiber = running_fiber();
    if (fiber.stopping) return -1;
    for (const RequestId id : requests) request(id).waiter = &fiber;
    fiber.pending = 1;
    if (!block_on(window, requests, call)) return -1;
    fiber.pending = 0;
    for (const RequestId id : requests) request(id).waiter = nullptr;
  }
  return complete() - requests.begin();
}

Fault abandon_all(std::vector<RequestId>& requests) {
  for (const RequestId id : requests) abandon(id);
  requests.clear();
  return kStopped;
}

double now() { return inside_rank() ? simulation().now : 0.0; }

void note(Fault& fault, const Fault& found) {
  if (fault.error == 0) fault = found;
}

// Removes and returns the requests that connect the list's owner with a world rank, or with all ranks.
std::vector<RequestId> take(std::vector<RequestId>& list, RankId with) {
  std::vector<RequestId> taken;
  if (with == kEverybody) {
    taken.swap(list);
  } else {
    const auto concerned =
        std::stable_partition(list.begin(), list.end(), [with](RequestId id) { return request(id).peer != with; });
    taken.assign(concerned, list.end());
    list.erase(concerned, list.end());
  }
  return taken;
}

Fault finish(const Window& window, std::vector<RequestId> taken, const char* call) {
  return taken.empty() ? Fault{} : wait_all(window, taken, call);
}

// Waits for gets whose requests were returned to the program (MPI_Rget). The program itself releases these requests.
Fault await_handed_out(Window& window, RankId with, const char* call) {
  auto& handed_out = window.mine().handed_out;
  if (handed_out.empty()) return {};
  std::erase_if(handed_out, [](const WindowMember::Handed& each) {
    return !is_request(each.id) || request(each.id).sequence != each.sequence || is_complete(each.id);
  });
  for (const WindowMember::Handed& each : handed_out) {
    Request& r = request(each.id);
    const bool concerned = with == kEverybody || r.peer == with;
    if (concerned && !r.waiter) await(each.id, &running_fiber());  // otherwise another thread of the rank waits for it
  }
  return block_on(window, {}, call) ? Fault{} : kStopped;
}

Fault finish_gets(Window& window, RankId with, const char* call) {
  Fault fault = finish(window, take(window.mine().gets, with), call);
  if (fault.error != kErrorStopped) note(fault, await_handed_out(window, with, call));
  return fault;
}

// Waits for this rank's puts and accumulates to a member.
Fault finish_puts(Window& window, std::int32_t member, const char* call) {
  std::vector<RequestId>& list = window.members[member].incoming;
  return list.empty() ? Fault{} : finish(window, take(list, simulation().running), call);
}

// Ends a flush that began at `begun`. If the flush took no time, lets time pass.
Fault end_flush(const Fault& fault, double begun, const char* call) {
  if (fault.error != 0 || now() > begun) return fault;
  return let_time_pass(call) ? Fault{} : kStopped;
}

}  // namespace

Fault wait_all(const Window& window, std::vector<RequestId>& requests, const char* call) {
  Fault fault;
  if (options().receive_overhead.empty()) {
    Fiber& fiber = running_fiber();
    if (!fiber.stopping) {
      for (const RequestId id : requests) await(id, &fiber);
    }
    if (!block_on(window, requests, call)) return abandon_all(requests);
    for (const RequestId id : requests) {
      note(fault, request(id).fault);
      release(id);
    }
    requests.clear();
    return fault;
  }
  while (!requests.empty()) {
    const std::int64_t place = wait_for_any(window, requests, call);
    if (place < 0) return abandon_all(requests);
    const RequestId id = requests[place];
    const double seconds = receive_overhead(id);
    if (seconds > 0.0 && !sleep_for(seconds, call, Spent::kReceiveOverhead)) return abandon_all(requests);
    note(fault, request(id).fault);
    release(id);
    requests.erase(requests.begin() + place);
  }
  return fault;
}

Fault flush(Window& window, std::int32_t member, const char* call) {
  const double begun = now();
  Fault fault = finish_gets(window, window.world(member), call);
  if (fault.error != kErrorStopped) note(fault, finish_puts(window, member, call));
  return end_flush(fault, begun, call);
}

Fault flush_local(Window& window, std::int32_t member, const char* call) {
  const double begun = now();
  const Fault fault = finish_gets(window, window.world(member), call);
  return end_flush(fault, begun, call);
}

Fault flush_all(Window& window, const char* call) {
  const double begun = now();
  Fault fault = finish_gets(window, kEverybody, call);
  for (std::int32_t member = 0; member < window.size() && fault.error != kErrorStopped; ++member) {
    note(fault, finish_puts(window, member, call));
  }
  return end_flush(fault, begun, call);
}

Fault flush_local_all(Window& window, const char* call) {
  const double begun = now();
  const Fault fault = finish_gets(window, kEverybody, call);
  return end_flush(fault, begun, call);
}

Fault finish_own(Window& window, const char* call) {
  WindowMember& mine = window.mine();
  std::vector<RequestId> all = take(mine.incoming, kEverybody);
  const std::vector<RequestId> gets = take(mine.gets, kEverybody);
  all.insert(all.end(), gets.begin(), gets.end());
  std::sort(all.begin(), all.end(), [](RequestId a, RequestId b) { return request(a).sequence < request(b).sequence; });
  Fault fault = finish(window, std::move(all), call);
  if (fault.error != kErrorStopped) note(fault, await_handed_out(window, kEverybody, call));
  return fault;
}

bool let_time_pass(const char* call) {
  constexpr std::uint64_t kFree = 100;
  if (!inside_rank()) return true;
  Fiber& fiber = running_fiber();
  if (fiber.busy_calls < kFree) {
    ++fiber.busy_calls;
    return true;
  }
  return wait_busily(options().wtime_cost, call, Patience::kOfPolls);
}

}  // namespace pysmpi
