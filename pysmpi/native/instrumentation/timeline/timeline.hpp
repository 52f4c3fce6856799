// The timeline of a run, written to a file while the run proceeds: the activity of each thread of each rank, its
// messages, and the use of the links.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "engine/time_sources.hpp"
#include "instrumentation/link_use.hpp"
#include "instrumentation/observing.hpp"
#include "instrumentation/timeline/timeline_writer.hpp"

namespace pysmpi {

class Timeline final : public Observer {
 public:
  Timeline(TimelineWriterMaker make_writer, const std::string& path) : writer_(make_writer(path, names_)) {}

  void thread_begins(double now, const Fiber& thread) override;
  void thread_ends(double now, const Fiber& thread) override;
  void call_begins(double now, const Fiber& thread, const char* function) override;
  void call_concerns(const Fiber& thread, const CallSubject& subject) override;
  void call_ends(double now, const Fiber& thread) override;
  void computation_begins(double now, const Fiber& thread, const BySource& flops) override;
  void computation_ends(double now, const Fiber& thread) override;
  void sleep_begins(double now, const Fiber& thread) override;
  void sleep_ends(double now, const Fiber& thread) override;
  void block_begins(double now, const Fiber& thread, const BlockedOn& on) override;
  void block_ends(double now, const Fiber& thread) override;
  void phase_begins(double now, const Fiber& thread, const char* name) override;
  void phase_ends(double now, const Fiber& thread, const char* name) override;
  void message_sent(double now, const Request& send) override;
  void request_completed(double now, const Request& request) override;
  void flow_moved(const Incidence& graph, FlowId flow, double begun, double until, double rate) override {
    link_use_.add(graph, flow, begun, until, rate);
  }

  // Finish the timeline at the end of the run or at an early stop. Returns 0, or the errno of the first failed write.
  int close(double now);

 private:
  struct Row {
    Track track{};
    // Open slices that may contain others: phases and calls, the innermost last.
    std::vector<Slice> open;
    Slice working;   // computation or sleep in progress
    BySource flops;  // flops of that computation
    Slice waiting;
    // True while the slice `working` or `waiting` is open. Both are open while the thread waits for a schedule that
    // computes.
    bool works = false, waits = false;
  };
  Row& row_of(const Fiber& thread);
  static std::uint8_t depth_of(const Row& row);
  void open(Row& row, SliceKind kind, std::uint32_t name, double now);
  void close_innermost(Row& row, double now);
  void close_all(Row& row, double now);
  void show(const Row& row, SliceKind kind, std::uint32_t name, double begun, double ended);
  void write_links(double now);

  Names names_;
  std::unique_ptr<TimelineWriter> writer_;
  std::deque<Row> ranks_, threads_;  // indexed by number
  std::int32_t next_thread_ = kFirstThread;
  LinkUse link_use_;
};

}  // namespace pysmpi
