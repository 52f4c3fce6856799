// Swing (De Sensi, Bonato, Saam, Hoefler: "Swing: Short-cutting Rings for Higher Bandwidth Allreduce", NSDI 2024):
// ranks exchange at distances 1, -1, 3, -5, 11, ..., which cross fewer links on a ring or torus than powers of two.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "collectives/allreduce/allreduce.hpp"
#include "collectives/allreduce/stages.hpp"

namespace pysmpi {

namespace {

// Returns the distance between partners at a step: 1, then 1 - 2, then 1 - 2 + 4, and so on. Every distance is odd, so
// even ranks meet odd ranks.
std::int64_t distance_at(int step) {
  std::int64_t distance = 0, term = 1;
  for (int i = 0; i <= step; ++i, term *= -2) distance += term;
  return distance;
}

int peer_of(int rank, int step, int size) {
  const std::int64_t distance = distance_at(step) % size;
  return static_cast<int>((rank + (rank % 2 == 0 ? distance : -distance) + size) % size);
}

// The blocks that each rank sends in each step. A rank sends its partial sum of a block in the last step from which the
// sum can still reach the rank that owns the block. The number of ranks must be even. The table is computed for rank 0
// and gives the numbers of blocks. For another even rank r, block b of the table stands for block r + b; for an odd
// rank, it stands for block r - b (both modulo the number of ranks).
//
// Example with 4 ranks (distances 1, -1): in the last step rank 0 meets rank 3 and sends it block 3. In the first step
// rank 0 meets rank 1 and sends it blocks 1 and 2; rank 1 forwards block 2 to rank 2 in the last step.
class Timetable {
 public:
  explicit Timetable(int size) : size_(size) {
    while ((1LL << steps_) < size) ++steps_;
    begin_.resize(steps_ + 1);
    // Go backwards through the steps and collect the ranks that data of rank 0 can reach from each step on: rank 0
    // itself, and the ranks that its peer of this step reaches in later steps.
    std::vector<bool> known(size);
    offsets_ = {0};
    known[0] = true;
    for (int step = steps_ - 1; step >= 0; --step) {
      begin_[step + 1] = static_cast<int>(offsets_.size());
      const int peer = peer_of(0, step, size);
      for (int i = 0; i < begin_[step + 1]; ++i) {
        const int offset = ((peer - offsets_[i]) % size + size) % size;  // the peer is odd, so its table is mirrored
        if (known[offset]) continue;
        known[offset] = true;
        offsets_.push_back(offset);
      }
    }
    begin_[0] = size;
  }

  int steps() const { return steps_; }
  template <class Visit>
  void each_given(int rank, int step, Visit&& visit) const {
    for (int i = begin_[step + 1]; i < begin_[step]; ++i) {
      visit((rank % 2 == 0 ? rank + offsets_[i] : rank - offsets_[i] + size_) % size_);
    }
  }

 private:
  int size_, steps_ = 0;
  std::vector<int> offsets_;  // 0 for the rank itself, then offsets of the last step, ..., of the first step
  std::vector<int> begin_;    // step s has the offsets from begin_[s + 1] to begin_[s] - 1
};

// Returns the timetable for `size` ranks. The timetable is computed once and shared by all ranks.
const Timetable& timetable_of(int size) {
  static std::unordered_map<int, Timetable> timetables;
  return timetables.try_emplace(size, size).first->second;
}

// The vector, divided into one block for each rank that takes part. In each step a rank sends the blocks that the
// timetable gives.
class Blocks {
 public:
  Blocks(const Arguments& args, int ranks) : count_(args.receive_count), type_(args.receive_type), ranks_(ranks) {}
  std::int64_t begin(int block) const {
    return block * (count_ / ranks_) + std::min<std::int64_t>(block, count_ % ranks_);
  }
  std::int64_t length(int block) const { return begin(block + 1) - begin(block); }

  // Calls visit(first element, number of elements, elements before it in the message) for each block. Returns the total
  // number of elements.
  template <class Visit>
  std::int64_t each_given(int rank, int step, Visit&& visit) const {
    std::int64_t before = 0;
    timetable_.each_given(rank, step, [&](int block) {
      visit(begin(block), length(block), before);
      before += length(block);
    });
    return before;
  }
  std::int64_t pack(int rank, int step, const char* from, char* to) const {
    const std::int64_t extent = find_datatype(type_)->extent;
    return each_given(rank, step, [&](std::int64_t first, std::int64_t length, std::int64_t before) {
      local_copy(from + first * extent, length, type_, to + before * extent, length, type_);
    });
  }
  std::int64_t unpack(int rank, int step, const char* from, char* to) const {
    const std::int64_t extent = find_datatype(type_)->extent;
    return each_given(rank, step, [&](std::int64_t first, std::int64_t length, std::int64_t before) {
      local_copy(from + before * extent, length, type_, to + first * extent, length, type_);
    });
  }
  std::int64_t given(int rank, int step) const {
    return each_given(rank, step, [](std::int64_t, std::int64_t, std::int64_t) {});
  }
  int steps() const { return timetable_.steps(); }

