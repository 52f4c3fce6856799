// Switches between the greenlets of ranks when an MPI call blocks.
#include "engine/fiber.hpp"

#include <Python.h>
#include <cxxabi.h>
#include <greenlet.h>
#include <locale.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <string>
#include <utility>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "engine/call_site.hpp"
#include "engine/event_loops.hpp"
#include "engine/foreign_call.hpp"
#include "engine/greenlets.hpp"
#include "engine/isolation.hpp"
#include "engine/listener.hpp"
#include "engine/own_stack.hpp"
#include "engine/python_frames.hpp"
#include "engine/refusal.hpp"
#include "engine/signals.hpp"
#include "engine/simulation.hpp"
#include "engine/steps.hpp"
#include "engine/switching.hpp"
#include "engine/tracing.hpp"

namespace pysmpi {

namespace {

bool asks_for_places = false;           // fibers that are switched to note where they wait, and switch back
PyObject* stop_exception = nullptr;     // owned; exception class raised in ranks that are being stopped
std::atomic_flag warned_about_threads;  // on_ranks_thread has printed its message

const char* stack_end = nullptr;  // highest address of the stack of the thread in which ranks run

const char* end_of_this_stack() {
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  void* address = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &address, &size);
  pthread_attr_destroy(&attributes);
  return static_cast<const char*>(address) + size;
}

bool inside_mpi(const BlockedOn& on) { return on.kind != WaitKind::kTime && on.kind != WaitKind::kThread; }

bool runs_tasks(const Fiber& fiber) {
  return fiber.state == FiberState::kBlocked && inside_mpi(fiber.blocked_on) && !fiber.stopping;
}

ExceptionsOfThread* exceptions_record = nullptr;  // the C++ library has one in each thread

// The exceptions of C++ that the running rank handles or throws.
class OwnExceptions {
 public:
  OwnExceptions() : own_(std::exchange(exceptions_of_thread(), {})) {}
  ~OwnExceptions() { exceptions_of_thread() = own_; }
  OwnExceptions(const OwnExceptions&) = delete;
  OwnExceptions& operator=(const OwnExceptions&) = delete;

 private:
  ExceptionsOfThread own_;
};

// Switch from the fiber `from`, or from the main greenlet if null, to another greenlet. Returns when execution switches
// back to the caller.
void switch_from(Fiber* from, PyGreenlet* target, Fiber* to) {
  Simulation& engine = simulation();
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (from) {
    if (!from->greenlet || programs_have_greenlets) {
      Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(from->greenlet, PyGreenlet_GetCurrent())));
    }
    if (engine.deepest_frames == 0) engine.frames_of_calls = bytes_of_further_calls();
    engine.deepest_frames = std::max(engine.deepest_frames, bytes_of_frames());
  }
  OwnEventLoop loop = put_event_loop_away();
  isolation_switch(from ? from->rank : -1, to ? to->rank : -1);
  Simulation::running = to ? to->rank : -1;
  engine.running_fiber = to;
  ++engine.counters.switches;
  OwnTracing tracing = put_tracing_away();
  ThreadStorage* const storage = put_thread_storage_away();
  const OwnExceptions exceptions;
  const locale_t locale = uselocale(nullptr);
  if (locale != LC_GLOBAL_LOCALE) uselocale(LC_GLOBAL_LOCALE);
  const int error = errno;
  PyObject* result = PyGreenlet_Switch(target, nullptr, nullptr);  // on the common stack (engine/own_stack.hpp)
  errno = error;
  if (uselocale(nullptr) != locale) uselocale(locale);
  put_thread_storage_back(storage);
  if (from) isolation_arrive(from->rank);
  if (result) {
    Py_DECREF(result);
  } else {  // the greenlet is being garbage-collected, which throws an exception into it: treat the rank as stopped
    PyErr_Clear();
    if (from) from->stopping = true;
  }
  if (loop) put_event_loop_back(std::move(loop));
  if (tracing) {
    put_tracing_back(std::move(tracing));
  } else if (from) {
    show_arrival();
  }
  if (from && from->trace_function) begin_tracing(std::exchange(from->trace_function, nullptr));
  PyGILState_Release(gil);
}

}  // namespace

void Fiber::wake() {
  if (native) return native->wake();
  // A rank that is being stopped may be in the queue of ready waiters twice. The second entry is ignored, because the
  // rank has already continued.
  if (state == FiberState::kRunning || state == FiberState::kEnded) return;
  if (can_continue_here()) {
    continue_here();
    if (steps && !simulation().cannot_continue()) return;
  }
  simulation().chosen_ = this;
}

// Return whether the engine's loop can continue the fiber's coroutine, whichever greenlet is current. Observers may
// want to see the rank's Python frames.
bool Fiber::can_continue_here() const {
  const Simulation& engine = simulation();
  return steps && !steps_need_greenlet && pending <= 0 && !stopping && !in_task && !observers &&
         !engine.tasks.contains(rank) && engine.now < engine.break_at;
}

