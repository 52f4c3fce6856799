// A fiber is a rank's thread of execution: a greenlet that blocks inside MPI calls and is switched natively.
#pragma once

#include <cstdint>
#include <vector>

#include "base/spent.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "engine/time_sources.hpp"

struct _greenlet;

namespace pysmpi {

// What a blocked rank waits for; read by the deadlock report.
enum class WaitKind : std::int32_t { kNothing, kReceive, kSend, kCollective, kProbe, kTime, kOther, kThread, kLock };

struct BlockedOn {
  const char* call = nullptr;  // "MPI_Recv"; null when not inside a blocking call
  WaitKind kind = WaitKind::kNothing;
  std::uint32_t request = kNone;   // the first incomplete request waited for, if any
  std::int32_t requests = 0;       // how many are waited for
  std::int32_t communicator = 0;   // MPI_Comm or MPI_Win handle, 0 when none
  std::int32_t peer = 0, tag = 0;  // of a probe; peer: of a lock, whose memory it is for, -1 for all
  Spent spent = Spent::kOther;     // what time that passes is spent on
};

// By MPI_Buffer_attach, MPI_Comm_attach_buffer or MPI_Session_attach_buffer.
struct AttachedBuffer {
  std::int32_t object;  // handle of the communicator or session; 0: for all of the rank
  void* address;
  std::int64_t size;  // bytes
};

enum class Sampling : std::uint8_t { kNot, kUnderWay, kDisturbed };  // disturbed: the block has called MPI

enum class FiberState : std::uint8_t { kUnstarted, kReady, kRunning, kBlocked, kEnded };

class Fiber final : public Waiter {
 public:
  RankId rank = -1;
  std::int32_t number = -1;  // the rank, of its first thread; from kFirstThread on, of threads that ranks start
  FiberState state = FiberState::kUnstarted;
  bool initialized = true;        // MPI is up from a rank's first instruction, unless its program calls MPI_Init itself
  bool finalized = false;         // it has called MPI_Finalize
  std::uint8_t thread_level = 3;  // what MPI_Query_thread says: MPI_THREAD_MULTIPLE unless it has asked for less
  double failed_at = -1.0;        // when it was frozen for ever, its host having failed; negative while it has not
  bool stopping = false;          // the rank is being stopped: every further MPI call of it fails at once
  _greenlet* greenlet = nullptr;  // owned reference, set when it first blocks
  void* trace_function = nullptr;  // owned reference to a PyObject: sys.settrace of it as the rank goes on
  Waiter* native = nullptr;        // what the rank is where it is no greenlet (replay/rank.hpp)
  BlockedOn blocked_on;
  const char* outer_call = nullptr;      // the MPI function written in Python that is calling others; null outside such
  bool measured = true;                  // its computation between MPI calls counts
  BySource owed;                         // flops that it has computed in name and that have not passed on the clock yet
  double owed_bytes = 0.0;               // that it has moved through its host's memory in name, which takes,
  double owed_bytes_seconds = 0.0;       // if nobody else does, so many seconds
  bool is_about_to_wait = false;         // it waits to be woken once its computation has passed
  bool waits_to_be_woken = false;        // in pysmpi_thread_wait, and nothing has ended the wait yet
  bool was_woken = false;                // what has ended it
  std::uint32_t waits = 0;               // numbers the waits
  std::vector<AttachedBuffer> attached;  // of the rank, whichever thread attached them: those of its first one
  std::uint64_t busy_calls = 0;          // in a row, with nothing in between that takes time (engine/busy_waiting.hpp)
  double left_at = -1.0;                 // host clock when the rank last left an MPI call; negative when not measured
  double begun_at = 0.0;                 // simulated
  Sampling sampling = Sampling::kNot;    // it is inside a sampled block,
  double sampled_since = 0.0;            // and this far on the host clock measures it

  bool in_told_call = false;  // observers know that it is inside an MPI call
  bool in_task = false;       // it runs a task, inside an MPI call: no time passes until that has ended

  void wake() override;
};

// Has a rank run a function in one of its own greenlets (a program's own reduction): at once when one of its threads
// is blocked in an MPI call, else as soon as one enters the next MPI call. Not while the rank computes or sleeps, nor
// when it is being stopped.
void run_in_rank(RankId rank, void (*task)(void*), void* argument);

// The running fiber is inside an MPI call: what was to be run in its rank runs now.
void run_tasks();
void end_tasks();  // once the simulation has ended

// Blocks the running fiber until its `pending` count falls to zero (returns at once when it is zero). The GIL may be
// held or not. False when the rank is being stopped: the MPI call returns kErrorStopped at once.
bool block(const BlockedOn& on);

// The running rank is being stopped, has been told so by a failed call, and makes another one: its program swallows
// errors, or cleans up. From now on the stop exception is raised in it as well. (Not at the first failed call: it would
// be raised just inside the program's `finally:`, which would then not run.)
void insist_on_stop();

// The caller is the thread that ranks run in. Says once on the standard error that other threads cannot call MPI.
bool on_ranks_thread();

// The running rank's fiber. Only inside ranks.
Fiber& running_fiber();

// The address lies on this thread's C stack, whose contents other ranks overwrite while this one is suspended: such
// buffers are bounced through the heap.
bool on_c_stack(const void* address);

}  // namespace pysmpi
