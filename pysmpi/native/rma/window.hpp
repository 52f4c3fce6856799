// Windows of one-sided communication in the engine: each member's memory, transfers in progress, locks and epochs.
// Python manages names, info objects and groups (pysmpi/simulation/mpi/window.py).
//
// One-sided communication costs the same as in SMPI (SimGrid 3.32, src/smpi/mpi/smpi_win.cpp). As with remote direct
// memory access in hardware, the target rank is not involved:
// - A put is a message from the origin to the target, a get a message from the target to the origin. Both leave
//   at once, and the origin pays for a nonblocking send (smpi/ois). A get reads memory when its message leaves; a put
//   writes when its message arrives. Either is a copy without cost if the target is the rank itself.
// - An accumulate is a message too, even to the rank itself. It is complete when the call returns.
// - MPI_Get_accumulate is a get followed by an accumulate. Compare and swap is a get and, if it swaps, a put.
//   These operations of different ranks on one target take turns. Each changes memory at one instant, at its end.
// - A flush waits for all transfers between this rank and a member, whichever of the two has started them. A flush of
//   the rank itself waits for all of its transfers. An accumulate ends in a flush of its target, a lock begins with
//   one. The rank that waits for a message pays the overhead of receiving it (smpi/or).
// - While a rank waits for the transfers in a member's list, nobody can add a transfer to this list (rma/closing.hpp).
// - A fence is a barrier (except with MPI_MODE_NOPRECEDE), the wait for transfers to this rank's memory, and another
//   barrier. Post and complete send an empty message to each rank; start and wait receive them.
// - Locks cost no messages, only the wait for the holders. Unlike in SMPI, locks do exclude each other, in the order of
//   the requests. An unlock waits for transfers in progress before it releases the lock.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "matching/communicator.hpp"
#include "matching/mutex.hpp"
#include "matching/point_to_point.hpp"
#include "rma/locks.hpp"

namespace pysmpi {

enum class WindowFlavor : std::int32_t { kCreate = 1, kAllocate = 2, kDynamic = 3, kShared = 4 };  // MPI_WIN_FLAVOR_…

struct Region {
  const char* begin;
  std::int64_t size;  // bytes
};

struct WindowMember {
  char* base = nullptr;
  std::int64_t size = 0;  // bytes
  std::int64_t displacement_unit = 1;
  int displacement_unit_as_int = 1;  // MPI_Win_get_attr returns its address
  std::vector<Region> attached;      // memory attached to a dynamic window

  // Transfers that a rank must wait for. `incoming`: puts and accumulates into this member's memory. The ranks that
  // started them wait for them, or this member does at the end of an epoch. `gets`: this member's own gets.
  std::vector<RequestId> incoming, gets;
  Mutex list_mutex;    // protects `incoming` and `gets` (rma/closing.hpp)
  Mutex atomic_mutex;  // held during fetching accumulates and compare-and-swaps at this member
  struct Handed {
    RequestId id;
    std::uint64_t sequence;  // detects whether the request's slot has been reused
  };
  std::vector<Handed> handed_out;  // this member's gets whose requests the program has (MPI_Rget)

  // State as an origin: the members that this rank may access.
  bool fenced = false;        // between two fences
  bool fence_in_use = false;  // has accessed memory since the last fence
  bool locked_all = false;
  std::unordered_map<std::int32_t, bool> locked;  // target -> lock is exclusive; looked up, never iterated
  bool started = false;
  std::vector<std::int32_t> start_group;  // sorted
  // State of the member as a target: the ranks that may access its memory.
  bool posted = false;
  std::vector<std::int32_t> post_group;
  std::vector<RequestId> completions;  // completion messages of the group; empty until requested
  bool completions_asked_for = false;

  bool freed = false;  // the member is inside MPI_Win_free, or has left it
};

struct Window {
  std::int32_t handle = 0;
  WindowFlavor flavor = WindowFlavor::kCreate;
  Communicator* communicator = nullptr;  // belongs to the window alone
  std::int32_t parent = 0;               // handle of the program's communicator, which may have been freed
  std::vector<WindowMember> members;
  WindowLocks locks;
  std::vector<std::unique_ptr<char[]>> memory;  // allocated with the window
  int flavor_as_int = 0, model = 2;             // MPI_Win_get_attr returns their addresses; model 2 is MPI_WIN_UNIFIED

  std::int32_t size() const { return static_cast<std::int32_t>(members.size()); }
  RankId world(std::int32_t member) const { return communicator->world(member); }
  WindowMember& mine() { return members[communicator->my_rank()]; }
};

// Returns the window of a handle, or null for an invalid handle.
Window* find_window(std::int32_t handle);

// Creates a window over the members of a communicator that belongs to the window alone. `parent` is the communicator
// that the program passed. Members share the handle.
Window& add_window(WindowFlavor flavor, Communicator& communicator, Communicator& parent);
void remove_window(std::int32_t handle);  // also frees its memory

// Frees all windows. Windows made outside ranks exist until the next simulation begins.
void reset_windows();

// Returns whether a member's memory no longer exists: its host has failed, or its rank has ended and the memory
// belonged to the program. Memory allocated with the window outlives the rank.
bool memory_is_gone(const Window& window, std::int32_t member);

// The rank whose lock prevents another rank from locking a member (target -1: all members), and the member concerned.
struct BlockingLock {
  std::int32_t target;
  RankId holder;  // -1: earlier requests that are still waiting
};
BlockingLock find_blocking_lock(std::int32_t window, std::int32_t target);

// Returns the address of `displacement` in a member's memory. Returns null unless the whole range lies in the window:
// `length` bytes that begin `offset` bytes after this address.
char* address_in(const Window& window, std::int32_t member, std::int64_t displacement, std::int64_t offset,
                 std::int64_t length);

}  // namespace pysmpi
