// Windows as the engine sees them: each member's memory, what is under way to it, who has locked it, and between which
// calls its ranks may access which memory. Names, info and groups are Python's (pysmpi/mpi/window.py).
//
// What one-sided communication costs is what it costs in SMPI (SimGrid 3.32, src/smpi/mpi/smpi_win.cpp). It needs
// nothing of the target's rank, as with remote direct memory access in hardware:
// - A put is a message of its bytes from the origin to the target, a get one from the target to the origin; both leave
//   at once, at the cost of a nonblocking send (smpi/ois) in the origin. What a get reads leaves with its message; what
//   a put writes is there when its message arrives. To the rank itself either is a copy that takes no time.
// - An accumulate is a message as well, also to the rank itself, and has been carried out when the call returns.
// - What fetches and accumulates is a get and then an accumulate, one after the other; compare and swap is a get and,
//   if it swaps, a put. Those of all ranks to one target take turns. Memory changes in one moment, at their end.
// - A flush waits for what this rank has under way to or from a member, and whoever waits for a message pays what its
// receipt
//   costs (smpi/or).
// - A fence is a barrier before, but for MPI_MODE_NOPRECEDE, the wait for what is under way to this rank's memory, and
// a
//   barrier. Post and complete send a message of no bytes to each rank, start and wait receive them.
// - Locks cost no messages, only the wait for those who hold them. Unlike SMPI's, they do exclude each other, in the
//   order in which they were asked for, and an unlock waits for what is under way before it lets others go on.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "matching/communicator.hpp"
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
  int displacement_unit_as_int = 1;  // where MPI_Win_get_attr points
  std::vector<Region> attached;      // of a dynamic window

  // Transfers that somebody has to wait for: puts and accumulates into this member's memory, by whoever has begun them
  // or, at the end of an epoch, by this member; and its own gets.
  std::vector<RequestId> incoming, gets;
  struct Handed {
    RequestId id;
    std::uint64_t sequence;  // the request is still this one
  };
  std::vector<Handed> handed_out;  // its own gets whose requests the program has: MPI_Rget

  // Of this member as an origin: whom it may access.
  bool fenced = false;        // between two fences
  bool fence_in_use = false;  // and has accessed something since the last one
  bool locked_all = false;
  std::unordered_map<std::int32_t, bool> locked;  // targets; exclusively. Looked up, never iterated
  bool started = false;
  std::vector<std::int32_t> start_group;  // sorted
  // And as a target.
  bool posted = false;
  std::vector<std::int32_t> post_group;
  std::vector<RequestId> completions;  // the messages of those in the group; empty before they are asked for
  bool completions_asked_for = false;
};

struct Window {
  std::int32_t handle = 0;
  WindowFlavor flavor = WindowFlavor::kCreate;
  Communicator* communicator = nullptr;  // its own
  std::vector<WindowMember> members;
  WindowLocks locks;
  WindowLocks turns;                            // of those who fetch and accumulate
  std::vector<std::unique_ptr<char[]>> memory;  // that was allocated with it
  int flavor_as_int = 0, model = 2;             // where MPI_Win_get_attr points; MPI_WIN_UNIFIED

  std::int32_t size() const { return static_cast<std::int32_t>(members.size()); }
  RankId world(std::int32_t member) const { return communicator->world(member); }
  WindowMember& mine() { return members[communicator->my_rank()]; }
};

// Null when the handle names no window.
Window* find_window(std::int32_t handle);

// A window over the members of a communicator, which becomes its own. Members share the handle.
Window& add_window(WindowFlavor flavor, Communicator& communicator);
void remove_window(std::int32_t handle);  // with its memory
void reset_windows();

// A member's memory is there no more: its host has failed, or its rank has ended and the memory was the program's own.
// What was allocated with the window stays as long as that.
bool memory_is_gone(const Window& window, std::int32_t member);

// Whose lock keeps a rank from locking this member of a window (-1: all of it), and on which member's memory it is.
struct LockObstacle {
  std::int32_t target;
  RankId holder;  // -1: those who wait before it
};
LockObstacle find_obstacle(std::int32_t window, std::int32_t target);

// Where `length` bytes from the displacement on, moved by `offset` bytes, lie in a member's memory; null when they are
// not all in the window.
char* address_in(const Window& window, std::int32_t member, std::int64_t displacement, std::int64_t offset,
                 std::int64_t length);

}  // namespace pysmpi
