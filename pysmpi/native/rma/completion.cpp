// Waiting for transfers in windows, with the overheads of receiving them.
#include "rma/completion.hpp"

#include <algorithm>
#include <utility>

#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "objects/errors.hpp"
#include "rma/closing.hpp"

namespace pysmpi {

namespace {

constexpr RankId kEverybody = -1;

// Blocks until the rank is woken. For reports, it notes the first incomplete request that is not a transfer, for
// example the receive of a message that ends an epoch. The name of the call says enough about transfers.
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
  } else if (inside_rank()) {
    simulation().count_calls(1);  // SMPI asks for the request although it is complete
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

bool is_accumulate(RequestId id) { return request(id).is_transfer() && request(id).tag == kAccumulateTag; }

// Lets the overhead of receiving a complete request pass, and releases it. Returns false if the rank is being stopped.
bool end_transfer(RequestId id, Fault& fault, const char* call) {
  const double seconds = receive_overhead(id);
  const bool going = seconds <= 0.0 || sleep_for(seconds, call, Spent::kReceiveOverhead);
  note(fault, request(id).fault);
  release(id);
  return going;
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

// Waits for the transfers in a member's list that connect the member with a world rank. The list is locked until they
// have arrived, so the member cannot complete its own synchronisation before.
Fault finish_list(Window& window, std::int32_t member, RankId with, const char* call) {
  WindowMember& of_member = window.members[member];
  const ClosedList closed(window, member, call);
  if (closed.stopped()) return kStopped;
  std::vector<RequestId> all = take(of_member.incoming, with);
  const std::vector<RequestId> gets = take(of_member.gets, with);
  all.insert(all.end(), gets.begin(), gets.end());
  std::ranges::sort(all, {}, [](RequestId id) { return request(id).sequence; });
  return finish(window, std::move(all), call);
}

// Waits for the transfers in this rank's list that connect it with a member; if the member is this rank itself, for all
// transfers in the list.
Fault finish_mine(Window& window, std::int32_t member, const char* call) {
  const std::int32_t me = window.communicator->my_rank();
  const RankId with = member == me ? kEverybody : window.world(member);
  Fault fault = finish_list(window, me, with, call);
  if (fault.error != kErrorStopped) note(fault, await_handed_out(window, with, call));
  return fault;
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
      // SMPI makes a further call for each request that is already complete. The number of calls determines the order
      // of ranks within an instant.
      simulation().count_calls(static_cast<std::uint32_t>(std::ranges::count_if(requests, is_complete)));
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
  // SMPI finishes accumulates after all other transfers.
  std::vector<RequestId> accumulates;
  while (!requests.empty()) {
    const std::int64_t place = wait_for_any(window, requests, call);
    if (place < 0) return abandon_all(requests);
    const RequestId id = requests[place];
    requests.erase(requests.begin() + place);
    if (is_accumulate(id)) {
      accumulates.push_back(id);
    } else if (!end_transfer(id, fault, call)) {
      return abandon_all(requests);
    }
  }
  for (const RequestId id : accumulates) {
    if (!end_transfer(id, fault, call)) return kStopped;
  }
  return fault;
}

Fault finish_with(Window& window, std::int32_t member, const char* call) {
  Fault fault = finish_mine(window, member, call);
  if (fault.error == kErrorStopped || member == window.communicator->my_rank()) return fault;
  note(fault, finish_list(window, member, simulation().running, call));
  return fault;
}

Fault finish_with_each(Window& window, const char* call) {
  Fault fault;
  for (std::int32_t member = 0; member < window.size() && fault.error != kErrorStopped; ++member) {
    note(fault, finish_with(window, member, call));
  }
  return fault;
}

Fault flush(Window& window, std::int32_t member, const char* call) {
  const double begun = now();
  return end_flush(finish_with(window, member, call), begun, call);
}

Fault flush_local(Window& window, std::int32_t member, const char* call) {
  const double begun = now();
  return end_flush(finish_mine(window, member, call), begun, call);
}

Fault flush_all(Window& window, const char* call) {
  const double begun = now();
  const std::int32_t me = window.communicator->my_rank();
  Fault fault = finish_mine(window, me, call);
  for (std::int32_t member = 0; member < window.size() && fault.error != kErrorStopped; ++member) {
    if (member != me) note(fault, finish_list(window, member, simulation().running, call));
  }
  return end_flush(fault, begun, call);
}

Fault flush_each(Window& window, const char* call) {
  const double begun = now();
  return end_flush(finish_with_each(window, call), begun, call);
}

Fault flush_local_all(Window& window, const char* call) {
  return flush_local(window, window.communicator->my_rank(), call);
}

Fault finish_own(Window& window, const char* call) { return finish_mine(window, window.communicator->my_rank(), call); }

Fault finish_in_barrier(const Communicator& communicator) {
  Fault fault;
  const std::vector<std::int32_t> handles = communicator.windows;  // another rank may free a window meanwhile
  for (const std::int32_t handle : handles) {
    Window* const window = find_window(handle);
    const std::int32_t me = window ? window->communicator->my_rank() : -1;
    if (me < 0 || window->members[me].freed) continue;  // the list contains the windows of all ranks on MPI_COMM_SELF
    note(fault, finish_list(*window, me, kEverybody, "MPI_Barrier"));
    if (fault.error == kErrorStopped) break;
  }
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
