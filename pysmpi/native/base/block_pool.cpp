// Free lists of memory blocks by size.
#include "base/block_pool.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <new>

namespace pysmpi {

namespace {

// Size classes: multiples of 64 bytes up to 4 KiB, because coroutine frames have few different sizes and each rank
// needs a frame of each size; then powers of two up to 64 KiB. Larger blocks come from the allocator.
constexpr std::size_t kStep = 64, kSteps = 64, kLargest = std::size_t{1} << 16;
constexpr std::size_t kClasses = kSteps + 5;  // numbered from 1

// Largest number of free blocks kept in a size class. Further ones go back to the allocator, which can merge them for
// other sizes. Otherwise 100,000 ranks that move on from one kind of call to another would leave 100,000 unused frames
// of the first kind's size.
constexpr std::uint32_t kMostFree = 4096;

struct FreeBlock {
  FreeBlock* next;
};
FreeBlock* free_blocks[kClasses];
std::uint32_t free_counts[kClasses];

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
  --free_counts[its_class];
  return block;
}

void give_block(void* block, std::size_t bytes) {
  if (bytes > kLargest) return ::operator delete(block);
  const std::size_t its_class = size_class(bytes);
  if (free_counts[its_class] == kMostFree) return ::operator delete(block);
  ++free_counts[its_class];
  auto* freed = static_cast<FreeBlock*>(block);
  freed->next = free_blocks[its_class];
  free_blocks[its_class] = freed;
}

}  // namespace pysmpi
