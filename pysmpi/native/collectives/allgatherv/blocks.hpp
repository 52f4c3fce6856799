// The ranks' blocks in the receive buffer of an allgatherv.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

inline char* block_of(const Arguments& args, int rank) { return args.receive_at(args.receive_displacements[rank]); }

inline void place_own_block(const Runner& run, const Arguments& args) {
  local_copy(args.send, args.send_count, args.send_type, block_of(args, run.rank), args.receive_counts[run.rank],
             args.receive_type);
}

// The blocks of consecutive ranks (rank 0 follows the last one) as one message of bytes. Refers to the buffer itself if
// the blocks are contiguous, else to a copy.
class JoinedBlocks {
 public:
  // `filled`: true if the blocks have contents to be copied, false if they are only written to.
  JoinedBlocks(const Arguments& args, int first, int blocks, bool filled)
      : a_(args), first_(first), blocks_(blocks), element_(find_datatype(args.receive_type)->size) {
    in_row_ = find_datatype(args.receive_type)->contiguous;
    for (int i = 0; i < blocks; ++i) {
      const int rank = rank_of(i);
      size_ += args.receive_counts[rank] * element_;
      in_row_ = in_row_ && (i == 0 || block_of(args, rank) == block_of(args, first) + size_before(rank));
    }
    if (in_row_) return;
    copy_ = Scratch(size_, kByte, args.receive);
    if (!filled) return;
    each([&args](char* block, std::int64_t count, char* joined, std::int64_t bytes) {
      local_copy(block, count, args.receive_type, joined, bytes, kByte);
    });
  }

  char* data() const { return in_row_ ? block_of(a_, first_) : copy_.data(); }
  std::int64_t size() const { return size_; }
  void unpack() const {  // copies the received message to the blocks
    if (in_row_) return;
    each([this](char* block, std::int64_t count, const char* joined, std::int64_t bytes) {
      local_copy(joined, bytes, kByte, block, count, a_.receive_type);
    });
  }

 private:
  int rank_of(int i) const { return (first_ + i) % a_.receive_blocks; }
  std::int64_t size_before(int last) const { return size_ - a_.receive_counts[last] * element_; }

  template <class Visit>
  void each(Visit&& visit) const {
    char* joined = copy_.data();
    for (int i = 0; i < blocks_; ++i) {
      const std::int64_t count = a_.receive_counts[rank_of(i)], bytes = count * element_;
      visit(block_of(a_, rank_of(i)), count, joined, bytes);
      joined += bytes;
    }
  }

  const Arguments& a_;
  const int first_, blocks_;
  const std::int64_t element_;
  std::int64_t size_ = 0;
  bool in_row_;
  Scratch copy_;
};

}  // namespace pysmpi
