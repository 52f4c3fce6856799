// Maps parts of a file in memory at fixed addresses.
#include "isolation/own_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace pysmpi {

namespace {

constexpr std::size_t kPartsOfView = 64;  // in the first view; each further one is as large as all before it

std::size_t page_size() {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

bool is_zero(const char* page) { return *page == 0 && std::memcmp(page, page + 1, page_size() - 1) == 0; }

[[noreturn]] void memory_ran_out() {
  if (const std::new_handler report = std::get_new_handler()) report();
  std::abort();
}

std::size_t part_of(RankId rank) { return static_cast<std::size_t>(rank + 1); }

}  // namespace

OwnPages::OwnPages(std::vector<PageRange> ranges) : ranges_(std::move(ranges)) {
  for (const PageRange& each : ranges_) length_ += each.length;
}

OwnPages::~OwnPages() {
  if (begun_.empty()) return;
  put_in_place(-1);
  save();
  keep_saved();
}

bool OwnPages::begin(RankId rank, const std::vector<Page>* first) {
  file_ = memfd_create("variables of ranks", MFD_CLOEXEC);
  if (file_ < 0 || !reach(part_of(rank))) {
    if (file_ >= 0) close(file_);
    return false;
  }
  const auto add = [&](std::size_t offset, const char* contents) {
    std::memcpy(part(0) + offset, contents, page_size());
    first_.push_back(offset);
  };
  if (first) {
    for (const Page& each : *first) add(each.offset, each.contents.data());
  } else {
    for (std::size_t offset = 0; offset < length_; offset += page_size()) {
      if (!is_zero(at(offset))) add(offset, at(offset));
    }
  }
  begun_.resize(1, true);
  put_in_place(rank);
  if (rank < 0) map(0);
  return true;
}

std::vector<OwnPages::Page> OwnPages::first_contents() const {
  std::vector<Page> pages;
  for (const std::size_t offset : first_) {
    const char* const begin = part(0) + offset;
    pages.push_back({offset, std::vector<char>(begin, begin + page_size())});
  }
  return pages;
}

void OwnPages::put_in_place(RankId rank) {
  const std::size_t number = part_of(rank);
  if (number == in_place_) return;
  if (number >= begun_.size()) begun_.resize(number + 1);
  if (!begun_[number]) {
    if (!reach(number)) memory_ran_out();
    for (const std::size_t offset : first_) std::memcpy(part(number) + offset, part(0) + offset, page_size());
    begun_[number] = true;
  }
  map(number);
  in_place_ = number;
}

void OwnPages::release(RankId rank) {
  const std::size_t number = part_of(rank);
  if (number >= begun_.size() || !begun_[number]) return;
  fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(number * length_),
            static_cast<off_t>(length_));
  begun_[number] = false;
}

char* OwnPages::permanent(const void* address) const {
  if (begun_.empty()) return nullptr;
  std::size_t offset = 0;
  for (const PageRange& each : ranges_) {
    if (each.contains(address)) {
      return part(in_place_) + offset + (static_cast<const char*>(address) - each.begin);
    }
    offset += each.length;
  }
  return nullptr;
}

// Make the part of this number a part of the file, and map it permanently.
bool OwnPages::reach(std::size_t number) {
  while (views_.empty() || number >= views_.back().first + views_.back().count) {
    const std::size_t first = views_.empty() ? 0 : views_.back().first + views_.back().count;
    const std::size_t count = std::max(first, kPartsOfView);
    const auto offset = static_cast<off_t>(first * length_);
    if (ftruncate(file_, offset + static_cast<off_t>(count * length_)) != 0) return false;
    void* const address =
        mmap(nullptr, count * length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, offset);
    if (address == MAP_FAILED) return false;
    views_.push_back({first, count, static_cast<char*>(address)});
  }
  return true;
}

char* OwnPages::part(std::size_t number) const {
  const auto view =
      std::find_if(views_.begin(), views_.end(), [&](const View& each) { return number < each.first + each.count; });
  return view->address + (number - view->first) * length_;
}

void OwnPages::map(std::size_t number) const {
  auto offset = static_cast<off_t>(number * length_);
  for (const PageRange& each : ranges_) {
    void* const mapped = mmap(each.begin, each.length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file_, offset);
    if (mapped == MAP_FAILED) memory_ran_out();
    offset += static_cast<off_t>(each.length);
  }
}

// Return the pages in place that exist, without creating others by reading them.
std::vector<OwnPages::Page> OwnPages::present_pages() const {
  std::vector<Page> pages;
  const auto begin = static_cast<off_t>(in_place_ * length_), end = begin + static_cast<off_t>(length_);
  for (off_t at = lseek(file_, begin, SEEK_DATA); at >= 0 && at < end; at = lseek(file_, at, SEEK_DATA)) {
    std::vector<char> contents(page_size());
    if (pread(file_, contents.data(), contents.size(), at) < 0) break;
    pages.push_back({static_cast<std::size_t>(at - begin), std::move(contents)});
    at += static_cast<off_t>(page_size());
  }
  return pages;
}

void OwnPages::save() {
  if (!begun_.empty()) saved_ = present_pages();
}

void OwnPages::keep_saved() {
  if (begun_.empty()) return;
  for (const PageRange& each : ranges_) {
    mmap(each.begin, each.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }
  for (const Page& each : saved_) std::memcpy(at(each.offset), each.contents.data(), each.contents.size());
  saved_.clear();
  for (const View& each : views_) munmap(each.address, each.count * length_);
  views_.clear();
  begun_.clear();
  close(file_);
}

char* OwnPages::at(std::size_t offset) const {
  auto range = ranges_.begin();
  for (; offset >= range->length; ++range) offset -= range->length;
  return range->begin + offset;
}

}  // namespace pysmpi