 private:
  std::int64_t count_;
  std::int32_t type_;
  int ranks_;
  const Timetable& timetable_ = timetable_of(ranks_);
};

// The role of the last rank if the number of ranks is odd. The rank sends each block of its vector to the rank that
// reduces this block, and later receives the reduced blocks. It exchanges nothing else.
Schedule stand_by(Runner& run, Arguments args, Blocks blocks) {
  for (int other = 0; other < run.size - 1; ++other) {
    run.send(other, args.receive_at(blocks.begin(other)), blocks.length(other), args.receive_type);
  }
  co_await run.round();
  for (int other = 0; other < run.size - 1; ++other) {
    run.receive(other, args.receive_at(blocks.begin(other)), blocks.length(other), args.receive_type);
  }
  co_await run.round();
}

// Reduce-scatter, then allgather. In each step of the first phase a rank sends the blocks that belong to its peer or to
// ranks that the peer meets later. The second phase repeats the steps in reverse order: the reduced blocks return to
// the ranks from which their parts came.
Schedule swing_blocks(Runner& run, Arguments args) {
  const int rank = run.rank, swinging = run.size - run.size % 2;
  local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  if (swinging == 0) co_return;
  const Blocks blocks(args, swinging);
  if (rank == swinging) {
    co_await stand_by(run, args, blocks);
    co_return;
  }
  const Scratch out(args.receive_count, args.receive_type, args.receive),
      in(args.receive_count, args.receive_type, args.receive);
  auto* const result = static_cast<char*>(args.receive);
  char* const mine = args.receive_at(blocks.begin(rank));
  const bool one_stands_by = swinging < run.size;
  if (one_stands_by) {
    co_await run.receive_now(swinging, in.data(), blocks.length(rank), args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, in.data(), mine, blocks.length(rank));
  }
  for (int step = 0; step < blocks.steps(); ++step) {
    const int peer = peer_of(rank, step, swinging);
    const std::int64_t given = blocks.pack(rank, step, result, out.data()), taken = blocks.given(peer, step);
    co_await run.exchange(peer, out.data(), given, args.receive_type, peer, in.data(), taken, args.receive_type);
    // The blocks are copied side by side, so that one reduction suffices.
    blocks.pack(peer, step, result, out.data());
    co_await run.reduce(args.reduction, args.receive_type, in.data(), out.data(), taken);
    blocks.unpack(peer, step, out.data(), result);
  }
  for (int step = blocks.steps() - 1; step >= 0; --step) {
    const int peer = peer_of(rank, step, swinging);
    const std::int64_t given = blocks.pack(peer, step, result, out.data()), taken = blocks.given(rank, step);
    co_await run.exchange(peer, out.data(), given, args.receive_type, peer, in.data(), taken, args.receive_type);
    blocks.unpack(rank, step, in.data(), result);
  }
  if (one_stands_by) co_await run.send_now(swinging, mine, blocks.length(rank), args.receive_type);
}

// Exchanges whole vectors in each step, among a power-of-two number of ranks.
Schedule swing_vectors(Runner& run, Arguments args) {
  auto* const result = static_cast<char*>(args.receive);
  const Scratch other(args.receive_count, args.receive_type, args.receive);
  local_copy(args.send, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  const PowerOfTwo among(Line(run), 1);
  co_await fold_in(run, args, among, result, other.data());
  for (int step = 0; among.number() >= 0 && step < among.levels; ++step) {
    const int partner = among.rank_of(peer_of(among.number(), step, among.power));
    co_await run.exchange(partner, result, args.receive_count, args.receive_type, partner, other.data(),
                          args.receive_count, args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, other.data(), result, args.receive_count);
  }
  co_await fold_out(run, args, among, result);
}

}  // namespace

Schedule allreduce_swing_bandwidth(Runner& run, Arguments args) {
  return args.reduction.commutative ? swing_blocks(run, args)
                                    : allreduce_doubling_instead_of("swing_bandwidth", run, args);
}

Schedule allreduce_swing_latency(Runner& run, Arguments args) {
  return args.reduction.commutative ? swing_vectors(run, args)
                                    : allreduce_doubling_instead_of("swing_latency", run, args);
}

}  // namespace pysmpi
