// Synchronisation of windows by fences, by post, start, complete and wait, and by locks.
#include "rma/epochs.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "collectives/arguments.hpp"
#include "collectives/call.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/polling.hpp"
#include "matching/protocol.hpp"
#include "objects/errors.hpp"
#include "rma/completion.hpp"

namespace pysmpi {

namespace {

constexpr int kErrRmaSync = 50;
constexpr std::int32_t kPostTag = 1, kCompleteTag = 2;

int wrong(const Window& window, const char* call, const char* text) {
  return fail(window.handle, kErrRmaSync, call, "%s", text);
}

// Executes a barrier among all members of the window. Returns an MPI error code.
int barrier(Window& window, const char* call) {
  const int code = run_collective({Operation::kBarrier, window.communicator, {}, {.call = call}});
  return code == 0 || code == kErrorStopped ? code : raise_error(window.handle, code);
}

// Returns the reason why the rank may not begin another kind of access epoch, or null if it may.
const char* open_access(const WindowMember& mine) {
  if (mine.locked_all) return "this rank has locked all members of the window; call MPI_Win_unlock_all first";
  if (!mine.locked.empty()) return "this rank has locked members of the window; call MPI_Win_unlock first";
  if (mine.started) return "MPI_Win_start has been called; call MPI_Win_complete first";
  return nullptr;
}

const char* conflict(const WindowMember& mine) {
  if (mine.fenced && mine.fence_in_use)
    return "the window has been accessed since the last fence; call MPI_Win_fence first";
  return open_access(mine);
}

// Sends an empty message to each of the members except this rank. Returns false if the rank is being stopped.
bool notify(Window& window, const std::vector<std::int32_t>& members, std::int32_t tag, const char* call) {
  Communicator& communicator = *window.communicator;
  for (const std::int32_t member : members) {
    if (member == communicator.my_rank()) continue;
    const double seconds = send_overhead(0, false, SendMode::kStandard);
    if (seconds > 0.0 && !sleep_for(seconds, call, Spent::kSendOverhead)) return false;
    release(post_send(simulation().running, communicator, {member, tag, communicator.context}, SendMode::kBuffered,
                      nullptr, 0, *find_datatype(kByte)));
  }
  return true;
}

// Posts receives of empty messages from each of the members.
std::vector<RequestId> listen(Window& window, const std::vector<std::int32_t>& members, std::int32_t tag) {
  Communicator& communicator = *window.communicator;
  std::vector<RequestId> requests;
  for (const std::int32_t member : members) {
    if (member == communicator.my_rank()) continue;
    requests.push_back(post_receive(simulation().running, communicator, {member, tag, communicator.context}, nullptr, 0,
                                    *find_datatype(kByte)));
  }
  return requests;
}

std::vector<std::int32_t> sorted(std::span<const std::int32_t> members) {
  std::vector<std::int32_t> list(members.begin(), members.end());
  std::sort(list.begin(), list.end());
  return list;
}

void listen_for_completions(Window& window) {
  WindowMember& mine = window.mine();
  if (std::exchange(mine.completions_asked_for, true)) return;
  mine.completions = listen(window, mine.post_group, kCompleteTag);
}

int end_exposure(Window& window, const char* call) {
  WindowMember& mine = window.mine();
  Fault fault;
  if (!mine.completions.empty()) fault = wait_all(window, mine.completions, call);
  if (fault.error != kErrorStopped) {
    const Fault of_data = finish_own(window, call);
    if (fault.error == 0) fault = of_data;
  }
  mine.posted = mine.completions_asked_for = false;
  return outcome(window, fault, call);
}

// Waits for a lock that was not granted at once. Returns false if the rank is being stopped.
bool wait_for_lock(Window& window, std::int32_t target, const char* call) {
  if (block({.call = call, .kind = WaitKind::kLock, .communicator = window.handle, .peer = target})) return true;
  window.locks.withdraw(&running_fiber());
  return false;
}

}  // namespace

int outcome(const Window& window, const Fault& fault, const char* call) {
  if (fault.error == 0 || fault.error == kErrorStopped) return fault.error;
  return fail(window.handle, fault.error, call, "%s", describe(fault).c_str());
}

bool may_access(Window& window, std::int32_t target) {
  WindowMember& mine = window.mine();
  if (mine.locked_all || mine.locked.contains(target)) return true;
  if (mine.started) return std::binary_search(mine.start_group.begin(), mine.start_group.end(), target);
  if (mine.fenced) mine.fence_in_use = true;
  return mine.fenced;
}

int fence(Window& window, int assertion) {
  constexpr const char* kCall = "MPI_Win_fence";
  WindowMember& mine = window.mine();
  if (const char* open = open_access(mine)) return wrong(window, kCall, open);
  if (mine.posted) return wrong(window, kCall, "MPI_Win_post has been called; call MPI_Win_wait first");
  Fault fault;
  if (!(assertion & kModeNoPrecede)) {
    if (const int code = barrier(window, kCall)) return code;
    fault = finish_own(window, kCall);
    if (fault.error == kErrorStopped) return kErrorStopped;
  }
  mine.fenced = !(assertion & kModeNoSucceed);
  mine.fence_in_use = false;
  const int code = barrier(window, kCall);
  return code != 0 ? code : outcome(window, fault, kCall);
}

int post_exposure(Window& window, std::span<const std::int32_t> members) {
  constexpr const char* kCall = "MPI_Win_post";
  WindowMember& mine = window.mine();
  if (mine.posted) return wrong(window, kCall, "MPI_Win_post has already been called; call MPI_Win_wait first");
  mine.fenced = false;
  mine.post_group = sorted(members);
  if (!notify(window, mine.post_group, kPostTag, kCall)) return kErrorStopped;
  mine.posted = true;
  return 0;
}

int start_access(Window& window, std::span<const std::int32_t> members) {
  constexpr const char* kCall = "MPI_Win_start";
  WindowMember& mine = window.mine();
  if (const char* text = conflict(mine)) return wrong(window, kCall, text);
  mine.fenced = false;
  mine.start_group = sorted(members);
  std::vector<RequestId> posts = listen(window, mine.start_group, kPostTag);
  const Fault fault = posts.empty() ? Fault{} : wait_all(window, posts, kCall);
  mine.started = fault.error != kErrorStopped;
  return outcome(window, fault, kCall);
}

int complete_access(Window& window) {
  constexpr const char* kCall = "MPI_Win_complete";
  WindowMember& mine = window.mine();
  if (!mine.started) return wrong(window, kCall, "MPI_Win_start must be called first");
  if (!notify(window, mine.start_group, kCompleteTag, kCall)) return kErrorStopped;
  mine.started = false;
  return outcome(window, finish_own(window, kCall), kCall);
}

int wait_for_accesses(Window& window) {
  constexpr const char* kCall = "MPI_Win_wait";
  if (!window.mine().posted) return wrong(window, kCall, "MPI_Win_post must be called first");
  listen_for_completions(window);
  return end_exposure(window, kCall);
}

int test_accesses(Window& window, bool& done) {
  constexpr const char* kCall = "MPI_Win_test";
  WindowMember& mine = window.mine();
  if (!mine.posted) return wrong(window, kCall, "MPI_Win_post must be called first");
  listen_for_completions(window);
  const auto look = [&mine] {
    return std::all_of(mine.completions.begin(), mine.completions.end(), is_complete) &&
           std::all_of(mine.incoming.begin(), mine.incoming.end(), is_complete);
  };
  if (!poll(&Simulation::failed_tests, kCall, look, done)) return kErrorStopped;
  return done ? end_exposure(window, kCall) : 0;
}

int lock_member(Window& window, std::int32_t target, bool exclusive) {
  constexpr const char* kCall = "MPI_Win_lock";
  WindowMember& mine = window.mine();
  if (mine.locked_all || mine.locked.contains(target)) {
    return fail(window.handle, kErrRmaSync, kCall, "this rank has already locked rank %d of the window", target);
  }
  if (mine.locked.empty()) {
    if (const char* text = conflict(mine)) return wrong(window, kCall, text);
  }
  mine.fenced = false;
  if (inside_rank() && !window.locks.lock(window.communicator->my_rank(), target, exclusive, &running_fiber()) &&
      !wait_for_lock(window, target, kCall)) {
    return kErrorStopped;
  }
  mine.locked[target] = exclusive;
  return outcome(window, finish_with(window, target, kCall), kCall);
}

int unlock_member(Window& window, std::int32_t target) {
  constexpr const char* kCall = "MPI_Win_unlock";
  WindowMember& mine = window.mine();
  if (!mine.locked.contains(target)) {
    return fail(window.handle, kErrRmaSync, kCall, "this rank has not locked rank %d of the window", target);
  }
  const Fault fault = flush(window, target, kCall);
  if (fault.error == kErrorStopped) return kErrorStopped;
  mine.locked.erase(target);
  window.locks.unlock(window.communicator->my_rank(), target);
  return outcome(window, fault, kCall);
}

int lock_all_members(Window& window) {
  constexpr const char* kCall = "MPI_Win_lock_all";
  WindowMember& mine = window.mine();
  if (const char* text = conflict(mine)) return wrong(window, kCall, text);
  mine.fenced = false;
  if (inside_rank() && !window.locks.lock_all(window.communicator->my_rank(), &running_fiber()) &&
      !wait_for_lock(window, -1, kCall)) {
    return kErrorStopped;
  }
  mine.locked_all = true;
  return outcome(window, finish_with_each(window, kCall), kCall);
}

int unlock_all_members(Window& window) {
  constexpr const char* kCall = "MPI_Win_unlock_all";
  WindowMember& mine = window.mine();
  if (!mine.locked_all) return wrong(window, kCall, "MPI_Win_lock_all must be called first");
  const Fault fault = flush_each(window, kCall);
  if (fault.error == kErrorStopped) return kErrorStopped;
  mine.locked_all = false;
  window.locks.unlock_all(window.communicator->my_rank());
  return outcome(window, fault, kCall);
}

int flush_member(Window& window, FlushKind kind, std::int32_t target, const char* call) {
  const WindowMember& mine = window.mine();
  if (!mine.locked_all && !mine.locked.contains(target)) {
    return fail(window.handle, kErrRmaSync, call, "this rank has not locked rank %d of the window", target);
  }
  const Fault fault = kind == FlushKind::kRemote ? flush(window, target, call) : flush_local(window, target, call);
  return outcome(window, fault, call);
}

int flush_all_members(Window& window, FlushKind kind, const char* call) {
  const WindowMember& mine = window.mine();
  if (!mine.locked_all && mine.locked.empty())
    return wrong(window, call, "this rank holds no lock on the window; call MPI_Win_lock or MPI_Win_lock_all first");
  const Fault fault = kind == FlushKind::kRemote ? flush_all(window, call) : flush_local_all(window, call);
  return outcome(window, fault, call);
}

const char* unfinished(Window& window) {
  const WindowMember& mine = window.mine();
  if (mine.locked_all) return "MPI_Win_unlock_all";
  if (!mine.locked.empty()) return "MPI_Win_unlock";
  if (mine.started) return "MPI_Win_complete";
  return mine.posted ? "MPI_Win_wait" : nullptr;
}

}  // namespace pysmpi
