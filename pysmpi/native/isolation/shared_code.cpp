// A rank loads a copy of a library's file to have its own variables. Then the pages of the copy that are never written
// are replaced by those of the original file, which are the same, and removed from the copy's file.
#include "isolation/shared_code.hpp"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>

#include "isolation/c_api.h"

namespace pysmpi {

namespace {

int protection_of(const ElfW(Phdr) & part) {
  return ((part.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((part.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
}

// Return whether the dynamic linker has written to the code of a library.
bool has_changed_code(const LoadedObject& object) {
  for (auto* entry = static_cast<const ElfW(Dyn)*>(object.dynamic); entry && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_TEXTREL) return true;
    if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL) != 0) return true;
  }
  return false;
}

// Return whether memory has the same contents as the beginning of a file.
bool is_same(const void* address, std::size_t length, int file) {
  void* const contents = mmap(nullptr, length, PROT_READ, MAP_PRIVATE, file, 0);
  if (contents == MAP_FAILED) return false;
  const bool same = std::memcmp(address, contents, length) == 0;
  munmap(contents, length);
  return same;
}

}  // namespace

std::span<const ElfW(Phdr)> segments_of(const LoadedObject& object) {
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(object.base);
  return {reinterpret_cast<const ElfW(Phdr)*>(object.base + header->e_phoff), header->e_phnum};
}

bool share_code(const LoadedObject& copy, const std::string& original) {
  if (has_changed_code(copy)) return false;
  const int from = open(original.c_str(), O_RDONLY | O_CLOEXEC), file = open(copy.path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat contents;
  for (const ElfW(Phdr) & part : segments_of(copy)) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t skipped = part.p_vaddr % size, length = part.p_filesz + skipped;
    const auto offset = static_cast<off_t>(part.p_offset - skipped);
    void* const address = reinterpret_cast<void*>(copy.base + part.p_vaddr - skipped);
    if (from < 0 || fstat(from, &contents) != 0) break;
    if (part.p_offset + part.p_filesz > static_cast<std::uintptr_t>(contents.st_size)) continue;  // the copy's only
    if (offset == 0 && !is_same(address, length, from)) continue;  // the tables of the dynamic linker are here
    if (mmap(address, length, protection_of(part), MAP_PRIVATE | MAP_FIXED, from, offset) == MAP_FAILED) break;
    const std::size_t whole = length / size * size;  // the last page may contain the beginning of the variables
    if (file >= 0 && whole > 0) {
      fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, offset, static_cast<off_t>(whole));
    }
  }
  if (from >= 0) close(from);
  if (file >= 0) close(file);
  return from >= 0;
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_share_code(const char* copy, const char* original) {
  for (const LoadedObject& object : loaded_objects()) {
    if (object.path == copy) return share_code(object, original) ? 0 : -1;
  }
  return -1;
}
