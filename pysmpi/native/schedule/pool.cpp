// Free lists of memory blocks by size.
#include "schedule/pool.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "datatypes/copy.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {

// Size classes: multiples of 64 bytes up to 4 KiB, because coroutine frames have few different sizes and each rank
// needs a frame of each size; then powers of two up to 64 KiB. Larger blocks come from the allocator.
constexpr std::size_t kStep = 64, kSteps = 64, kLargest = std::size_t{1} << 16;
constexpr std::size_t kClasses = kSteps + 5;  // numbered from 1

struct FreeBlock {
  FreeBlock* next;
};
FreeBlock* free_blocks[kClasses];

std::size_t size_class(std::size_t bytes) {
  return bytes <= kStep * kSteps ? (std::max<std::size_t>(bytes, 1) + kStep - 1) / kStep
                                 : kSteps + std::bit_width((bytes - 1) / (kStep * kSteps));
}

std::size_t length_of(std::size_t size_class) {
  return size_class <= kSteps ? kStep * size_class : kStep * kSteps << (size_class - kSteps);
}

}  // namespace

void* take_block(std::size_t bytes) {
  if (bytes > kLargest) return ::operator new(bytes);
  const std::size_t its_class = size_class(bytes);
  FreeBlock* block = free_blocks[its_class];
  if (!block) return ::operator new(length_of(its_class));
  free_blocks[its_class] = block->next;
  return block;
}

void give_block(void* block, std::size_t bytes) {
  if (bytes > kLargest) return ::operator delete(block);
  auto* freed = static_cast<FreeBlock*>(block);
  FreeBlock*& first = free_blocks[size_class(bytes)];
  freed->next = first;
  first = freed;
}

Scratch::Scratch(std::int64_t count, std::int32_t type, const void* like) {
  const Span span = span_of(count, type);
  if (span.length <= 0) return;
  if (is_folded(like) && static_cast<std::uintptr_t>(span.length) <= folded_length) {
    first_ = reinterpret_cast<char*>(folded_begin);
    return;
  }
  bytes_ = static_cast<std::size_t>(span.length);
  block_ = take_block(bytes_);
  first_ = static_cast<char*>(block_) - span.begin;
}

Scratch::Scratch(std::int64_t bytes) {
  if (bytes <= 0) return;
  bytes_ = static_cast<std::size_t>(bytes);
  block_ = take_block(bytes_);
  first_ = static_cast<char*>(block_);
}

Scratch::~Scratch() {
  if (block_) give_block(block_, bytes_);
}

}  // namespace pysmpi
