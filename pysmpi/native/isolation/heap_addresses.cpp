// Compares the words in a library's variables with the limits of the heap.
#include "isolation/heap_addresses.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

namespace pysmpi {

namespace {

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

// Return the heap that grows with sbrk, which the thread of the ranks uses for blocks of less than 128 KiB.
Range heap() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with("[heap]")) continue;
    Range found;
    char dash = 0;
    std::istringstream(line) >> std::hex >> found.begin >> dash >> found.end;
    return found;
  }
  return {};
}

// Return the table through which the library calls functions. The dynamic linker stores addresses of its own records in
// its first entries, and in entries for thread-local variables, which have two words.
Range linkage_table(const LoadedObject& object) {
  std::uintptr_t begin = 0, relocations = 0;
  for (auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_PLTGOT) begin = entry->d_un.d_ptr;
    if (entry->d_tag == DT_PLTRELSZ) relocations = entry->d_un.d_val / sizeof(ElfW(Rela));
  }
  if (begin == 0) return {};
  if (begin < object.base) begin += object.base;
  return {begin, begin + (3 + 2 * relocations) * sizeof(std::uintptr_t)};
}

}  // namespace

bool contain_heap_addresses(const LoadedObject& object, const std::vector<PageRange>& pages) {
  const Range in_heap = heap(), table = linkage_table(object);
  return std::any_of(pages.begin(), pages.end(), [&](const PageRange& each) {
    const auto* const begin = reinterpret_cast<const std::uintptr_t*>(each.begin);
    return std::any_of(begin, begin + each.length / sizeof *begin, [&](const std::uintptr_t& word) {
      return in_heap.contains(word) && !table.contains(reinterpret_cast<std::uintptr_t>(&word));
    });
  });
}

}  // namespace pysmpi
