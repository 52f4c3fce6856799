// Compares the words in a library's variables with the limits of memory that belongs to no file.
#include "isolation/heap_addresses.hpp"

#include <elf.h>
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

// Return the ranges that the system has given for no file, and in which it may have put blocks of allocators: the heap
// that grows with sbrk, and private memory without a name. They include the zeros with which variables of libraries
// begin, in order of the addresses.
std::vector<Range> memory_of_no_file() {
  std::vector<Range> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    Range range;
    char dash = 0;
    std::string protection, offset, device, name;
    std::uint64_t file = 0;
    std::istringstream fields(line);
    fields >> std::hex >> range.begin >> dash >> range.end >> protection >> offset >> device >> std::dec >> file >>
        name;
    if (file == 0 && protection == "rw-p" && (name.empty() || name == "[heap]")) found.push_back(range);
  }
  return found;
}

// Return the whole pages of all loaded libraries, in order of the addresses.
std::vector<Range> memory_of_libraries() {
  std::vector<Range> found;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
          static_cast<std::vector<Range>*>(data)->push_back({begin, (begin + part.p_memsz + size - 1) / size * size});
        }
        return 0;
      },
      &found);
  std::sort(found.begin(), found.end(), [](const Range& one, const Range& other) { return one.begin < other.begin; });
  return found;
}

bool contain(const std::vector<Range>& ranges, std::uintptr_t address) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), address,
                                      [](std::uintptr_t value, const Range& each) { return value < each.begin; });
  return after != ranges.begin() && std::prev(after)->contains(address);
}

#ifdef __aarch64__
constexpr std::uint32_t kThreadLocal = R_AARCH64_TLSDESC;
#else
constexpr std::uint32_t kThreadLocal = R_X86_64_TLSDESC;
#endif

// Return the words of a library in which the dynamic linker stores addresses of its records. The table through which
// the library calls functions begins with three of them; each thread-local variable has two.
std::vector<Range> words_of_linker(const LoadedObject& object) {
  std::vector<Range> found;
  std::uintptr_t tables[2] = {}, bytes[2] = {};
  const auto address = [&](std::uintptr_t value) { return value < object.base ? object.base + value : value; };
  for (auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); entry && entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t value = entry->d_un.d_val;
    if (entry->d_tag == DT_PLTGOT) found.push_back({address(value), address(value) + 3 * sizeof value});
    if (entry->d_tag == DT_JMPREL) tables[0] = address(value);
    if (entry->d_tag == DT_PLTRELSZ) bytes[0] = value;
    if (entry->d_tag == DT_RELA) tables[1] = address(value);
    if (entry->d_tag == DT_RELASZ) bytes[1] = value;
  }
  for (int i = 0; i < 2; ++i) {
    const auto* const begin = reinterpret_cast<const ElfW(Rela)*>(tables[i]);
    for (auto* each = begin; each && each < begin + bytes[i] / sizeof *begin; ++each) {
      if (ELF64_R_TYPE(each->r_info) != kThreadLocal) continue;
      const std::uintptr_t word = object.base + each->r_offset;
      found.push_back({word, word + 2 * sizeof word});
    }
  }
  std::sort(found.begin(), found.end(), [](const Range& one, const Range& other) { return one.begin < other.begin; });
  return found;
}

}  // namespace

bool contain_heap_addresses(const LoadedObject& object, const std::vector<PageRange>& pages) {
  const std::vector<Range> memory = memory_of_no_file(), libraries = memory_of_libraries();
  const std::vector<Range> of_linker = words_of_linker(object);
  return std::any_of(pages.begin(), pages.end(), [&](const PageRange& each) {
    const auto* const begin = reinterpret_cast<const std::uintptr_t*>(each.begin);
    return std::any_of(begin, begin + each.length / sizeof *begin, [&](const std::uintptr_t& word) {
      return word != 0 && contain(memory, word) && !contain(libraries, word) &&
             !contain(of_linker, reinterpret_cast<std::uintptr_t>(&word));
    });
  });
}

}  // namespace pysmpi
