// Communicators as the engine sees them: a context that separates traffic, and a table of ranks. Groups, names,
// attributes and the rules of MPI live in Python (pysmpi/mpi/communicator.py).
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"
#include "matching/topology.hpp"

namespace pysmpi {

// An ordered set of world ranks, kept as a stride when it is one (worlds, rows and columns of grids), else as a table.
class RankTable {
 public:
  RankTable() = default;
  explicit RankTable(std::vector<RankId> world_ranks);

  std::int32_t size() const { return size_; }
  RankId world(std::int32_t rank) const { return table_.empty() ? first_ + stride_ * rank : table_[rank]; }
  std::int32_t rank_of(RankId world) const;  // -1 when not a member

 private:
  RankId first_ = 0, stride_ = 1;
  std::int32_t size_ = 0;
  std::vector<RankId> table_;
  std::unordered_map<RankId, std::int32_t> index_;  // looked up, never iterated
};

struct NodeMap;

// The numbers that a member's next collectives have. Nonblocking and persistent ones are numbered apart from blocking
// ones, as in MPICH and Open MPI: MPI wants one order for all, but programs (mpi4py's tests of Comm.Iagree) do not keep
// to it where the two kinds meet.
struct NextCollectives {
  std::uint32_t blocking = 0;     // even
  std::uint32_t nonblocking = 1;  // odd
};

struct Communicator {
  std::int32_t handle = 0;
  std::uint32_t context = 0;                      // even; collectives use context + 1
  bool self = false;                              // MPI_COMM_SELF: its one member is whoever asks
  RankTable ranks;                                // of an intercommunicator: the local group
  std::vector<NextCollectives> next_collectives;  // by member
  std::int32_t held = 0;                          // by collectives that are under way or can be started
  bool freed = false;                             // by all its members; it stays for those

  // An intercommunicator is one of these for each group, with the same context: `remote` is the other group, `local` an
  // intracommunicator of this group for what collectives do inside it, `leaders` one of the first rank of either group.
  // `first` tells the two groups apart.
  std::unique_ptr<RankTable> remote = nullptr;
  Communicator* local = nullptr;
  Communicator* leaders = nullptr;
  Communicator* other_side = nullptr;  // that of the other group; null once it has been freed
  bool first = true;

  std::shared_ptr<Topology> topology = nullptr;  // null: none. Its duplicates have the same one

  std::shared_ptr<NodeMap> nodes = nullptr;  // once node_map has been asked

  std::int32_t window = 0;  // handle of the window whose own it is; 0: the program's

  bool inter() const { return remote != nullptr; }
  std::int32_t size() const { return self ? 1 : ranks.size(); }
  RankId world(std::int32_t rank) const;
  std::int32_t my_rank() const;  // of the running rank; -1 when not a member

  // Those to whom messages go and from whom they come: the members, or the remote group of an intercommunicator.
  const RankTable& peers() const { return remote ? *remote : ranks; }
  std::int32_t peer_count() const { return self ? 1 : peers().size(); }
  RankId peer_world(std::int32_t peer, RankId owner) const { return self ? owner : peers().world(peer); }
};

// Null when the handle names no communicator. MPI_COMM_WORLD is that of the running rank, or of another one.
Communicator* find_communicator(std::int32_t handle);
Communicator* find_communicator_of(RankId rank, std::int32_t handle);

std::uint32_t new_context();  // that no communicator has

// Registers a communicator with these members; returns its handle. Its members share the handle, which may be that of
// one that has been freed.
std::int32_t add_communicator(const std::vector<RankId>& world_ranks);

// The same for an intercommunicator between two groups. Returns the handle that the first group's members share; the
// second group has one of its own.
std::int32_t add_intercommunicator(const std::vector<RankId>& first, const std::vector<RankId>& second);
void remove_communicator(std::int32_t handle);  // once all its members have freed it

void hold_communicator(Communicator& communicator);
void release_communicator(Communicator& communicator);

void begin_communicators(RankId ranks);      // a world of `ranks`
void add_world(RankId first, RankId ranks);  // another one, of spawned ranks
void end_communicators();                    // a world of one, as outside simulations

}  // namespace pysmpi
