// Pages of memory at fixed addresses, of which each rank has its own contents. The contents of all ranks lie in one
// file in memory, and the part of the running rank is mapped at the fixed addresses. Only pages that hold data exist.
//
// Example: the variables of a library lie in 5 pages, of which the first contains data and the others zeros. Rank 0
// changes a variable in the second page, and rank 1 runs next.
//   file, part of no rank   page 0
//   file, part of rank 0    pages 0 and 1
//   file, part of rank 1    page 0        mapped now; reads of its pages 1 to 4 find zeros
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

// A range of whole pages.
struct PageRange {
  char* begin;
  std::size_t length;

  bool contains(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(begin) < length;
  }
};

class OwnPages {
 public:
  explicit OwnPages(std::vector<PageRange> ranges);
  OwnPages(const OwnPages&) = delete;
  OwnPages& operator=(const OwnPages&) = delete;
  ~OwnPages();  // the contents of no rank remain, in ordinary memory

  struct Page {
    std::size_t offset;  // in a rank's part of the file
    std::vector<char> contents;
  };

  // From now on, each rank has its own contents, which begin as `first`, or as the present ones if it is null. `rank`
  // is the running rank, or -1. Returns false, and changes nothing, if the system refuses.
  bool begin(RankId rank, const std::vector<Page>* first);

  // Return the contents with which ranks begin.
  std::vector<Page> first_contents() const;

  // Put the contents of a rank (-1: of no rank) in place.
  void put_in_place(RankId rank);

  // Release the contents of a rank that has ended. It must not be in place.
  void release(RankId rank);

  // Return the permanent address of the running rank's data at an address, which it keeps while other ranks run; null
  // if the address lies elsewhere.
  char* permanent(const void* address) const;

  std::size_t length() const { return length_; }  // bytes of a rank's pages, of which most may not exist

  // Give a forked child process its own copy of the contents in place, as a fork does with other memory: `save` before
  // the fork, `keep_saved` in the child, `forget_saved` in the parent. In the child, the pages are ordinary memory
  // then, and put_in_place may not be called.
  void save();
  void keep_saved();
  void forget_saved() { saved_.clear(); }

 private:
  // Parts of the file that are always mapped, for consecutive ranks.
  struct View {
    std::size_t first, count;
    char* address;
  };

  bool reach(std::size_t part);
  char* part(std::size_t number) const;
  void map(std::size_t number) const;
  std::vector<Page> present_pages() const;
  char* at(std::size_t offset) const;

  const std::vector<PageRange> ranges_;
  std::size_t length_ = 0;
  int file_ = -1;
  std::vector<View> views_;
  std::vector<bool> begun_;         // parts that have their first contents; part 0 belongs to no rank
  std::vector<std::size_t> first_;  // offsets of the pages that contain data at first
  std::vector<Page> saved_;
  std::size_t in_place_ = 0;
};

}  // namespace pysmpi
