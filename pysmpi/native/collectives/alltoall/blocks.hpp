// Access to the blocks of an alltoall, common to MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

class AlltoallBlocks {
 public:
  // The runner and the arguments must outlive this object.
  AlltoallBlocks(Runner& run, const Arguments& arguments)
      : run_(run),
        a_(arguments),
        send_step_(a_.send_types ? 1 : a_.send_extent()),
        receive_step_(a_.receive_types ? 1 : a_.receive_extent()) {}

  void receive(int from) const { receive(from, from); }
  void send(int to) const { send(to, to); }
  // Exchange a block with a peer whose number is not the block's, as on an intercommunicator.
  void receive(int peer, int block) const { run_.receive(peer, in(block), in_count(block), in_type(block)); }
  void send(int peer, int block) const { run_.send(peer, out(block), out_count(block), out_type(block)); }
  [[nodiscard]] auto start_send(int to, SendMode mode) const {
    return run_.start_send(to, out(to), out_count(to), out_type(to), mode);
  }
  [[nodiscard]] auto exchange(int to, int from) const {
    send(to);
    receive(from);
    return run_.round();
  }
  void copy_own() const {
    const int rank = run_.rank;
    local_copy(out(rank), out_count(rank), out_type(rank), in(rank), in_count(rank), in_type(rank));
  }

  // Blocks as contiguous bytes. out_bytes: size of the block for rank `to`. pack: copies that block to `row`, without
  // gaps. unpack: copies `bytes` bytes from `row` to the place of the block from rank `from`, and returns false if
  // there are more bytes than fit.
  std::int64_t out_bytes(int to) const { return out_count(to) * find_datatype(out_type(to))->size; }
  std::int64_t in_bytes(int from) const { return in_count(from) * find_datatype(in_type(from))->size; }
  void pack(int to, char* row) const { local_copy(out(to), out_count(to), out_type(to), row, out_bytes(to), kByte); }
  bool unpack(int from, const char* row, std::int64_t bytes) const {
    local_copy(row, bytes, kByte, in(from), in_count(from), in_type(from));
    return bytes <= in_count(from) * find_datatype(in_type(from))->size;
  }

  std::int64_t out_count(int to) const { return a_.send_counts ? a_.send_counts[to] : a_.send_count; }
  std::int64_t in_count(int from) const { return a_.receive_counts ? a_.receive_counts[from] : a_.receive_count; }

 private:
  const void* out(int to) const {
    const std::int64_t at = a_.send_counts ? a_.send_displacements[to] : to * a_.send_count;
    return static_cast<const char*>(a_.send) + at * send_step_;
  }
  void* in(int from) const {
    const std::int64_t at = a_.receive_counts ? a_.receive_displacements[from] : from * a_.receive_count;
    return static_cast<char*>(a_.receive) + at * receive_step_;
  }
  std::int32_t out_type(int to) const {
    return a_.send_types ? static_cast<std::int32_t>(a_.send_types[to]) : a_.send_type;
  }
  std::int32_t in_type(int from) const {
    return a_.receive_types ? static_cast<std::int32_t>(a_.receive_types[from]) : a_.receive_type;
  }

  Runner& run_;
  const Arguments& a_;
  const std::int64_t send_step_, receive_step_;  // bytes per unit of displacement
};

}  // namespace pysmpi
