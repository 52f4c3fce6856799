#include "schedule/pool.hpp"

#include <bit>
#include <new>

#include "memory/copy.hpp"
#include "memory/folded.hpp"

namespace pysmpi {

namespace {

constexpr int kSmallest = 6, kLargest = 16;  // powers of two: 64 bytes to 64 KiB; larger blocks come from the allocator

struct FreeBlock {
  FreeBlock* next;
};
FreeBlock* free_blocks[kLargest + 1];

int size_class(std::size_t bytes) { return bytes <= (1U << kSmallest) ? kSmallest : std::bit_width(bytes - 1); }

}  // namespace

void* take_block(std::size_t bytes) {
  const int power = size_class(bytes);
  if (power > kLargest) return ::operator new(bytes);
  FreeBlock* block = free_blocks[power];
  if (!block) return ::operator new(std::size_t{1} << power);
  free_blocks[power] = block->next;
  return block;
}

void give_block(void* block, std::size_t bytes) {
  const int power = size_class(bytes);
  if (power > kLargest) return ::operator delete(block);
  auto* freed = static_cast<FreeBlock*>(block);
  freed->next = free_blocks[power];
  free_blocks[power] = freed;
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
