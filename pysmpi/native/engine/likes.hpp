// The seconds of earlier computation intervals, with which an interrupted interval is compared.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace pysmpi {

// Return whether two intervals (seconds) may be the same work: the longer one takes at most 1.5 times as long, or is
// longer by no more than caches change a short interval.
inline bool are_alike(double one, double other) {
  constexpr double kAgreement = 1.5, kLittle = 3e-5;
  const double least = std::min(one, other), most = std::max(one, other);
  return most <= kAgreement * least || most - least <= kLittle;
}

// The last uninterrupted intervals at each place of the program. A place is a hash of the MPI calls before and after an
// interval, each with its line in the program.
//
// Example: in each step, rank 0 computes 9 ms and the ranks 1 to 7 compute 3 ms at the same place. An interval of rank
// 0 that was interrupted is like its own intervals of earlier steps, 9 ms. In the first steps there are too few of
// those. The intervals of all ranks, 9 and 3 ms, do not agree, so they say nothing about rank 0.
class Likes {
 public:
  void add(std::int32_t thread, std::uint32_t place, double seconds);

  // Return the median of the thread's own last intervals at the place, or else of those of all threads. Returns 0 if
  // there are too few of them, or if they do not agree.
  double of(std::int32_t thread, std::uint32_t place) const;

 private:
  template <std::size_t kLength>
  class Last {
   public:
    void add(double seconds) { seconds_[count_++ % kLength] = static_cast<float>(seconds); }
    double agreed(std::size_t least) const;

   private:
    std::array<float, kLength> seconds_;
    std::uint32_t count_ = 0;
  };

  static constexpr std::size_t kMostOwn = 1 << 18;  // threads times places; further ones only count for all threads

  static std::uint64_t key(std::int32_t thread, std::uint32_t place) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(thread)) << 32 | place;
  }

  // Looked up, never iterated.
  std::unordered_map<std::uint64_t, Last<16>> own_;
  std::unordered_map<std::uint32_t, Last<64>> all_;
};

}  // namespace pysmpi
