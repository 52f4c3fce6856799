// Communicators as the engine sees them: a context, which separates their messages, and a table of ranks. Groups,
// names, attributes and MPI's rules are in Python (pysmpi/simulation/mpi/communicator.py).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "matching/topology.hpp"

namespace pysmpi {

// An ordered set of world ranks. If they have a constant stride (a world, or a row or column of a grid), only the
// stride is stored; otherwise a table.
class RankTable {
 public:
  RankTable() = default;
  explicit RankTable(std::vector<RankId> world_ranks);

  std::int32_t size() const { return size_; }
  RankId world(std::int32_t rank) const { return table_.empty() ? first_ + stride_ * rank : table_[rank]; }
  std::int32_t rank_of(RankId world) const;  // -1 if not a member

 private:
  RankId first_ = 0, stride_ = 1;
  std::int32_t size_ = 0;
  std::vector<RankId> table_;
  std::unordered_map<RankId, std::int32_t> index_;  // only looked up, so its order does not matter
};

struct NodeMap;

// Sequence numbers of a member's next collectives. Nonblocking and persistent collectives are counted apart from
// blocking ones, as in MPICH and Open MPI. MPI requires the same order of all collectives on all ranks. Some programs
// (mpi4py's tests of Comm.Iagree) start nonblocking and blocking collectives in an order that differs among ranks; with
// separate counts, these programs work.
struct NextCollectives {
  std::uint32_t blocking = 0;     // even
  std::uint32_t nonblocking = 1;  // odd
};

struct Communicator {
  std::int32_t handle = 0;
  std::uint32_t context = 0;                      // even; collectives use context + 1
  bool self = false;                              // MPI_COMM_SELF, whose only member is the calling rank
  RankTable ranks;                                // members; for an intercommunicator, the members of the local group
  std::vector<NextCollectives> next_collectives;  // indexed by member
  std::int32_t held = 0;            // number of users (hold_communicator) that keep the communicator alive
  bool freed = false;               // all members have freed the communicator; it exists until `held` is zero
  std::vector<bool> freed_by = {};  // for each member, whether it has freed the communicator; empty if none has

  // An intercommunicator consists of two Communicator objects, one for each group, with the same context. `ranks` is
  // the object's own group and `remote` the other one. Collectives use two intracommunicators: `local` contains the own
  // group, `leaders` the first ranks of both groups. `first` is true in the object of the group that was named first
  // when the intercommunicator was created.
  std::unique_ptr<RankTable> remote = nullptr;
  Communicator* local = nullptr;
  Communicator* leaders = nullptr;
  Communicator* other_side = nullptr;  // the other group's communicator; null once it is freed
  bool first = true;

  std::shared_ptr<Topology> topology = nullptr;  // null without a topology; duplicates share the topology

  std::shared_ptr<NodeMap> nodes = nullptr;                // set by the first call of node_map
  std::shared_ptr<NodeMap> nodes_in_rank_order = nullptr;  // set by the first call of node_map_in_rank_order

  // Handle of the window that owns the communicator; 0 if the program owns it.
  std::int32_t window = 0;
  std::string title;                       // for reports, such as "MPI_COMM_WORLD"
  std::vector<std::int32_t> windows = {};  // handles of the windows that the program has created on it

  bool inter() const { return remote != nullptr; }
  std::int32_t size() const { return self ? 1 : ranks.size(); }
  RankId world(std::int32_t rank) const;
  std::int32_t my_rank() const;  // the running rank's rank in the communicator; -1 if it is not a member

  // Return the ranks with which members exchange messages: the members, or the remote group of an intercommunicator.
  const RankTable& peers() const { return remote ? *remote : ranks; }
  std::int32_t peer_count() const { return self ? 1 : peers().size(); }
  RankId peer_world(std::int32_t peer, RankId owner) const { return self ? owner : peers().world(peer); }
};

// Return the communicator with this handle, or null if the handle is not valid. The handle MPI_COMM_WORLD means the
// world of the running rank, or of `rank`.
Communicator* find_communicator(std::int32_t handle);
Communicator* find_communicator_of(RankId rank, std::int32_t handle);

// Return the communicator with this handle for a call of the program, or null if the handle is not valid or the running
// rank has freed it. Other members may still use a communicator that the running rank has freed.
Communicator* find_own_communicator(std::int32_t handle);

std::uint32_t new_context();  // returns a context that no communicator has used

// Register a communicator with these members and return its handle, which the members share. Handles of freed
// communicators are reused.
std::int32_t add_communicator(const std::vector<RankId>& world_ranks);

// Register an intercommunicator. Returns the handle for the members of the first group; the members of the second group
// have another handle.
std::int32_t add_intercommunicator(const std::vector<RankId>& first, const std::vector<RankId>& second);
void leave_communicator(std::int32_t handle);   // the running rank has freed it
void remove_communicator(std::int32_t handle);  // call it once all members have freed it

// Set the title of a communicator and of the communicators that it consists of.
void set_title(Communicator& communicator, const std::string& title);

// Keep a communicator alive, even if the program frees it, until release_communicator has been called as often as this
// function.
void hold_communicator(Communicator& communicator);
void release_communicator(Communicator& communicator);

void add_world(RankId first, RankId ranks);  // adds a world of spawned ranks

// All communicators of a simulation.
struct Communicators : SimulationPart<Communicators> {
  explicit Communicators(RankId ranks);  // number of ranks in MPI_COMM_WORLD

  Communicator world, self;
  std::vector<std::unique_ptr<Communicator>> spawned_worlds;
  std::vector<Communicator*> world_of_spawned;        // indexed by rank, beginning after the first world
  std::vector<std::unique_ptr<Communicator>> others;  // null if freed
  std::vector<std::uint32_t> unused;                  // free indices in `others`
  std::uint32_t next_context = 4;  // contexts are never reused; the predefined communicators have 0 and 2
};

}  // namespace pysmpi
