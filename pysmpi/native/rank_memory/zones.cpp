// Maps arrays of which some parts (zones) are private memory and the rest is folded.
#include "rank_memory/zones.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "rank_memory/c_api.h"
#include "rank_memory/folded.hpp"

namespace pysmpi {

std::uintptr_t zoned_begin = 0, zoned_length = 0;

namespace {

// Highest number of mappings that all arrays with private zones may use together. Together with the mappings of the
// folded range (rank_memory/folded.cpp), this is about a fifth of the mappings that the kernel allows per process.
constexpr std::uint64_t kMostZoneMappings = 8192;

struct Zone {
  std::uintptr_t begin, end;
};
struct Zoned {
  std::uintptr_t end = 0;    // end address of the array
  std::uint64_t mapped = 0;  // bytes, in whole pages
  std::uint64_t mappings = 0;
  std::vector<Zone> zones;  // private zones in ascending order, without overlap
};
std::map<std::uintptr_t, Zoned> arrays;  // key: start address
std::uint64_t mappings = 0;

// A range of memory that ends at the address `end`. Either all its bytes are folded, or none.
struct Stretch {
  bool folded;
  std::uintptr_t end;
};

Stretch stretch_at(std::uintptr_t at) {
  const auto next = arrays.upper_bound(at);
  const std::uintptr_t beyond = next == arrays.end() ? std::numeric_limits<std::uintptr_t>::max() : next->first;
  if (next == arrays.begin()) return {false, beyond};
  const Zoned& array = std::prev(next)->second;
  if (at >= array.end) return {false, beyond};
  const auto zone = std::upper_bound(array.zones.begin(), array.zones.end(), at,
                                     [](std::uintptr_t address, const Zone& each) { return address < each.end; });
  if (zone == array.zones.end()) return {true, array.end};
  return at < zone->begin ? Stretch{true, zone->begin} : Stretch{false, zone->end};
}

void look_where_they_lie() {
  zoned_begin = arrays.empty() ? 0 : arrays.begin()->first;
  zoned_length = arrays.empty() ? 0 : std::prev(arrays.end())->second.end - zoned_begin;
}

// Maps the pages between the array's zones to the block while mappings are left. Each array takes at most a 64th of the
// mappings left, so that many arrays get some. Pages that are not mapped this way are ordinary memory, which is
// allocated when it is touched.
bool fold(std::uintptr_t begin, Zoned& array) {
  const std::uint64_t page = folded_page();
  std::uintptr_t from = begin;
  std::vector<Zone> stretches;
  for (const Zone& zone : array.zones) {
    stretches.push_back({from, zone.begin / page * page});
    from = (zone.end + page - 1) / page * page;
  }
  stretches.push_back({from, begin + array.mapped});
  std::erase_if(stretches, [](const Zone& each) { return each.begin >= each.end; });
  std::uint64_t bytes = 0;
  for (const Zone& each : stretches) bytes += each.end - each.begin;
  const std::uint64_t fewest = stretches.size() + array.zones.size();
  if (mappings + fewest > kMostZoneMappings) return true;
  const std::uint64_t pieces = std::max<std::uint64_t>((kMostZoneMappings - mappings) / 64, 1);
  for (const Zone& each : stretches) {
    const std::uint64_t share =
        std::max<std::uint64_t>((each.end - each.begin) / std::max<std::uint64_t>(bytes / pieces, 1), 1);
    if (!map_block(each.begin, each.end - each.begin, share)) return false;
    array.mappings += share;
  }
  array.mappings += array.zones.size();
  mappings += array.mappings;
  return true;
}

void* map_zoned(std::uint64_t bytes, std::int32_t zones, const std::uint64_t* bounds) {
  const std::uint64_t page = folded_page();
  // The kernel aligns mappings to ordinary pages only. For huge pages a longer range is therefore mapped, and its ends
  // are unmapped. As no gaps remain, the private zones of adjacent arrays share one mapping.
  const std::uint64_t whole = (bytes + page - 1) / page * page;
  const std::uint64_t room = page > static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) ? whole + page : whole;
  void* found = mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found == MAP_FAILED) return nullptr;
  const auto lowest = reinterpret_cast<std::uintptr_t>(found);
  const std::uintptr_t begin = (lowest + page - 1) / page * page;
  if (begin > lowest) munmap(found, begin - lowest);
  if (lowest + room > begin + whole) munmap(reinterpret_cast<void*>(begin + whole), lowest + room - begin - whole);
  madvise(reinterpret_cast<void*>(begin), whole, MADV_NOHUGEPAGE);  // a zone of 1 KiB should take a page of 4 KiB
  Zoned array{.end = begin + bytes, .mapped = whole, .mappings = 0, .zones = {}};
  for (std::int32_t i = 0; i < zones; ++i) array.zones.push_back({begin + bounds[2 * i], begin + bounds[2 * i + 1]});
  if (!fold(begin, array)) {
    munmap(reinterpret_cast<void*>(begin), whole);
    return leave_huge_pages() ? map_zoned(bytes, zones, bounds) : nullptr;
  }
  arrays.emplace(begin, std::move(array));
  look_where_they_lie();
  return reinterpret_cast<void*>(begin);
}

}  // namespace

void move_unfolded(void* to, const void* from, std::size_t bytes) {
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  while (bytes > 0) {
    const auto here = reinterpret_cast<std::uintptr_t>(target), there = reinterpret_cast<std::uintptr_t>(source);
    const Stretch at_target = stretch_at(here), at_source = stretch_at(there);
    const std::size_t part = std::min({bytes, at_target.end - here, at_source.end - there});
    if (!at_target.folded && !at_source.folded) std::memmove(target, source, part);
    target += part;
    source += part;
    bytes -= part;
  }
}

}  // namespace pysmpi

using namespace pysmpi;

void* pysmpi_folded_map_zones(uint64_t bytes, int32_t zones, const uint64_t* bounds) {
  return map_zoned(std::max<uint64_t>(bytes, 1), zones, bounds);
}

void pysmpi_folded_unmap_zones(void* start) {
  const auto found = arrays.find(reinterpret_cast<std::uintptr_t>(start));
  if (found == arrays.end()) return;
  munmap(start, found->second.mapped);
  mappings -= found->second.mappings;
  arrays.erase(found);
  look_where_they_lie();
}

int32_t pysmpi_is_zoned(void* start) { return arrays.contains(reinterpret_cast<std::uintptr_t>(start)); }

int32_t pysmpi_has_zones(void) { return zoned_length > 0; }

int32_t pysmpi_is_folded(uintptr_t address, uint64_t bytes) {
  const auto* start = reinterpret_cast<const void*>(address);
  if (is_folded(start)) return 1;
  if (!may_have_zones(start)) return 0;
  const Stretch found = stretch_at(address);
  return found.folded || found.end - address < bytes;
}
