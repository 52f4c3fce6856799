// Reads recorded intervals, and decides for each interval of this run whether it takes the recorded seconds.
#include "engine/reused_intervals.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "engine/likes.hpp"

namespace pysmpi {

namespace {

std::uint64_t key(std::int32_t thread, std::uint32_t place) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(thread)) << 32 | place;
}

// Return whether an MPI function may be called any number of times while a rank waits.
bool polls(const char* function) {
  if (!function) return false;
  const std::string_view name = function;
  return name.starts_with("MPI_Test") || name.ends_with("probe") || name.starts_with("MPI_Request_get_status");
}

}  // namespace

std::unique_ptr<ReusedIntervals> ReusedIntervals::read(const std::string& path, RankId first) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat about;
  void* memory = MAP_FAILED;
  if (fstat(file, &about) == 0 && about.st_size >= static_cast<off_t>(sizeof(RecordHeader))) {
    memory = mmap(nullptr, about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  }
  close(file);
  if (memory == MAP_FAILED) return nullptr;
  std::unique_ptr<ReusedIntervals> reused(new ReusedIntervals(memory, about.st_size));
  return reused->index(first) ? std::move(reused) : nullptr;
}

ReusedIntervals::ReusedIntervals(void* memory, std::size_t length) : memory_(memory), length_(length) {}
ReusedIntervals::~ReusedIntervals() { munmap(memory_, length_); }

bool ReusedIntervals::index(RankId first) {
  RecordHeader header;
  std::memcpy(&header, memory_, sizeof header);
  if (std::memcmp(header.format, kRecordFormat, sizeof header.format) != 0) return false;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // most entries of one kind, so that their sum fits
  for (const std::uint64_t count : {header.intervals_rows, header.message_rows, header.intervals, header.messages}) {
    if (count > kMost) return false;
  }
  const std::uint64_t rows = header.intervals_rows + header.message_rows;
  if (length_ != sizeof header + rows * sizeof(RecordRow) + 4 * (header.intervals + header.messages)) return false;
  const auto* row = reinterpret_cast<const RecordRow*>(static_cast<const char*>(memory_) + sizeof header);
  const auto* const seconds = reinterpret_cast<const float*>(row + rows);
  const auto* const hashes = reinterpret_cast<const std::uint32_t*>(seconds + header.intervals);
  intervals_.reserve(header.intervals_rows);
  for (std::uint64_t i = 0; i < rows; ++i, ++row) {
    const bool of_messages = i >= header.intervals_rows;
    const std::uint64_t most = of_messages ? header.messages : header.intervals;
    if (row->first > most || row->count > most - row->first || row->count == 0) return false;
    const std::int32_t thread = row->thread < kFirstThread ? row->thread - first : row->thread;
    if (of_messages) {
      messages_[thread] = {hashes + row->first, hashes + row->first + row->count};
    } else {
      intervals_[key(thread, row->place)] = {seconds + row->first, seconds + row->first + row->count};
    }
  }
  return true;
}

double ReusedIntervals::take(const Interval& interval) {
  const auto found = intervals_.find(key(interval.thread, interval.place));
  if (found == intervals_.end()) {
    if (!polls(interval.to)) diverge();
    return measure_again(interval);
  }
  Entries<float>& recorded = found->second;
  if (recorded.next == recorded.end) return repeat(interval, recorded.end[-1]);
  const double seconds = *recorded.next++;
  // An interruption makes an interval longer, so an interrupted measured interval may be longer than the recorded one.
  const bool fits = are_alike(seconds, interval.seconds) || (interval.was_interrupted && interval.seconds > seconds);
  if (counts_.diverged && !fits) return measure_again(interval);
  ++counts_.reused;
  return seconds;
}

// Return the seconds of an interval that has no recorded counterpart left; the last one at its place took `seconds`.
double ReusedIntervals::repeat(const Interval& interval, double seconds) {
  if (!polls(interval.to)) diverge();
  if (!are_alike(seconds, interval.seconds)) return measure_again(interval);
  ++counts_.repeated;
  unmatched_[interval.thread] += seconds;
  return seconds;
}

double ReusedIntervals::measure_again(const Interval& interval) {
  ++counts_.measured;
  unmatched_[interval.thread] += interval.seconds;
  return interval.seconds;
}

void ReusedIntervals::compare_message(std::int32_t thread, std::uint32_t hash) {
  const auto found = messages_.find(thread);
  if (found == messages_.end() || found->second.next == found->second.end || *found->second.next++ != hash) diverge();
}

ReusedIntervals::Counts ReusedIntervals::counts() const {
  Counts counts = counts_;
  for (const auto& [place, recorded] : intervals_) counts.left_over += recorded.end - recorded.next;
  for (const auto& [thread, seconds] : unmatched_) counts.longest = std::max(counts.longest, seconds);
  return counts;
}

}  // namespace pysmpi