void Fiber::continue_here() {
  Simulation& engine = simulation();
  const RankId current = std::exchange(engine.running, rank);
  Fiber* const current_fiber = std::exchange(engine.running_fiber, this);
  state = FiberState::kRunning;
  std::exchange(steps, nullptr).resume();
  state = FiberState::kBlocked;
  Simulation::running = current;
  engine.running_fiber = current_fiber;
}

void run_steps(std::coroutine_handle<> steps, bool in_greenlet) {
  Fiber* const fiber = simulation_active() ? simulation().running_fiber : nullptr;
  if (!fiber) return steps.resume();  // nothing blocks outside a simulation
  // A task of the rank (run_in_rank) may call MPI inside a blocked call, which has its own coroutine.
  const std::coroutine_handle<> outer = std::exchange(fiber->steps, nullptr);
  const bool outer_needs_greenlet = std::exchange(fiber->steps_need_greenlet, in_greenlet);
  steps.resume();
  while (fiber->steps) {
    block(BlockedOn(fiber->blocked_on));
    if (fiber->steps) std::exchange(fiber->steps, nullptr).resume();
  }
  fiber->steps = outer;
  fiber->steps_need_greenlet = outer_needs_greenlet;
}

void insist_on_stop() {
  if (!stop_exception) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), stop_exception);
  PyGILState_Release(gil);
}

ExceptionsOfThread& exceptions_of_thread() { return *exceptions_record; }

void leave_foreign_call(Fiber& fiber) {
  if (!fiber.foreign_call) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  const PyFrameObject* const frame = PyEval_GetFrame();
  PyGILState_Release(gil);
  for (ForeignCall* call = fiber.foreign_call; call; call = call->earlier) {
    if (call->caller == frame) std::longjmp(call->back, 1);
  }
  constexpr int kMostStops = 20;
  if (++fiber.foreign_call->stops < kMostStops) return;
  freeze(fiber);
  fiber.stopping = false;  // a call that is being stopped does not block
  fiber.pending = 1;
  block({.call = "the end of the rank", .kind = WaitKind::kOther});
}

void leave_stopped_program(Fiber& fiber) {
  if (fiber.foreign_call && fiber.foreign_call->is_program) leave_foreign_call(fiber);
}

void ask_for_place(Fiber& fiber) {
  Simulation& engine = simulation();
  const bool is_main = PyGreenlet_GetCurrent() == engine.main_greenlet && Simulation::running < 0;
  const bool is_program = fiber.foreign_call && fiber.foreign_call->is_program;
  if (!is_main || !is_program || fiber.state != FiberState::kBlocked || !fiber.greenlet) return;
  asks_for_places = true;
  switch_from(nullptr, fiber.greenlet, &fiber);
  asks_for_places = false;
}

void freeze(Fiber& fiber) {
  if (fiber.state == FiberState::kEnded) return;
  set_spinning(fiber, false);
  fiber.state = FiberState::kEnded;
  fiber.failed_at = simulation().now;
  --simulation().unended;
  if (observers) notify(&Observer::thread_ends, fiber.failed_at, fiber);
}

Fiber& running_fiber() { return *simulation().running_fiber; }

void set_spinning(Fiber& fiber, bool spins) {
  Simulation& engine = simulation();
  const double usage = options().wait_cpu_usage;
  const bool is_metered = usage > 0.0 && engine.energy.is_on();
  if (fiber.spins == spins || (!is_metered && engine.waiting_ranks.empty())) return;
  fiber.spins = spins;
  const HostId host = engine.host_of(fiber.rank);
  if (!engine.waiting_ranks.empty()) engine.waiting_ranks[host] += spins ? 1 : -1;
  if (!is_metered) return;
  if (spins) {
    engine.energy.begin(engine.now, host, fiber.rank, usage);
  } else {
    engine.energy.end(engine.now, host, fiber.rank, usage);
  }
}

void leave_mpi(Fiber& fiber) {
  fiber.outside = true;
  set_spinning(fiber, false);
}

void enter_mpi(Fiber& fiber) {
  fiber.outside = false;
  set_spinning(fiber, true);
  rank_enters(fiber.rank);
}

bool block(const BlockedOn& on) {
  Fiber& fiber = running_fiber();
  if (fiber.stopping) {
    insist_on_stop();
    return false;
  }
  if (fiber.pending == 0) return true;
  Simulation& engine = simulation();
  if (reason_not_to_wait && !engine.refused) [[unlikely]] {
    if (const char* const reason = reason_not_to_wait()) record_refusal(reason);
  }
  fiber.blocked_on = on;
  if (!fiber.outside) set_spinning(fiber, true);
  const double begun = engine.now;
  if (observers) notify(&Observer::block_begins, begun, fiber, on);
  for (;;) {
    if (asks_for_places) [[unlikely]] {
      fiber.program_address = address_in_program();
      switch_from(&fiber, engine.main_greenlet, nullptr);
      continue;
    }
    if (inside_mpi(fiber.blocked_on)) run_tasks();  // a task of the rank may have called MPI_Abort
    if (fiber.pending <= 0 || fiber.stopping) break;
    if (fiber.state != FiberState::kEnded) fiber.state = FiberState::kBlocked;
    Fiber* next = engine.next_fiber();
    if (next != &fiber) {
      if (next && next->greenlet) {
        next->state = FiberState::kRunning;
        switch_from(&fiber, next->greenlet, next);
      } else {  // only the main greenlet starts ranks, ends simulations, and reports deadlocks and interrupts
        if (next) engine.ready.push_front(next);
        switch_from(&fiber, engine.main_greenlet, nullptr);
      }
    }
  }
  set_spinning(fiber, false);
  fiber.state = FiberState::kRunning;
  fiber.blocked_on = BlockedOn{};
  if (fiber.number == fiber.rank) Signals::current().look(fiber.rank, engine.now);
  if (engine.now > begun) fiber.busy_calls = 0;
  if (observers) notify(&Observer::block_ends, engine.now, fiber);
  return !fiber.stopping;
}

