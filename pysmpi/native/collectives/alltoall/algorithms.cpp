// Total exchanges.
#include "collectives/alltoall/alltoall.hpp"

namespace pysmpi {

// All receives, then all sends, at once.
Schedule alltoall_linear(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  copy(a.send_at(rank * a.send_count), a.send_count, a.send_type, a.receive_at(rank * a.receive_count), a.receive_count,
       a.receive_type);
  for (int i = 1; i < size; ++i) {
    const int from = (rank + i) % size;
    run.receive(from, a.receive_at(from * a.receive_count), a.receive_count, a.receive_type);
  }
  for (int i = 1; i < size; ++i) {
    const int to = (rank - i + size) % size;
    run.send(to, a.send_at(to * a.send_count), a.send_count, a.send_type);
  }
  co_await run.round();
}

// One partner a step: the exclusive-or schedule on powers of two, the ring of distances otherwise.
Schedule alltoall_pairwise(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  copy(a.send_at(rank * a.send_count), a.send_count, a.send_type, a.receive_at(rank * a.receive_count), a.receive_count,
       a.receive_type);
  const bool power_of_two = (size & (size - 1)) == 0;
  for (int i = 1; i < size; ++i) {
    const int to = power_of_two ? rank ^ i : (rank + i) % size;
    const int from = power_of_two ? to : (rank - i + size) % size;
    co_await run.exchange(to, a.send_at(to * a.send_count), a.send_count, a.send_type, from,
                          a.receive_at(from * a.receive_count), a.receive_count, a.receive_type);
  }
}

// Bruck, Ho, Kipnis, Upfal, Weathersby 1997: a block that has j ranks to go travels the powers of two that sum up to j.
Schedule alltoall_bruck(Runner& run, Arguments a) {
  const int rank = run.rank, size = run.size;
  const std::int64_t block = a.send_bytes();
  const Scratch blocks(size * block, kByte, a.receive), out(size * block, kByte, a.receive),
      in(size * block, kByte, a.receive);
  for (int j = 0; j < size; ++j) {
    copy(a.send_at((rank + j) % size * a.send_count), a.send_count, a.send_type, blocks.data() + j * block, block,
         kByte);
  }
  for (int distance = 1; distance < size; distance *= 2) {
    std::int64_t bytes = 0;
    for (int j = 1; j < size; ++j) {
      if (!(j & distance)) continue;
      copy(blocks.data() + j * block, block, kByte, out.data() + bytes, block, kByte);
      bytes += block;
    }
    co_await run.exchange((rank + distance) % size, out.data(), bytes, kByte, (rank - distance + size) % size,
                          in.data(), bytes, kByte);
    bytes = 0;
    for (int j = 1; j < size; ++j) {
      if (!(j & distance)) continue;
      copy(in.data() + bytes, block, kByte, blocks.data() + j * block, block, kByte);
      bytes += block;
    }
  }
  for (int j = 0; j < size; ++j) {
    copy(blocks.data() + j * block, block, kByte, a.receive_at((rank - j + size) % size * a.receive_count),
         a.receive_count, a.receive_type);
  }
}

Schedule alltoallv_linear(Runner& run, Arguments a) {
  for (int other = 0; other < run.size; ++other) {
    char* in = a.receive_at(a.receive_displacements[other]);
    if (other == run.rank) {
      copy(a.send_at(a.send_displacements[other]), a.send_counts[other], a.send_type, in, a.receive_counts[other],
           a.receive_type);
    } else {
      run.receive(other, in, a.receive_counts[other], a.receive_type);
    }
  }
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    run.send(other, a.send_at(a.send_displacements[other]), a.send_counts[other], a.send_type);
  }
  co_await run.round();
}

Schedule alltoallw_linear(Runner& run, Arguments a) {
  const auto out = [&a](int other) { return static_cast<const char*>(a.send) + a.send_displacements[other]; };
  const auto in = [&a](int other) { return static_cast<char*>(a.receive) + a.receive_displacements[other]; };
  const int rank = run.rank;
  copy(out(rank), a.send_counts[rank], a.send_types[rank], in(rank), a.receive_counts[rank], a.receive_types[rank]);
  for (int other = 0; other < run.size; ++other) {
    if (other != rank) run.receive(other, in(other), a.receive_counts[other], a.receive_types[other]);
  }
  for (int other = 0; other < run.size; ++other) {
    if (other != rank) run.send(other, out(other), a.send_counts[other], a.send_types[other]);
  }
  co_await run.round();
}

}  // namespace pysmpi
