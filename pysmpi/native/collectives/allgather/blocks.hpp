// The ranks' blocks in the receive buffer of an allgather.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

inline char* equal_block_of(const Arguments& args, int rank) { return args.receive_at(rank * args.receive_count); }

inline void place_own_equal_block(const Runner& run, const Arguments& args) {
  local_copy(args.send, args.send_count, args.send_type, equal_block_of(args, run.rank), args.receive_count,
             args.receive_type);
}

// Exchanges `blocks` consecutive blocks by MPI_Sendrecv: sends the blocks from `leaving` on to rank `to`, and receives
// the blocks from `arriving` on from rank `from`.
inline auto exchange_blocks(Runner& run, const Arguments& args, int to, int leaving, int from, int arriving,
                            int blocks) {
  return run.exchange(to, equal_block_of(args, leaving), blocks * args.receive_count, args.receive_type, from,
                      equal_block_of(args, arriving), blocks * args.receive_count, args.receive_type);
}

// Returns whether a block has the same length in memory on the send side and the receive side, as some of SMPI's
// algorithms require.
inline bool has_equal_lengths(const Arguments& args) {
  return args.send_count * args.send_extent() == args.receive_count * args.receive_extent();
}
inline constexpr char kUnequalLengths[] = "send and receive blocks have different lengths in memory";

}  // namespace pysmpi
