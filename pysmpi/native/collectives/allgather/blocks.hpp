// The ranks' blocks in the receive buffer of an allgather.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

inline char* equal_block_of(const Arguments& a, int rank) { return a.receive_at(rank * a.receive_count); }

inline void place_own_equal_block(const Runner& run, const Arguments& a) {
  copy(a.send, a.send_count, a.send_type, equal_block_of(a, run.rank), a.receive_count, a.receive_type);
}

// MPI_Sendrecv of `blocks` consecutive blocks: sends those from block `leaving` on and receives those from block
// `arriving` on.
inline auto exchange_blocks(Runner& run, const Arguments& a, int to, int leaving, int from, int arriving, int blocks) {
  return run.exchange(to, equal_block_of(a, leaving), blocks * a.receive_count, a.receive_type, from,
                      equal_block_of(a, arriving), blocks * a.receive_count, a.receive_type);
}

// Some of SMPI's algorithms require blocks of the same length in memory on both sides.
inline bool has_equal_lengths(const Arguments& a) {
  return a.send_count * a.send_extent() == a.receive_count * a.receive_extent();
}
inline constexpr char kUnequalLengths[] = "send and receive blocks have different lengths in memory";

}  // namespace pysmpi
