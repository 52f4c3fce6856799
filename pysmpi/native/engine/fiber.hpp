// A fiber is the thread of execution of a rank: a greenlet that blocks inside MPI calls and is switched natively.
#pragma once

#include <coroutine>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/spent.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "engine/time_sources.hpp"

struct _greenlet;

namespace pysmpi {

struct ForeignCall;  // engine/foreign_call.hpp

// Reasons why a fiber is blocked; deadlock reports show the reason.
enum class WaitKind : std::int32_t { kNothing, kReceive, kSend, kCollective, kProbe, kTime, kOther, kThread, kLock };

struct BlockedOn {
  const char* call = nullptr;  // for example "MPI_Recv"; null if not in a blocking call
  WaitKind kind = WaitKind::kNothing;
  std::uint32_t request = kNone;  // first incomplete request, if the fiber waits for requests
  std::int32_t requests = 0;      // number of requests that the fiber waits for
  std::int32_t communicator = 0;  // MPI_Comm or MPI_Win handle; 0 if none
  // Envelope of a probe. For a window lock, `peer` is the rank whose memory the lock protects, or -1 for all ranks.
  std::int32_t peer = 0, tag = 0;
  Spent spent = Spent::kOther;  // use of the time that passes
};

// A buffer attached with MPI_Buffer_attach, MPI_Comm_attach_buffer or MPI_Session_attach_buffer.
struct AttachedBuffer {
  std::int32_t object;  // handle of the communicator or session; 0: the rank's own buffer
  void* address;
  std::int64_t size;  // bytes
};

enum class Sampling : std::uint8_t { kNot, kUnderWay, kDisturbed };  // kDisturbed: the sampled block has called MPI

enum class FiberState : std::uint8_t { kUnstarted, kReady, kRunning, kBlocked, kEnded };

class Fiber final : public Waiter {
 public:
  RankId rank = -1;
  // Number of the thread: for a rank's first thread, the number of the rank; for threads that ranks start, kFirstThread
  // or above.
  std::int32_t number = -1;
  FiberState state = FiberState::kUnstarted;
  // True if MPI is initialized. False only in a program that calls MPI_Init itself, until it does so.
  bool initialized = true;
  bool finalized = false;         // MPI_Finalize was called
  std::uint8_t thread_level = 3;  // result of MPI_Query_thread: MPI_THREAD_MULTIPLE unless the program asked for less
  double failed_at = -1.0;        // time at which the fiber ended because its host failed; negative otherwise
  bool stopping = false;          // the rank is being stopped: its further MPI calls fail at once
  _greenlet* greenlet = nullptr;  // in which the fiber blocked last; owned reference, null before it has blocked
  // Owned reference to a Python function. The fiber passes it to sys.settrace when it continues, so that a debugger can
  // stop the fiber there; null for none.
  void* trace_function = nullptr;
  Waiter* native = nullptr;  // the native rank, if it is not a greenlet (replay/rank.hpp)
  BlockedOn blocked_on;
  const void* program_address = nullptr;  // where its compiled program waits, once it was asked (ask_for_place)
  ForeignCall* foreign_call = nullptr;    // latest call of compiled code by ctypes or cffi in progress; null for none
  // MPI function implemented in Python that is running; null outside such functions.
  const char* outer_call = nullptr;
  std::int32_t outer_communicator = 0;  // handle of the communicator that `outer_call` is collective over; 0 for none
  bool measured = true;                 // computation between MPI calls is measured
  BySource owed;                        // computation whose simulated time has not passed yet, in flops
  double owed_bytes = 0.0;              // memory traffic whose simulated time has not passed yet, in bytes
  BySource owed_bytes_seconds;          // seconds that owed_bytes take if nothing else uses the memory
  bool outside = false;                 // simulated time that passes now belongs to the program, not to an MPI call
  bool spins = false;                   // the fiber waits in an MPI call and keeps a core busy meanwhile (set_spinning)
  bool is_about_to_wait = false;        // the fiber will wait to be woken after its computation has passed
  bool waits_to_be_woken = false;       // the fiber is in pysmpi_thread_wait and has not been woken
  bool was_woken = false;               // the wait ended by a wake-up, not by time
  std::uint32_t waits = 0;              // number of waits begun; identifies the present one
  // Buffers attached by any thread of the rank; only used in the rank's first fiber.
  std::vector<AttachedBuffer> attached;
  // Number of consecutive calls that poll, without time passing in between (engine/busy_waiting.hpp).
  std::uint64_t busy_calls = 0;
  double polls_since = 0.0;     // simulated time at which the first of these polls began
  double polled_at = 0.0;       // simulated time at which the last unsuccessful poll ended
  double left_at = -1.0;        // machine clock at the end of the last MPI call, in seconds; negative if not measured
  double left_at_wall = 0.0;    // wall clock at the end of the last MPI call, in seconds
  std::uint32_t last_call = 0;  // hash of the last MPI call that ended a measured interval, and of the call's line
  double begun_at = 0.0;        // simulated time at which the fiber began, in seconds
  Sampling sampling = Sampling::kNot;  // state of a sampled block of the fiber
  double sampled_since = 0.0;          // machine clock at the start of the sampled block, in seconds

