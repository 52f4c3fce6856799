// Links of a solve by the level at which they change, the lowest first. Most solves end when a few of the lowest links
// have been looked at, so the others stand unordered until they are needed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pysmpi {

struct Level {
  double level;
  std::uint32_t filling;  // a link's place in the solve
  bool operator<(const Level& other) const {
    return level < other.level || (level == other.level && filling < other.filling);
  }
  bool operator>(const Level& other) const { return other < *this; }
};

class LevelQueue {
 public:
  bool empty() const { return near_.empty() && far_.empty(); }

  void push(const Level& entry) {
    if (near_.empty() || last_near_ < entry) {
      far_.push_back(entry);
    } else {
      near_.push_back(entry);
      std::push_heap(near_.begin(), near_.end(), std::greater<>());
    }
  }

  // Takes out the lowest; of those at one level, the link that came into the solve first.
  Level pop() {
    if (near_.empty()) bring_near();
    std::pop_heap(near_.begin(), near_.end(), std::greater<>());
    const Level lowest = near_.back();
    near_.pop_back();
    return lowest;
  }

  void clear() {
    near_.clear();
    far_.clear();
    batch_ = 1;
  }

 private:
  // The lowest ones of those far, each time many more: what is taken out to the end costs a sort.
  void bring_near() {
    if (batch_ == 1) {
      const auto lowest = std::min_element(far_.begin(), far_.end());
      near_.push_back(*lowest);
      *lowest = far_.back();
      far_.pop_back();
      batch_ = 8;
    } else if (batch_ < far_.size()) {
      std::nth_element(far_.begin(), far_.end() - static_cast<std::ptrdiff_t>(batch_), far_.end(), std::greater<>());
      near_.assign(far_.end() - static_cast<std::ptrdiff_t>(batch_), far_.end());
      far_.resize(far_.size() - batch_);
      batch_ *= 8;
    } else {
      near_.swap(far_);
    }
    last_near_ = *std::max_element(near_.begin(), near_.end());
    std::make_heap(near_.begin(), near_.end(), std::greater<>());
  }

  std::vector<Level> near_;  // a heap: all up to last_near_, while there are any
  std::vector<Level> far_;   // in no order
  Level last_near_{};
  std::size_t batch_ = 1;
};

}  // namespace pysmpi
