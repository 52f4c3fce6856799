// Code of copies of a library, for which the memory exists once. A rank loads a copy of the library's file to have its
// own variables. Then the pages of the copy that are never written are replaced by those of the original file, which
// are the same, and removed from the copy's file.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/imports.hpp"
#include "isolation/c_api.h"

namespace pysmpi {

namespace {

// A segment that is never written: where it is mapped, and where it lies in the file.
struct Segment {
  std::uintptr_t address;
  std::size_t length;
  off_t offset;
  int protection;
};

int protection_of(const ElfW(Phdr) & part) {
  return ((part.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((part.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

std::vector<Segment> constant_segments(const std::string& path) {
  struct Search {
    const std::string& path;
    std::vector<Segment> found = {};
  } search{path};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& [looked, found] = *static_cast<Search*>(data);
        if (!info->dlpi_name || looked != info->dlpi_name) return 0;
        const auto size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) & part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
          const std::uintptr_t skipped = part.p_vaddr % size;
          found.push_back({info->dlpi_addr + part.p_vaddr - skipped, part.p_filesz + skipped,
                           static_cast<off_t>(part.p_offset - skipped), protection_of(part)});
        }
        return 1;
      },
      &search);
  return search.found;
}

// Return whether the dynamic linker has written to the code of a library.
bool has_changed_code(const std::string& path) {
  for (const LoadedObject& object : loaded_objects()) {
    if (object.path != path) continue;
    for (auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); entry && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_TEXTREL) return true;
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return true;
    }
    return false;
  }
  return true;
}

}  // namespace

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_share_code(const char* copy, const char* original) {
  if (has_changed_code(copy)) return -1;
  const int from = open(original, O_RDONLY | O_CLOEXEC), file = open(copy, O_RDWR | O_CLOEXEC);
  for (const Segment& each : constant_segments(copy)) {
    if (from < 0 || mmap(reinterpret_cast<void*>(each.address), each.length, each.protection, MAP_PRIVATE | MAP_FIXED,
                         from, each.offset) == MAP_FAILED) {
      break;
    }
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t whole = each.length / size * size;  // the last page may contain the beginning of the variables
    if (file >= 0 && whole > 0) {
      fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, each.offset, static_cast<off_t>(whole));
    }
  }
  if (from >= 0) close(from);
  if (file >= 0) close(file);
  return from < 0 ? -1 : 0;
}
