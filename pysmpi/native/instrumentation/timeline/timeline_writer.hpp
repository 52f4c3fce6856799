// What a timeline consists of, and what each of its file formats is written by.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/types.hpp"

namespace pysmpi {

// Texts that come again and again, by number.
class Names {
 public:
  std::uint32_t number(std::string_view text);
  std::uint32_t number_of_literal(const char* text);  // which stays where it is
  const std::string& text(std::uint32_t number) const { return texts_[number]; }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;         // looked up, never iterated
  std::unordered_map<const char*, std::uint32_t> numbers_of_literals_;  // the same
};

enum class SliceKind : std::uint8_t { kComputing, kSleeping, kCall, kWaiting, kPhase };
inline constexpr const char* kSliceKinds[] = {"computing", "sleeping", "call", "waiting", "phase"};

// A thread of a rank: what it does stands in one row.
struct Track {
  std::int32_t number;  // the rank, of its first thread; from kFirstThread on, of others
  RankId rank;
  HostId host;

  bool is_first() const { return number < kFirstThread; }
  std::int32_t thread() const { return is_first() ? 0 : number - kFirstThread + 1; }  // 0: the rank's first
  std::string name() const {
    const std::string of_rank = "rank " + std::to_string(rank);
    return is_first() ? of_rank : of_rank + ", thread " + std::to_string(thread());
  }
};

// From `begun` to `ended` (simulated seconds) the thread has been in this state. Slices of a thread lie side by side,
// or inside each other.
struct Slice {
  SliceKind kind = SliceKind::kCall;
  std::uint8_t depth = 0;  // of how many others, phases apart, it is a part
  std::uint32_t name = 0;
  std::int32_t peer = -1, tag = -1;  // of a call, as its arguments have it; negative: none
  std::int64_t bytes = -1;           // the same
  double begun = 0.0, ended = 0.0;
};

struct MessageOnWay {
  std::uint64_t number;
  RankId source, destination;
  std::int32_t tag;
  std::int64_t bytes;
  double sent;             // when it was posted
  bool inside_collective;  // or part of another call than the program's own sends
};

class TimelineWriter {
 public:
  explicit TimelineWriter(const Names& names) : names_(names) {}
  virtual ~TimelineWriter() = default;

  virtual void add(const Track& track) = 0;  // before anything else about it

  // A slice that others may lie in begins, and ends. One without any, when it has ended: within a track these come in
  // order, but others may have been told later things meanwhile.
  virtual void begin(const Track& track, const Slice& slice) = 0;
  virtual void end(const Track& track, const Slice& slice) = 0;
  virtual void whole(const Track& track, const Slice& slice) = 0;

  virtual void sent(const MessageOnWay& message) = 0;
  virtual void received(double now, const MessageOnWay& message) = 0;

  // Which part of the link's bandwidth has been used between the two, on average: 1 is all of it. Last of all, link by
  // link, without gaps from the beginning of the run to its end.
  virtual void add_link(LinkId link, const std::string& name) = 0;
  virtual void used(LinkId link, double begun, double ended, double part) = 0;

  virtual int close() = 0;  // 0, or an errno: something could not be written

 protected:
  const Names& names_;
};

using TimelineWriterMaker = std::unique_ptr<TimelineWriter> (*)(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> perfetto_writer(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> trace_event_writer(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> paje_writer(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> csv_writer(const std::string& path, const Names& names);

}  // namespace pysmpi
