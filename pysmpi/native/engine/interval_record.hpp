// The measured intervals of a run, kept for other runs of the same program.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace pysmpi {

// A place is a hash of the MPI calls before and after an interval, with their lines in the program (engine/likes.hpp).
// A file of measured intervals begins with a header, a row for each pair of a thread and a place, and a row for each
// thread that has received messages; both kinds of rows are sorted. Then come the seconds of all intervals, 4 bytes
// each, and a hash of each received message. The byte order is that of the machine.
struct RecordHeader {
  char format[8];
  std::uint64_t intervals_rows, message_rows, intervals, messages;
};

// One thread's intervals at one place, or one thread's messages (`place` is 0): `count` entries from `first` on.
struct RecordRow {
  std::int32_t thread;
  std::uint32_t place;
  std::uint64_t first, count;
};

inline constexpr char kRecordFormat[8] = {'p', 'y', 's', 'm', 'p', 'i', 'i', '1'};

// Return a hash of a received message's source, tag and length in bytes.
std::uint32_t hash_of_message(std::int32_t source, std::int32_t tag, std::int64_t bytes);

class IntervalRecord {
 public:
  // Add an interval. Returns the seconds that it counts, as other runs will read them: a float.
  double add(std::int32_t thread, std::uint32_t place, double seconds);
  void add_message(std::int32_t thread, std::uint32_t hash) { messages_[thread].push_back(hash); }

  // Write the file. Returns 0, or an error number of the system.
  int write(const std::string& path) const;

  std::uint64_t count() const { return count_; }

  // Return the longest sum of one thread's intervals, in seconds.
  double longest() const;

  // Return how much the seconds of consecutive intervals at the same place differ. The result is the fraction that nine
  // of ten differences do not exceed, where each difference is weighted by the seconds of its two intervals. If a
  // thread has only one interval at a place, it is compared with the single interval of another thread there. Returns a
  // negative number if no two intervals can be compared.
  double spread() const;

 private:
  using Place = std::pair<std::int32_t, std::uint32_t>;  // thread, place
  struct Hash {
    std::size_t operator()(const Place& place) const {
      return static_cast<std::size_t>(static_cast<std::uint32_t>(place.first)) << 32 | place.second;
    }
  };
  std::vector<Place> sorted_places() const;

  std::uint64_t count_ = 0;
  std::unordered_map<Place, std::vector<float>, Hash> intervals_;
  std::map<std::int32_t, std::vector<std::uint32_t>> messages_;
};

}  // namespace pysmpi
