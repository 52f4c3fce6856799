// Example: ranks 0 and 1 share a condition variable of a library.
//   rank 0 waits     The functions in isolation/library_waits.cpp find that no thread of the library runs, and call
//                    let_others_run.
//   rank 1 signals   wake_native_waits makes rank 0 ready. It continues when rank 1 blocks, at the simulated time at
//                    which rank 1 has signalled.
#include "engine/native_waits.hpp"

#include <Python.h>

#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <utility>
#include <vector>

#include "base/observer.hpp"
#include "engine/computation.hpp"
#include "engine/other_threads.hpp"
#include "engine/simulation.hpp"
#include "engine/threads.hpp"

namespace pysmpi {

namespace {

struct NativeWaits {
  std::mutex mutex;  // protects the entries
  std::list<NativeWait::Entry> entries;
  std::atomic<std::size_t> count = 0;   // number of entries
  std::atomic<bool> any_woken = false;  // a thread outside ranks has woken an entry
  std::vector<const Fiber*> abandoned;
  // While no event is pending: after how many calls of await_other_threads ranks look again, how many are left, and the
  // number of events at the last one.
  std::uint32_t calls = 0, calls_left = 0;
  std::uint64_t events = 0;
};
// Not destroyed at the end of the process, when threads of libraries may still run.
NativeWaits& native_waits = *new NativeWaits;

// While an object of this class exists, other threads can run Python code.
class WithoutInterpreter {
 public:
  WithoutInterpreter() : thread_(PyGILState_Check() ? PyEval_SaveThread() : nullptr) {}
  ~WithoutInterpreter() {
    if (thread_) PyEval_RestoreThread(thread_);
  }
  WithoutInterpreter(const WithoutInterpreter&) = delete;
  WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;

 private:
  PyThreadState* thread_;
};

// Return whether a thread outside ranks wakes a wait within 10 ms of real time.
bool is_any_woken_soon() {
  constexpr timespec kStep{0, 100'000};
  const WithoutInterpreter released;
  for (int i = 0; i < 100 && !native_waits.any_woken; ++i) nanosleep(&kStep, nullptr);
  return native_waits.any_woken;
}

}  // namespace

NativeWait::NativeWait(const void* address) {
  const std::lock_guard guard(native_waits.mutex);
  entry_ =
      native_waits.entries.insert(native_waits.entries.end(), Entry{.address = address, .fiber = &running_fiber()});
  ++native_waits.count;
}

NativeWait::~NativeWait() {
  const std::lock_guard guard(native_waits.mutex);
  native_waits.entries.erase(entry_);
  --native_waits.count;
}

bool NativeWait::was_woken() const {
  const std::lock_guard guard(native_waits.mutex);
  return entry_->is_woken;
}

bool NativeWait::let_others_run(double seconds, const char* call) {
  Fiber& fiber = *entry_->fiber;
  entry_->lets_others_run = true;
  WaitEnd end = was_woken() ? WaitEnd::kWoken : wait_to_be_woken(seconds, call);
  const double left = entry_->date - simulation().now;
  if (end == WaitEnd::kWoken && !was_woken()) {
    fiber.left_at = -1.0;  // it only looks again (await_other_threads), which is no computation
  } else if (end == WaitEnd::kWoken && left > 0.0) {
    const Outside outside(fiber);
    if (!sleep_for(left, call, Spent::kOther)) end = WaitEnd::kStopped;
  }
  if (end != WaitEnd::kStopped) return end == WaitEnd::kWoken;
  abandon_native_wait(fiber);
  fiber.stopping = false;  // block() returns at once in a fiber that is being stopped
  for (;;) {
    fiber.pending = 1;
    block({.call = call, .kind = WaitKind::kThread});
  }
}

void wake_native_waits(const void* address) {
  if (native_waits.count.load() == 0) return;
  const bool in_rank = rank_runs_here();
  const double date = in_rank && !running_fiber().stopping ? own_time() : 0.0;
  const std::lock_guard guard(native_waits.mutex);
  for (NativeWait::Entry& each : native_waits.entries) {
    if (each.address != address || each.is_woken) continue;
    each.is_woken = true;
    each.date = date;
    if (in_rank) {
      native_waits.calls = native_waits.calls_left = 0;
      wake(*each.fiber);
    } else {
      native_waits.any_woken = true;
    }
  }
}

bool are_native_waits_woken() { return native_waits.any_woken.load(std::memory_order_relaxed); }

void continue_native_waits() {
  const std::lock_guard guard(native_waits.mutex);
  native_waits.any_woken = false;
  native_waits.calls = native_waits.calls_left = 0;
  for (const NativeWait::Entry& each : native_waits.entries) {
    if (each.is_woken) wake(*each.fiber);
  }
}

bool await_other_threads() {
  NativeWaits& waits = native_waits;
  if (waits.count.load() == 0) return false;
  const std::uint64_t events = simulation().counters.events;
  if (std::exchange(waits.events, events) != events) waits.calls = waits.calls_left = 0;
  if (waits.calls_left > 0) {
    --waits.calls_left;
    if (look_at_other_threads() == OtherThreads::kDormant) return false;
    if (is_any_woken_soon()) continue_native_waits();
    return true;
  }
  waits.calls_left = waits.calls = std::max(1U, 2 * waits.calls);
  const std::lock_guard guard(waits.mutex);
  bool any = false;
  for (const NativeWait::Entry& each : waits.entries) any = wake(*each.fiber) || any;
  return any;
}

bool abandon_native_wait(Fiber& fiber) {
  const std::lock_guard guard(native_waits.mutex);
  if (std::ranges::none_of(native_waits.entries, [&](const NativeWait::Entry& each) {
        return each.fiber == &fiber && each.lets_others_run;
      })) {
    return false;
  }
  if (fiber.state == FiberState::kEnded) return true;
  Simulation& engine = simulation();
  fiber.state = FiberState::kEnded;
  native_waits.abandoned.push_back(&fiber);
  engine.time_spent.of_ended += engine.now - fiber.begun_at;
  --engine.unended;
  if (observers) notify(&Observer::thread_ends, engine.now, fiber);
  return true;
}

bool is_abandoned(const Fiber& fiber) { return std::ranges::count(native_waits.abandoned, &fiber) > 0; }

void forget_native_waits() {
  const std::lock_guard guard(native_waits.mutex);
  native_waits.entries.clear();
  native_waits.count = 0;
  native_waits.any_woken = false;
  native_waits.abandoned.clear();
}

}  // namespace pysmpi
