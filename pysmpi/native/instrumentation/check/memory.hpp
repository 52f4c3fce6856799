// The memory that requests own: what a program may not touch, and what two requests may not share.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/types.hpp"
#include "datatypes/datatype.hpp"

namespace pysmpi {

// Elements of a datatype.
struct Elements {
  char* buffer;
  std::int64_t count;
  const Datatype* type;

  bool empty() const { return count == 0 || type->size == 0; }
};

// Whether two have a byte in common.
bool overlap(const Elements& one, const Elements& other);

// A number that tells, but for an accident in 2^64, whether the bytes have changed. Of long data, samples are looked
// at: as many bytes as kMostHashed, evenly spread (the first ones, of a datatype with gaps).
inline constexpr std::int64_t kMostHashed = 1 << 16;
std::uint64_t hash_bytes(const Elements& elements);

// What the requests of one rank own.
class OwnedMemory {
 public:
  struct Area {
    std::uintptr_t end;
    Elements elements;
    std::uint32_t request;
  };
  using Areas = std::multimap<std::uintptr_t, Area>;  // by their beginnings

  // A request that has some area which this one must not share: two may read the same. kNone: none.
  std::uint32_t find_conflict(const Elements& elements, bool writes) const;

  Areas::iterator add(const Elements& elements, bool writes, std::uint32_t request);
  void remove(Areas::iterator area, bool writes);

 private:
  struct Side {
    Areas areas;
    std::uintptr_t longest = 0;  // of the areas since there was none
    std::uint32_t find(const Elements& elements) const;
  };
  Side read_, written_;
};

}  // namespace pysmpi