  bool in_observed_call = false;  // observers were notified of an MPI call in progress
  // The fiber runs a function of run_in_rank inside an MPI call. No simulated time passes until the function returns.
  bool in_task = false;

  // Suspended coroutine of the MPI call in which the fiber is blocked (engine/steps.hpp), or null.
  std::coroutine_handle<> steps;
  bool steps_need_greenlet = false;  // the coroutine must only continue in the rank's greenlet

  void wake() override;

 private:
  bool can_continue_here() const;
  void continue_here();
};

// While an object of this class exists, the fiber is outside MPI: it computes, sleeps or waits for another thread.
class Outside {
 public:
  explicit Outside(Fiber& fiber) : fiber_(fiber), before_(std::exchange(fiber.outside, true)) {}
  ~Outside() { fiber_.outside = before_; }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  Fiber& fiber_;
  const bool before_;
};

// End a fiber as if it were killed: it stays suspended with all its objects.
void freeze(Fiber& fiber);

// Record that a fiber begins, or ends, to wait inside MPI: its core uses energy (smpi/wait-cpu-usage), and its polls
// slow down messages (NodeGroup::waiting_cost). Has no effect if the platform gives neither the power of hosts nor such
// costs.
void set_spinning(Fiber& fiber, bool spins);

// Record that a fiber which is blocked in a schedule begins, and ends, a computation or a sleep of its program.
void leave_mpi(Fiber& fiber);
void enter_mpi(Fiber& fiber);

// Run a function inside the rank, for example a user-defined reduction, which must see the rank's own Python state. If
// one of the rank's threads is blocked in an MPI call, this thread runs the function at once; otherwise a thread does
// so in its next MPI call. The function does not run while the rank computes or sleeps, or is being stopped.
void run_in_rank(RankId rank, void (*task)(void*), void* argument);

// Run the functions that run_in_rank has queued for the running fiber's rank. The fiber must be inside an MPI call.
void run_tasks();

// Block the running fiber until no completions are awaited any more (`pending` is zero); return at once if it is zero
// already. `on` says what the fiber waits for, for deadlock reports. The caller may hold the GIL or not. Returns false
// if the rank is being stopped; the MPI call must then return kErrorStopped.
bool block(const BlockedOn& on);

// Raise the stop exception in a rank that is being stopped and calls MPI again after a failed call, because its program
// ignores errors or cleans up. At the first failed call an exception would be too early: it could be raised at the
// start of a `finally:` clause, which would then be skipped.
void insist_on_stop();

// Let a blocked fiber note at which address of its compiled program it waits. To be called in the main greenlet. Does
// nothing for fibers that run Python code.
void ask_for_place(Fiber& fiber);

// Function that returns why the running rank's program must not wait now, or null. Null unless ranks run executables.
inline const char* (*reason_not_to_wait)() = nullptr;

// Return whether the caller is the thread in which ranks run. Prints a warning, once per process, if another thread
// calls MPI.
bool on_ranks_thread();

// The fiber of the running rank; requires that a rank is running.
Fiber& running_fiber();

// Return whether the address is in the used part of the C stack that ranks share. Other ranks overwrite it while the
// running one is suspended, so buffers there are copied to the heap. Costs two comparisons.
bool on_c_stack(const void* address);

}  // namespace pysmpi