void run_in_rank(RankId rank, void (*task)(void*), void* argument) {
  Simulation& engine = simulation();
  engine.tasks[rank].push_back({task, argument});
  Fiber* able = runs_tasks(engine.fibers[rank]) ? &engine.fibers[rank] : nullptr;
  for (auto thread = engine.threads.begin(); !able && thread != engine.threads.end(); ++thread) {
    if (thread->rank == rank && runs_tasks(*thread)) able = &*thread;
  }
  if (able) engine.ready.push_back(able);
}

void run_tasks() {
  if (options().rounds_by_calls && !running_fiber().outside) rank_enters(running_fiber().rank);
  auto& tasks = simulation().tasks;
  if (tasks.empty() || running_fiber().in_task) return;
  Fiber& fiber = running_fiber();
  const BlockedOn on = fiber.blocked_on;
  for (auto mine = tasks.find(fiber.rank); mine != tasks.end() && !fiber.stopping; mine = tasks.find(fiber.rank)) {
    const RankTask task = mine->second.front();
    mine->second.pop_front();
    if (mine->second.empty()) tasks.erase(mine);
    fiber.in_task = true;
    task.function(task.argument);
    fiber.in_task = false;
    fiber.blocked_on = on;  // the task may have been blocked, too
  }
}

// The stack is in use from this function's own frame on, or from the frame that has changed to an own stack. Its lower
// limit would not do: without a limit (ulimit -s unlimited), memory of the heap may lie between the limit and the part
// in use.
[[gnu::noinline]] bool on_c_stack(const void* address) {
  return address < stack_end && address >= (own_stack ? end_of_common_stack() : __builtin_frame_address(0));
}

bool on_ranks_thread() {
  if (pthread_equal(pthread_self(), Simulation::ranks_thread)) return true;
  if (!warned_about_threads.test_and_set()) {
    std::fputs(Simulation::in_child_process
                   ? "pysmpi: a child process of a rank called MPI, which only the rank itself can do: the call fails\n"
                   : "pysmpi: a thread that a rank has started called MPI, which is not simulated: the call fails\n",
               stderr);
  }
  return false;
}

void set_main_greenlet() {
  Simulation& engine = simulation();
  Simulation::ranks_thread = pthread_self();
  return_to_main_thread_storage();
  exceptions_record = reinterpret_cast<ExceptionsOfThread*>(abi::__cxa_get_globals());
  thread_local const char* const end = end_of_this_stack();
  stack_end = end;
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (!_PyGreenlet_API) PyGreenlet_Import();
  watch_for_greenlets();
  Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(engine.main_greenlet, PyGreenlet_GetCurrent())));
  note_shared_tracing();
  PyGILState_Release(gil);
}

void hand_over_to(Fiber& fiber) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  isolation_switch(-1, fiber.rank);
  leave_main_thread_storage();
  PyGILState_Release(gil);
  Simulation::running = fiber.rank;
  simulation().running_fiber = &fiber;
}

void withdraw_stop() {
  const PyGILState_STATE gil = PyGILState_Ensure();
  while (PyThreadState_Get()->async_exc) {
    PyObject* const globals = PyDict_New();
    Py_XDECREF(PyRun_String("None", Py_eval_input, globals, globals));
    PyErr_Clear();
    Py_DECREF(globals);
  }
  PyGILState_Release(gil);
}

void raise_stop() {
  withdraw_stop();
  PyErr_SetNone(stop_exception);
}

void hand_back_to_main(Fiber& fiber) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  withdraw_stop();
  put_shared_tracing();
  isolation_switch(fiber.rank, -1);
  return_to_main_thread_storage();
  Py_XDECREF(reinterpret_cast<PyObject*>(std::exchange(fiber.greenlet, nullptr)));
  PyGILState_Release(gil);
  Simulation::running = -1;
  simulation().running_fiber = nullptr;
}

void set_stop_exception(void* type) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_XINCREF(static_cast<PyObject*>(type));
  Py_XDECREF(stop_exception);
  stop_exception = static_cast<PyObject*>(type);
  PyGILState_Release(gil);
}

}  // namespace pysmpi
