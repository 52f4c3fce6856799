// Keeps the last uninterrupted intervals at each place of the program, and returns the typical seconds of one.
#include "engine/likes.hpp"

namespace pysmpi {

void Likes::add(std::int32_t thread, std::uint32_t place, double seconds) {
  all_[place].add(seconds);
  const std::uint64_t own = key(thread, place);
  if (own_.size() < kMostOwn) {
    own_[own].add(seconds);
  } else if (const auto found = own_.find(own); found != own_.end()) {
    found->second.add(seconds);
  }
}

double Likes::of(std::int32_t thread, std::uint32_t place) const {
  constexpr std::size_t kLeastOwn = 4, kLeastOfAll = 8;
  if (const auto own = own_.find(key(thread, place)); own != own_.end()) {
    if (const double seconds = own->second.agreed(kLeastOwn); seconds >= 0.0) return seconds;
  }
  const auto all = all_.find(place);
  return all == all_.end() ? 0.0 : std::max(0.0, all->second.agreed(kLeastOfAll));
}

// Return the median. Returns 0 if the intervals do not agree, and a negative number if there are fewer than `least`.
// One interval in 16 may lie far below the others, and one in 16 far above.
template <std::size_t kLength>
double Likes::Last<kLength>::agreed(std::size_t least) const {
  const std::size_t known = std::min<std::size_t>(count_, kLength);
  if (known < least) return -1.0;
  std::array<float, kLength> sorted = seconds_;
  std::sort(sorted.begin(), sorted.begin() + known);
  const std::size_t left_out = known / 16;
  return are_alike(sorted[left_out], sorted[known - 1 - left_out]) ? sorted[known / 2] : 0.0;
}

}  // namespace pysmpi
