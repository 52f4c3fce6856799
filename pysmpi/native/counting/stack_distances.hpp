// Stack distances: the bytes of different data that were accessed since the last access to the same data (R. L. Mattson
// et al., "Evaluation techniques for storage hierarchies", IBM Systems Journal 9(2), 1970). A cache with room for them
// and the data itself would still hold the data.
//
// Example: a, b and c are arrays of 80, 160 and 240 bytes, accessed in the order a, b, c, b, a. The second access to b
// has the distance 240. The second access to a has the distance 400, because b counts once. First accesses have none.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace pysmpi {

// Part of an array, as ranges of indices in up to four dimensions. Ranges of dimensions that do not exist are 0 to 1.
struct Box {
  static constexpr int kDimensions = 4;
  std::array<std::int64_t, kDimensions> begin{0, 0, 0, 0}, end{1, 1, 1, 1};

  std::int64_t volume() const {
    std::int64_t product = 1;
    for (int i = 0; i < kDimensions; ++i) product *= end[i] - begin[i];
    return product;
  }
  // Returns the number of indices that both boxes contain.
  std::int64_t common(const Box& other) const {
    std::int64_t product = 1;
    for (int i = 0; i < kDimensions; ++i) {
      product *= std::max<std::int64_t>(0, std::min(end[i], other.end[i]) - std::max(begin[i], other.begin[i]));
    }
    return product;
  }
  bool operator==(const Box&) const = default;
};

class StackDistances {
 public:
  // Record an access to a part of an array. Returns its distance in bytes, or nothing if less than half of the part was
  // accessed before. If its parts were accessed at different times, the time of the middle byte counts.
  //   array: key of the array; another array with the key of a previous one replaces it if its shape differs.
  //   whole: all indices of the array; length: its bytes.
  //   part: the accessed indices; bytes: their bytes.
  std::optional<std::uint64_t> access(std::uint64_t array, const Box& whole, std::uint64_t length, const Box& part,
                                      std::uint64_t bytes);

  // Returns whether an array with this key was accessed and not freed since then.
  bool contains(std::uint64_t array) const { return arrays_.contains(array); }

  // The array was freed. The next new array of the same length takes its memory, as with allocators of C libraries.
  void forget(std::uint64_t array);

 private:
  struct Piece {
    Box box;
    std::uint64_t time, bytes;  // of the last access; bytes not accessed since then by others
  };
  struct Array {
    Box whole;
    std::uint64_t length = 0;
    std::vector<Piece> pieces;  // in ascending order of `time`
  };
  using Pieces = std::vector<Piece>;

  Array& find(std::uint64_t array, const Box& whole, std::uint64_t length);
  void free(Array& array);
  void remove(Pieces& pieces);
  void change(std::uint64_t time, std::int64_t bytes);
  std::uint64_t bytes_after(std::uint64_t time) const;
  void renumber();

  std::unordered_map<std::uint64_t, Array> arrays_;
  std::unordered_map<std::uint64_t, std::vector<Pieces>> freed_;  // key: length of the array
  std::uint64_t now_ = 0, total_ = 0;                             // number of accesses; bytes of all pieces
  std::vector<std::uint64_t> sums_;  // sums of bytes by time: a binary indexed tree (P. M. Fenwick, 1994)
};

}  // namespace pysmpi
