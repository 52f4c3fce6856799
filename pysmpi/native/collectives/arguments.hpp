// The arguments of a collective, as its algorithm sees them on one rank.
#pragma once

#include <cstdint>
#include <cstring>

#include "datatypes/datatype.hpp"
#include "datatypes/reduction.hpp"
#include "rank_memory/folded.hpp"
#include "schedule/runner.hpp"
#include "schedule/schedule.hpp"

namespace pysmpi {

enum class Operation : std::uint8_t {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kScan,
  kExscan,
  kReduceScatter,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kAlltoall,
  kAlltoallv,
  kAlltoallw,
  kNeighborAllgather,
  kNeighborAllgatherv,
  kNeighborAlltoall,
  kNeighborAlltoallv,
  kNeighborAlltoallw,
};
inline constexpr int kOperations = static_cast<int>(Operation::kNeighborAlltoallw) + 1;

// Counts, displacements or datatypes with one entry for each rank: the caller's array of int, MPI_Count or MPI_Aint.
// The array is not copied unless move_to_copy is called.
class Integers {
 public:
  Integers() = default;
  template <class Integer>
  Integers(const Integer* values) : values_(values), width_(sizeof(Integer)) {}

  explicit operator bool() const { return values_ != nullptr; }
  std::int64_t operator[](std::int64_t i) const {
    return width_ == sizeof(std::int32_t) ? static_cast<const std::int32_t*>(values_)[i]
                                          : static_cast<const std::int64_t*>(values_)[i];
  }
  const void* data() const { return values_; }

  // Replaces the caller's array by a copy of its first `count` entries. The caller must keep the returned memory alive.
  Scratch move_to_copy(std::int64_t count) {
    const std::int64_t bytes = count * static_cast<std::int64_t>(width_);
    Scratch copy(bytes);
    if (bytes == 0) return copy;
    std::memcpy(copy.data(), values_, bytes);
    values_ = copy.data();
    return copy;
  }

 private:
  const void* values_ = nullptr;
  std::size_t width_ = 0;
};

// The arguments of the MPI call, with MPI_IN_PLACE resolved. The memory at `send` and `receive` never overlaps, except
// that a block that a rank keeps may have the same address on both sides. Broadcasts use only the receive side.
// Reductions use the count and datatype of the receive side. Counts are in elements, displacements in extents (in bytes
// for alltoallw).
struct Arguments {
  const void* send = nullptr;
  void* receive = nullptr;
  std::int64_t send_count = 0, receive_count = 0;
  std::int32_t send_type = 0, receive_type = 0;  // MPI_Datatype handles
  Integers send_counts, send_displacements, send_types;
  Integers receive_counts, receive_displacements, receive_types;
  // Lengths of the arrays above: numbers of ranks, or of neighbours in neighbourhood collectives, to which blocks are
  // sent, and from which blocks are received.
  std::int32_t send_blocks = 0, receive_blocks = 0;
  Reduction reduction;
  std::int32_t root = 0;
  bool at_root = false;
  bool in_place = false;    // the call passed MPI_IN_PLACE
  bool persistent = false;  // MPI_Start has started this persistent collective
  // The number in the algorithm's name, such as 4 in "ring-4", or bytes of a segment, or 0 for none.
  std::int32_t parameter = 0;

  std::int64_t send_extent() const { return find_datatype(send_type)->extent; }
  std::int64_t receive_extent() const { return find_datatype(receive_type)->extent; }
  const char* send_at(std::int64_t element) const { return static_cast<const char*>(send) + element * send_extent(); }
  char* receive_at(std::int64_t element) const { return static_cast<char*>(receive) + element * receive_extent(); }

  // Returns whether two blocks of the rank are one. All folded arrays lie at one address.
  bool is_one_block(const void* one, const void* other) const { return one == other && (in_place || !is_folded(one)); }

  // Elements that rank i receives. MPI_Reduce_scatter_block and similar calls have one count for all ranks.
  std::int64_t receive_count_of(int i) const { return receive_counts ? receive_counts[i] : receive_count; }

  bool has_equal_receive_counts() const {
    for (int i = 1; receive_counts && i < receive_blocks; ++i) {
      if (receive_counts[i] != receive_counts[0]) return false;
    }
    return true;
  }

  // Sum of the counts of all ranks, in elements.
  std::int64_t total_receive_count() const {
    std::int64_t total = 0;
    for (int i = 0; i < receive_blocks; ++i) total += receive_count_of(i);
    return total;
  }

  std::int64_t total_receive_bytes() const {
    const std::int64_t count = total_receive_count();
    return count == 0 ? 0 : count * find_datatype(receive_type)->size;
  }

  // Calls `visit` for each datatype handle of the call.
  template <class Visit>
  void each_type(Visit&& visit) const {
    visit(send_type);
    visit(receive_type);
    for (int i = 0; send_types && i < send_blocks; ++i) visit(static_cast<std::int32_t>(send_types[i]));
    for (int i = 0; receive_types && i < receive_blocks; ++i) visit(static_cast<std::int32_t>(receive_types[i]));
  }
  // Calls `visit(vector, length)` for each array of counts, displacements or datatypes.
  template <class Visit>
  void each_vector(Visit&& visit) {
    for (Integers* vector : {&send_counts, &send_displacements, &send_types}) {
      if (*vector) visit(*vector, send_blocks);
    }
    for (Integers* vector : {&receive_counts, &receive_displacements, &receive_types}) {
      if (*vector) visit(*vector, receive_blocks);
    }
  }

  // Bytes of one rank's block, or of the whole buffer for broadcasts and reductions. Decision tables select by this
  // size.
  std::int64_t send_bytes() const { return send_count == 0 ? 0 : send_count * find_datatype(send_type)->size; }
  std::int64_t receive_bytes() const {
    return receive_count == 0 ? 0 : receive_count * find_datatype(receive_type)->size;
  }

  // Bytes of one block of a gather or a scatter; `rank` is the number of this rank. Receive arguments of a gather and
  // send arguments of a scatter are valid on the root only.
  std::int64_t gather_bytes(std::int32_t rank) const { return rank == root ? receive_bytes() : send_bytes(); }
  std::int64_t scatter_bytes(std::int32_t rank) const { return rank == root ? send_bytes() : receive_bytes(); }
};

using Algorithm = Schedule (*)(Runner& run, Arguments args);

inline constexpr std::int32_t kByte = 0x4c00010d;  // MPI_BYTE of MPICH's ABI

}  // namespace pysmpi
