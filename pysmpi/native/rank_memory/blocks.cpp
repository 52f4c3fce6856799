// The heap of small blocks, with boundary tags stored apart from the blocks.
#include "rank_memory/blocks.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

namespace pysmpi {

namespace {
// Returns the index of the first bit set from `from` on, or 256 if there is none.
std::size_t first_set(const std::array<std::uint64_t, 4>& words, std::size_t from) {
  std::uint64_t word = words[from / 64] >> from % 64 << from % 64;
  for (std::size_t i = from / 64;;) {
    if (word != 0) return i * 64 + static_cast<std::size_t>(std::countr_zero(word));
    if (++i == words.size()) return 256;
    word = words[i];
  }
}
}  // namespace

void* BlockHeap::take(std::size_t bytes) {
  const std::size_t units = (bytes + kUnit - 1) / kUnit;
  const std::size_t found = first_set(present_, units);
  if (found <= kMost) {
    void* const block = free_[found];
    Mapping& mapping = *mapping_of(block);
    const std::size_t unit = unit_of(mapping, block);
    remove_free(mapping, unit);
    mapping.starts[unit] = static_cast<std::uint8_t>(units);
    if (found > units) add_free(mapping, unit + units, found - units);
    return block;
  }
  if ((!latest_ || kUnits - latest_->used < units) && !map_more()) return nullptr;
  Mapping& mapping = *latest_;
  void* const block = mapping.begin + mapping.used * kUnit;
  mapping.starts[mapping.used] = static_cast<std::uint8_t>(units);
  mapping.used += units;
  return block;
}

void BlockHeap::give_back(void* block) {
  Mapping& mapping = *mapping_of(block);
  std::size_t unit = unit_of(mapping, block);
  std::size_t units = mapping.starts[unit];
  const std::size_t next = unit + units;
  if (next < mapping.used && mapping.is_free(next) && units + mapping.starts[next] <= kMost) {
    units += mapping.starts[next];
    remove_free(mapping, next);
    mapping.starts[next] = 0;
  }
  const std::size_t before = unit > 0 ? mapping.ends[unit - 1] : 0;
  if (before > 0 && units + before <= kMost) {
    mapping.starts[unit] = 0;
    unit -= before;
    units += before;
    remove_free(mapping, unit);
  }
  add_free(mapping, unit, units);
}

void BlockHeap::add_free(Mapping& mapping, std::size_t unit, std::size_t units) {
  mapping.starts[unit] = mapping.ends[unit + units - 1] = static_cast<std::uint8_t>(units);
  Free* const first = free_[units];
  Free* const block = mapping.at(unit);
  *block = {first, nullptr};
  if (first) first->previous = block;
  free_[units] = block;
  present_[units / 64] |= std::uint64_t{1} << units % 64;
}

// Removes the block from its free list. The length in `starts` is kept.
void BlockHeap::remove_free(Mapping& mapping, std::size_t unit) {
  const std::size_t units = mapping.starts[unit];
  mapping.ends[unit + units - 1] = 0;
  const Free* const block = mapping.at(unit);
  if (block->next) block->next->previous = block->previous;
  (block->previous ? block->previous->next : free_[units]) = block->next;
  if (!free_[units]) present_[units / 64] &= ~(std::uint64_t{1} << units % 64);
}

std::size_t BlockHeap::length(const void* block) const {
  const Mapping* const mapping = mapping_of(block);
  if (!mapping) return 0;
  return mapping->starts[unit_of(*mapping, block)] * kUnit;
}

BlockHeap::Mapping* BlockHeap::mapping_of(const void* block) const {
  const auto* const at = static_cast<const std::byte*>(block);
  if (mappings_.empty() || at < mappings_.front()->begin || at >= mappings_.back()->begin + kMapping) return nullptr;
  const auto after =
      std::upper_bound(mappings_.begin(), mappings_.end(), at,
                       [](const std::byte* one, const Mapping* mapping) { return one < mapping->begin; });
  Mapping* const mapping = *std::prev(after);
  return at < mapping->begin + kMapping ? mapping : nullptr;
}

bool BlockHeap::map_more() {
  const auto map = [](std::size_t bytes) {
    return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  };
  void* const memory = map(kMapping);
  if (memory == MAP_FAILED) return false;
  madvise(memory, kMapping, MADV_HUGEPAGE);  // blocks of many ranks are used in no order
  void* const knowledge = map(sizeof(Mapping));
  if (knowledge == MAP_FAILED) {
    munmap(memory, kMapping);
    return false;
  }
  latest_ = static_cast<Mapping*>(knowledge);
  latest_->begin = static_cast<std::byte*>(memory);
  const auto after =
      std::find_if(mappings_.begin(), mappings_.end(), [&](const Mapping* one) { return one->begin > latest_->begin; });
  mappings_.insert(after, latest_);
  return true;
}

}  // namespace pysmpi
