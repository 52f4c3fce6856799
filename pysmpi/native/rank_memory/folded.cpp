// The folded address range, into which one small file (the block) is mapped again and again.
#include "rank_memory/folded.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string>

#include "rank_memory/c_api.h"

namespace pysmpi {

std::uintptr_t folded_begin = 0, folded_length = 0;

namespace {

// The kernel allows 65,530 mappings per process, most of which are needed for ranks' stacks and arenas.
constexpr std::uint64_t kMostRangeMappings = 4096;
constexpr std::uint64_t kMostReserved = 1ULL << 44;  // bytes, reserved once at first use; a process has 2^47

// The file that contains the block, and the settings for its creation: smpi/shared-malloc-blocksize and
// smpi/shared-malloc-hugepage.
struct {
  std::uint64_t smallest = 1 << 20;
  std::string mount;  // mount point of huge pages, or empty for ordinary pages
  int file = -1;
  std::uint64_t page = 0;    // bytes
  std::uint64_t length = 0;  // bytes of the file, which is the largest piece of it that is mapped
} folded_block;
bool programs_fold = true;
std::uint64_t range_block = 0;  // bytes after which the range repeats
std::uint64_t reserved = 0;     // bytes of address space reserved from the start of the range

std::uint64_t rounded_up(std::uint64_t bytes, std::uint64_t unit) { return (bytes + unit - 1) / unit * unit; }

void* map_at(std::uintptr_t start, std::uint64_t bytes) {
  // Huge pages are reserved when they are mapped, so that mmap fails if too few are left. Without this reservation, a
  // later write to them would end the process.
  const int lazily = folded_block.mount.empty() ? MAP_NORESERVE : 0;
  return mmap(reinterpret_cast<void*>(start), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | lazily,
              folded_block.file, 0);
}

// Creates the block's file if necessary. Returns 0 or an error number.
int open_block() {
  if (folded_block.file >= 0) return 0;
  if (folded_block.mount.empty()) {
    folded_block.file = memfd_create("pysmpi-folded", MFD_CLOEXEC);
    folded_block.page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return folded_block.file >= 0 ? 0 : errno;
  }
  std::string name = folded_block.mount + "/pysmpi-folded-XXXXXX";
  const int file = mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) return errno;
  unlink(name.c_str());
  struct statfs found{};
  int error = fstatfs(file, &found) == 0 ? 0 : errno;
  if (error == 0 && found.f_type != HUGETLBFS_MAGIC) error = ENODEV;
  if (error != 0) {
    close(file);
    return error;
  }
  folded_block.file = file;
  folded_block.page = static_cast<std::uint64_t>(found.f_bsize);
  return 0;
}

void close_block() {
  if (folded_block.file >= 0) close(folded_block.file);
  folded_block.file = -1;
  folded_block.length = 0;
}

bool lengthen_block(std::uint64_t bytes) {
  if (bytes <= folded_block.length) return true;
  if (ftruncate(folded_block.file, static_cast<off_t>(bytes)) != 0) return false;
  folded_block.length = bytes;
  return true;
}

// Reserves address space only, so that the range can grow in place and arrays keep their addresses. The start is
// aligned to huge pages.
bool reserve(std::uint64_t bytes) {
  constexpr std::uint64_t kAlignment = 1 << 30;
  for (std::uint64_t size = std::max(kMostReserved, std::bit_ceil(bytes)); size >= bytes; size /= 2) {
    void* start = mmap(nullptr, size + kAlignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start != MAP_FAILED) {
      folded_begin = rounded_up(reinterpret_cast<std::uintptr_t>(start), kAlignment);
      reserved = size;
      return true;
    }
  }
  return false;
}

bool grow(std::uint64_t bytes) {
  if (open_block() != 0) return false;
  // At least doubles the range, so that a sequence of slightly larger arrays needs few changes.
  const std::uint64_t wanted = std::max(bytes, std::min(2 * folded_length, reserved));
  const std::uint64_t smallest = rounded_up(std::max(folded_block.smallest, folded_block.page), folded_block.page);
  const std::uint64_t needed = (wanted + kMostRangeMappings - 1) / kMostRangeMappings;
  const std::uint64_t size = needed <= smallest ? smallest : rounded_up(std::bit_ceil(needed), folded_block.page);
  const std::uint64_t length = std::min(rounded_up(wanted, size), reserved / size * size);
  if (length < bytes || !lengthen_block(size)) return false;
  const std::uint64_t done = size > range_block ? 0 : folded_length;
  for (std::uint64_t at = done; at < length; at += size) {
    if (map_at(folded_begin + at, size) == MAP_FAILED) return false;
  }
  range_block = size;
  folded_length = length;
  return true;
}

// Creates a new block and maps the existing range to it.
bool renew(std::uint64_t smallest, const char* mount) {
  close_block();
  // The whole range is unmapped at once, because ordinary pages cannot replace a part of a huge page.
  if (reserved > 0) {
    mmap(reinterpret_cast<void*>(folded_begin), reserved, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  }
  folded_block.smallest = smallest;
  folded_block.mount = mount;
  range_block = 0;
  return folded_length == 0 || grow(folded_length);
}

bool can_map() {
  const std::uint64_t size = rounded_up(std::max(folded_block.smallest, folded_block.page), folded_block.page);
  if (!lengthen_block(size)) return false;
  void* tried = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, folded_block.file, 0);
  return tried != MAP_FAILED && munmap(tried, size) == 0;
}

}  // namespace

