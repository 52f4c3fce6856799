// Memory owned by pending requests: the program must not change it, and two requests must not share it.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/types.hpp"
#include "datatypes/datatype.hpp"

namespace pysmpi {

// Memory that holds `count` elements of a datatype, starting at `buffer`.
struct MemoryRegion {
  char* buffer;
  std::int64_t count;
  const Datatype* type;

  bool empty() const { return count == 0 || type->size == 0; }
};

// Return whether two regions have a byte in common.
bool overlap(const MemoryRegion& one, const MemoryRegion& other);

// Return a hash of the bytes, by which a change of the memory is detected. If the data are longer than kMostHashed
// bytes, bytes are sampled evenly over the length; if the datatype has gaps, only the first kMostHashed bytes are
// hashed.
inline constexpr std::int64_t kMostHashed = 1 << 16;
std::uint64_t hash_bytes(const MemoryRegion& region);

// The memory owned by the requests of one rank.
class OwnedMemory {
 public:
  struct Area {
    std::uintptr_t end;
    MemoryRegion region;
    std::uint32_t request;
  };
  using Areas = std::multimap<std::uintptr_t, Area>;  // key: first address

  // Return a request that owns a conflicting region, or kNone. Two requests may read the same region.
  std::uint32_t find_conflict(const MemoryRegion& region, bool writes) const;

  Areas::iterator add(const MemoryRegion& region, bool writes, std::uint32_t request);
  void remove(Areas::iterator area, bool writes);

 private:
  struct Side {
    Areas areas;
    std::uintptr_t longest = 0;  // longest region since the map was last empty
    std::uint32_t find(const MemoryRegion& region) const;
  };
  Side read_, written_;
};

}  // namespace pysmpi
