// Compares the words in a library's variables with the limits of memory that belongs to no file.
#include "isolation/heap_addresses.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace pysmpi {

namespace {

struct Range {
  std::uintptr_t begin = 0, end = 0;
  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};

// Return the ranges where allocators have blocks: the heap that grows with sbrk, and private memory without a name,
// except for the zeros that libraries begin with.
std::vector<Range> allocated_memory() {
  std::vector<Range> found;
  std::uintptr_t end_of_library = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Range range;
    char dash = 0;
    std::string protection, offset, device, name;
    std::uint64_t file = 0;
    std::istringstream fields(line);
    fields >> std::hex >> range.begin >> dash >> range.end >> protection >> offset >> device >> std::dec >> file >>
        name;
    const bool continues_library = range.begin == end_of_library;
    if (file != 0 || continues_library) end_of_library = range.end;
    if (file != 0 || continues_library || protection != "rw-p" || (!name.empty() && name != "[heap]")) continue;
    found.push_back(range);
  }
  return found;  // in order of their addresses
}

bool contain(const std::vector<Range>& ranges, std::uintptr_t address) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](std::uintptr_t value, const Range& each) { return value < each.begin; });
  return after != ranges.begin() && std::prev(after)->contains(address);
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
  const std::vector<Range> allocated = allocated_memory();
  const Range table = linkage_table(object);
  return std::any_of(pages.begin(), pages.end(), [&](const PageRange& each) {
    const auto* const begin = reinterpret_cast<const std::uintptr_t*>(each.begin);
    return std::any_of(begin, begin + each.length / sizeof *begin, [&](const std::uintptr_t& word) {
      return word != 0 && contain(allocated, word) && !table.contains(reinterpret_cast<std::uintptr_t>(&word));
    });
  });
}

}  // namespace pysmpi
