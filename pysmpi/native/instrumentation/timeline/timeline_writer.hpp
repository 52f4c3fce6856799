// The elements of a timeline, and the interface of the writers of its file formats.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/types.hpp"

namespace pysmpi {

// A table of repeated texts, which gives each a number.
class Names {
 public:
  std::uint32_t number(std::string_view text);
  std::uint32_t number_of_literal(const char* text);  // faster; for texts that are never moved or freed
  const std::string& text(std::uint32_t number) const { return texts_[number]; }

 private:
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> numbers_;         // looked up, never iterated
  std::unordered_map<const char*, std::uint32_t> numbers_of_literals_;  // looked up, never iterated
};

enum class SliceKind : std::uint8_t { kComputing, kSleeping, kCall, kWaiting, kPhase };
inline constexpr const char* kSliceKinds[] = {"computing", "sleeping", "call", "waiting", "phase"};

// A thread of a rank, shown as one row.
struct Track {
  // Number of the thread: the rank's number for the rank's first thread, kFirstThread or more for all other threads.
  std::int32_t number;
  RankId rank;
  HostId host;

  bool is_first() const { return number < kFirstThread; }
  std::int32_t thread() const { return is_first() ? 0 : number - kFirstThread + 1; }  // 0 for the rank's first thread
  std::string name() const {
    const std::string of_rank = "rank " + std::to_string(rank);
    return is_first() ? of_rank : of_rank + ", thread " + std::to_string(thread());
  }
};

// A state of the thread from `begun` to `ended` (simulated seconds). Slices of a thread follow each other or are
// nested.
struct Slice {
  SliceKind kind = SliceKind::kCall;
  // Number of slices around this one, not counting phases.
  std::uint8_t depth = 0;
  std::uint32_t name = 0;
  // Peer and tag of a call; negative if the call has none.
  std::int32_t peer = -1, tag = -1;
  std::int64_t bytes = -1;
  double begun = 0.0, ended = 0.0;
};

// A message from its posting to its receipt.
struct MessageOnWay {
  std::uint64_t number;
  RankId source, destination;
  std::int64_t tag;
  std::int64_t bytes;
  double sent;  // time of posting
  // True if the message belongs to a collective or another call, and not to a send of the program.
  bool inside_collective;
};

// Interface of the writers of timelines. Each writer writes one file.
class TimelineWriter {
 public:
  explicit TimelineWriter(const Names& names) : names_(names) {}
  virtual ~TimelineWriter() = default;

  // Announce a track. Called before all other calls that refer to the track.
  virtual void add(const Track& track) = 0;

  // `begin` and `end` report a slice that may contain others; `whole` reports one that contains none, when it has
  // ended. Within a track, slices are reported in order. Other tracks may already be ahead.
  virtual void begin(const Track& track, const Slice& slice) = 0;
  virtual void end(const Track& track, const Slice& slice) = 0;
  virtual void whole(const Track& track, const Slice& slice) = 0;

  // Report that a message was sent, and later, with the same number, that it was received at `now`.
  virtual void sent(const MessageOnWay& message) = 0;
  virtual void received(double now, const MessageOnWay& message) = 0;

  // Report the average fraction of the link's bandwidth used from `begun` to `ended`; 1 is all of it. Links are
  // reported after everything else, one link after the other, without gaps from the beginning of the run to its end.
  virtual void add_link(LinkId link, const std::string& name) = 0;
  virtual void used(LinkId link, double begun, double ended, double part) = 0;

  virtual int close() = 0;  // 0, or the errno of a failed write

 protected:
  const Names& names_;
};

using TimelineWriterMaker = std::unique_ptr<TimelineWriter> (*)(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> perfetto_writer(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> trace_event_writer(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> paje_writer(const std::string& path, const Names& names);
std::unique_ptr<TimelineWriter> csv_writer(const std::string& path, const Names& names);

}  // namespace pysmpi
