// Blocks of consecutive indices of an array, which are taken and given back in any order. A free block is used again
// for a block of the same length. If no free block has the length that is needed and much of the array is free,
// adjacent free blocks are merged. Example: a million routes of 40 links are given back, then a million routes of 50
// links are taken. They use merged blocks of the former routes instead of as much memory again.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pysmpi {

class IndexBlocks {
 public:
  // All indices that have been in a block are below this number.
  std::uint32_t end() const { return end_; }

  // Return the first index of a block of `count` indices.
  std::uint32_t take(std::uint32_t count) {
    if (count >= free_.size()) free_.resize(count + 1);
    std::vector<std::uint32_t>& same = free_[count];
    if (same.empty()) return take_part(count);
    const std::uint32_t first = same.back();
    same.pop_back();
    free_indices_ -= count;
    return first;
  }

  void give_back(std::uint32_t first, std::uint32_t count) {
    free_[count].push_back(first);
    free_indices_ += count;
    given_back_ += count;
  }

 private:
  struct Range {
    std::uint32_t first, count;
  };
  // Fewer free indices than this are never merged.
  static constexpr std::uint64_t kFewIndices = 65536;

  // Take a block from a longer free one, or from the end of the array.
  std::uint32_t take_part(std::uint32_t count) {
    const std::uint64_t taken = end_ - free_indices_;
    if ((merged_.empty() || merged_.back().count < count) && free_indices_ >= kFewIndices &&
        free_indices_ >= taken / 4 && given_back_ >= taken / 8) {
      merge();
    }
    if (merged_.empty() || merged_.back().count < count) {
      const std::uint32_t first = end_;
      end_ += count;
      return first;
    }
    Range& range = merged_.back();
    const std::uint32_t first = range.first;
    range = {first + count, range.count - count};
    free_indices_ -= count;
    if (range.count < count) {
      if (range.count > 0) free_[range.count].push_back(range.first);
      merged_.pop_back();
    }
    return first;
  }

  // Merge adjacent free blocks, and order them by length.
  void merge() {
    given_back_ = 0;
    std::vector<Range> all = std::move(merged_);
    for (std::uint32_t count = 1; count < free_.size(); ++count) {
      for (const std::uint32_t first : free_[count]) all.push_back({first, count});
      std::vector<std::uint32_t>().swap(free_[count]);
    }
    std::sort(all.begin(), all.end(), [](const Range& one, const Range& other) { return one.first < other.first; });
    merged_.clear();
    for (const Range& one : all) {
      if (!merged_.empty() && merged_.back().first + merged_.back().count == one.first) {
        merged_.back().count += one.count;
      } else {
        merged_.push_back(one);
      }
    }
    std::sort(merged_.begin(), merged_.end(), [](const Range& one, const Range& other) {
      return one.count != other.count ? one.count < other.count : one.first < other.first;
    });
  }

  std::vector<std::vector<std::uint32_t>> free_;  // first indices of free blocks, by length
  std::vector<Range> merged_;                     // merged free blocks, the longest last except for parts taken
  std::uint32_t end_ = 0;
  std::uint64_t free_indices_ = 0;
  std::uint64_t given_back_ = 0;  // indices given back since the last merge
};

}  // namespace pysmpi
