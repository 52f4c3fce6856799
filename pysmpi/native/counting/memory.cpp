// An allocator for NumPy's array data that counts the memory of each rank. In front of each array's data it notes the
// rank whose count includes the data, because another rank, or no rank, may run when the array is freed.
#include "counting/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "counting/c_api.h"
#include "counting/distances.hpp"
#include "engine/simulation.hpp"
#include "rank_memory/allocator.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

void MemoryCounts::hold(RankId rank, std::int64_t bytes) {
  if (number == 0 || rank < 0) return;
  if (static_cast<std::size_t>(rank) >= by_rank.size()) by_rank.resize(static_cast<std::size_t>(rank) + 1);
  Held& held = by_rank[static_cast<std::size_t>(rank)];
  held.now += bytes;
  held.peak = std::max(held.peak, held.now);
}

namespace {

struct alignas(16) Note {
  RankId rank;
  std::uint32_t number;  // number of the count that includes the bytes (MemoryCounts::number)
  std::int64_t bytes;
};
static_assert(sizeof(Note) == 16);

std::uint32_t last_number = 0;

MemoryCounts& memory_counts() { return MemoryCounts::current(); }
RankId running_rank() { return inside_rank() ? simulation().running : -1; }

// Small blocks that were freed, by size in steps of 16 bytes. NumPy has such a cache in front of its own allocator
// only, without which an operation on ten numbers takes a tenth longer. NumPy calls allocators with the GIL.
class SmallBlocks {
 public:
  // Returns a block with room for a note and an array, or null if there is no memory.
  void* allocate(std::size_t bytes) {
    const std::size_t steps = steps_of(bytes);
    if (steps >= kSizes) return std::malloc(bytes + sizeof(Note));
    Free& free = free_[steps];
    return free.number > 0 ? free.blocks[--free.number] : std::malloc((steps + 1) * kUnit);
  }
  void release(void* block, std::size_t bytes) {
    const std::size_t steps = steps_of(bytes);
    if (steps < kSizes && free_[steps].number < kMost) {
      free_[steps].blocks[free_[steps].number++] = block;
    } else {
      std::free(block);
    }
  }
  // Returns the bytes of the block for an array.
  static std::size_t size_of_block(std::size_t bytes) {
    const std::size_t steps = steps_of(bytes);
    return steps < kSizes ? (steps + 1) * kUnit : bytes + sizeof(Note);
  }

 private:
  static constexpr std::size_t kUnit = 16, kSizes = 65, kMost = 7;
  static_assert(sizeof(Note) == kUnit);
  struct Free {
    std::uint32_t number = 0;
    void* blocks[kMost] = {};
  };
  static std::size_t steps_of(std::size_t bytes) { return (bytes + kUnit - 1) / kUnit; }

  Free free_[kSizes];
};
SmallBlocks small_blocks;

// Writes the note at the start of a block and returns the address of the array's data behind it.
void* noted(void* block, std::size_t bytes) {
  if (!block) return nullptr;
  const Note note{running_rank(), memory_counts().number, static_cast<std::int64_t>(bytes)};
  std::memcpy(block, &note, sizeof note);
  memory_counts().hold(note.rank, note.bytes);
  return static_cast<Note*>(block) + 1;
}

Note* note_of(void* memory) { return static_cast<Note*>(memory) - 1; }

void forget(const Note& note, const void* memory) {
  if (note.number != memory_counts().number) return;
  memory_counts().hold(note.rank, -note.bytes);
  if (note.bytes >= OperandAccesses::kLeastBytes) DistanceCounts::current().forget(note.rank, memory);
}

constexpr std::size_t kStep = 64;  // bytes, so that arrays begin at lines of the cache

// Returns memory for a folded array and adds its bytes to the running rank's count. There is no room for a Note in
// front of the array: all addresses in the folded range lead to the same few pages. Instead, the address identifies the
// rank whose count includes the array: arrays of rank r begin r * kStep bytes after the beginning of the range.
void* folded(std::size_t bytes, bool& folds) {
  if (!folded_array(bytes, folds)) return nullptr;
  const RankId rank = running_rank();
  const std::size_t offset = kStep * static_cast<std::size_t>(rank);
  if (!extend_folded(bytes + offset)) return nullptr;
  memory_counts().hold(rank, static_cast<std::int64_t>(bytes));
  return reinterpret_cast<void*>(folded_begin + offset);
}

RankId payer_of_folded(const void* memory) {
  return static_cast<RankId>((reinterpret_cast<std::uintptr_t>(memory) - folded_begin) / kStep);
}

void* allocate(void*, std::size_t bytes) {
  bool folds = false;
  void* const memory = folded(bytes, folds);
  return folds ? memory : noted(small_blocks.allocate(bytes), bytes);
}

void* allocate_zeros(void*, std::size_t items, std::size_t bytes) {
  bool folds = false;
  void* const memory = folded(items * bytes, folds);
  return folds ? memory : noted(std::calloc(1, SmallBlocks::size_of_block(items * bytes)), items * bytes);
}

void release(void*, void* memory, std::size_t bytes) {
  if (!memory) return;
  if (is_folded(memory)) {
    memory_counts().hold(payer_of_folded(memory), -static_cast<std::int64_t>(bytes));
    return;
  }
  Note* const note = note_of(memory);
  forget(*note, memory);
  small_blocks.release(note, static_cast<std::size_t>(note->bytes));
}

void* change(void*, void* memory, std::size_t bytes) {
  if (!memory || is_folded(memory)) return allocate(nullptr, bytes);  // a folded array's size so far stays counted
  const Note before = *note_of(memory);
  void* const block = std::realloc(note_of(memory), SmallBlocks::size_of_block(bytes));
  if (!block) return nullptr;
  forget(before, memory);
  return noted(block, bytes);
}

Handler handler = {"pysmpi_counting", 1, {nullptr, allocate, allocate_zeros, change, release}};

}  // namespace

bool pays_for(RankId rank, const numpy::Array& array) {
  if (!array.owns_data() || !array.memory_handler || is_folded(array.data)) return false;
  if (!PyCapsule_IsValid(array.memory_handler, "mem_handler") ||
      PyCapsule_GetPointer(array.memory_handler, "mem_handler") != &handler) {
    return false;
  }
  const Note& note = *note_of(array.data);
  return note.number == memory_counts().number && note.rank == rank;
}

}  // namespace pysmpi

using namespace pysmpi;

void* pysmpi_counting_allocator(uint64_t threshold) {
  fold_arrays_from(threshold);
  memory_counts().number = ++last_number;
  return &handler;
}

void pysmpi_hold_memory(int32_t rank, int64_t bytes) { memory_counts().hold(rank, bytes); }

void pysmpi_read_memory(int32_t ranks, int64_t* peaks) {
  auto& all = memory_counts().by_rank;
  all.resize(simulation().fibers.size());
  for (int32_t rank = 0; rank < ranks; ++rank) peaks[rank] = all[rank].peak;
}
