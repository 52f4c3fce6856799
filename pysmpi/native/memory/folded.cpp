#include "memory/folded.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>

#include "memory/control.h"

namespace pysmpi {

std::uintptr_t folded_begin = 0, folded_end = 0;

namespace {

// The kernel allows a process 65,530 mappings, most of which ranks' stacks and arenas need.
constexpr std::uint64_t kMostMappings = 256;
constexpr std::uint64_t kSmallestBlock = 2ULL << 20;
constexpr std::uint64_t kMostReserved = 1ULL << 44;  // of the 2^47 bytes of a process; taken once, at the first use

int block_file = -1;
std::uint64_t block_bytes = 0, reserved_bytes = 0;

// Address space alone: the range can grow in place, so that arrays keep their addresses.
bool reserve(std::uint64_t bytes) {
  for (std::uint64_t size = std::max(kMostReserved, std::bit_ceil(bytes)); size >= bytes; size /= 2) {
    void* start = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED) {
      folded_begin = folded_end = reinterpret_cast<std::uintptr_t>(start);
      reserved_bytes = size;
      return true;
    }
  }
  return false;
}

// Maps the block over [from, to) of the range, again and again.
bool map_blocks(std::uint64_t from, std::uint64_t to) {
  for (std::uint64_t at = from; at < to; at += block_bytes) {
    void* where = reinterpret_cast<void*>(folded_begin + at);
    if (mmap(where, block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, block_file, 0) ==
        MAP_FAILED) {
      return false;
    }
  }
  return true;
}

bool grow(std::uint64_t bytes) {
  if (reserved_bytes == 0 && !reserve(bytes)) return false;
  if (bytes > reserved_bytes) return false;
  if (block_file < 0 && (block_file = memfd_create("pysmpi-folded", MFD_CLOEXEC)) < 0) return false;
  const std::uint64_t mapped = folded_end - folded_begin;
  // Twice as much as before, so that many arrays, each a little larger than the last, do not mean as many changes.
  const std::uint64_t wanted = std::max(bytes, std::min(2 * mapped, reserved_bytes));
  const std::uint64_t block = std::max(kSmallestBlock, std::bit_ceil((wanted + kMostMappings - 1) / kMostMappings));
  const std::uint64_t length = std::min((wanted + block - 1) / block * block, reserved_bytes);
  const bool larger_block = block > block_bytes;
  if (larger_block) {
    if (ftruncate(block_file, static_cast<off_t>(block)) != 0) return false;
    block_bytes = block;
  }
  if (!map_blocks(larger_block ? 0 : mapped, length)) return false;
  folded_end = folded_begin + length;
  return true;
}

}  // namespace
}  // namespace pysmpi

using namespace pysmpi;

void* pysmpi_folded_map(uint64_t bytes) {
  if (bytes > folded_end - folded_begin && !grow(bytes)) return nullptr;
  return reinterpret_cast<void*>(folded_begin);
}

uint64_t pysmpi_folded_bytes(void) { return folded_end - folded_begin; }
uint64_t pysmpi_folded_block(void) { return block_bytes; }
int32_t pysmpi_is_folded(uintptr_t address) { return is_folded(reinterpret_cast<const void*>(address)); }