bool extend_folded(std::uint64_t bytes) {
  if (bytes <= folded_length) return true;
  if (reserved == 0 && !reserve(bytes)) return false;
  if (bytes > reserved) return false;
  if (grow(bytes)) return true;
  // Perhaps there are too few huge pages for a block of this length. Use ordinary pages instead, and try again.
  return leave_huge_pages() && (bytes <= folded_length || grow(bytes));
}

AbsentMemory::AbsentMemory() : begin_(folded_begin), length_(folded_length) {
  folded_begin = folded_length = std::uintptr_t{1} << 60;  // far beyond the end of user space
}

AbsentMemory::~AbsentMemory() {
  folded_begin = begin_;
  folded_length = length_;
}

bool leave_huge_pages() { return !folded_block.mount.empty() && renew(folded_block.smallest, ""); }

bool map_block(std::uintptr_t start, std::uint64_t bytes, std::uint64_t pieces) {
  if (open_block() != 0) return false;
  const std::uint64_t smallest = rounded_up(std::max(folded_block.smallest, folded_block.page), folded_block.page);
  const std::uint64_t piece = std::max(smallest, rounded_up((bytes + pieces - 1) / pieces, folded_block.page));
  if (!lengthen_block(std::min(piece, bytes))) return false;
  for (std::uint64_t at = 0; at < bytes; at += piece) {
    if (map_at(start + at, std::min(piece, bytes - at)) == MAP_FAILED) return false;
  }
  return true;
}

std::uint64_t folded_page() {
  return open_block() == 0 ? folded_block.page : static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_folded_configure(uint64_t smallest, const char* mount) {
  if (smallest == folded_block.smallest && mount == folded_block.mount) return 0;
  close_block();
  folded_block.smallest = smallest;
  folded_block.mount = mount;
  int error = open_block();
  // Opening the block's file allocates no huge pages, but mapping it does. Therefore the block is mapped here, to
  // detect whether enough huge pages are free: over the existing range, or as a test if no range is mapped yet.
  if (error == 0 && !(folded_length > 0 ? renew(smallest, mount) : can_map())) error = errno != 0 ? errno : ENOMEM;
  if (error != 0) renew(smallest, "");
  return error;
}

void* pysmpi_folded_map(uint64_t bytes) {
  return extend_folded(std::max<uint64_t>(bytes, 1)) ? reinterpret_cast<void*>(folded_begin) : nullptr;
}

void pysmpi_fold_programs(int32_t yes) { programs_fold = yes != 0; }
int32_t pysmpi_programs_fold(void) { return programs_fold; }

uint64_t pysmpi_folded_bytes(void) { return folded_length; }
uint64_t pysmpi_folded_block(void) { return range_block; }
uint64_t pysmpi_folded_page(void) { return folded_page(); }
