// Timeline in the Trace Event Format of Chrome's tracing (JSON), for small runs. Hosts are processes, and ranks and
// their threads are threads. Times are in microseconds.
#include <unordered_set>

#include "instrumentation/timeline/output_file.hpp"
#include "instrumentation/timeline/text_line.hpp"
#include "instrumentation/timeline/timeline_writer.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

namespace {

constexpr int kDecimals = 6;  // digits after the point, of microseconds

class TraceEventWriter final : public TimelineWriter {
 public:
  TraceEventWriter(const std::string& path, const Names& names) : TimelineWriter(names), file_(path) {
    file_.append("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
  }

  void add(const Track& track) override {
    if (hosts_.insert(track.host).second) {
      name("process_name", process(track), 0, current_platform()->host(track.host).name);
    }
    name("thread_name", process(track), track.number, track.name());
    if (track.is_first()) {
      if (static_cast<std::size_t>(track.rank) >= process_of_rank_.size()) process_of_rank_.resize(track.rank + 1);
      process_of_rank_[track.rank] = process(track);
    }
  }

  void begin(const Track&, const Slice&) override {}  // a slice is one event, written at its end
  void end(const Track& track, const Slice& slice) override { whole(track, slice); }
  void whole(const Track& track, const Slice& slice) override {
    event("X", process(track), track.number, slice.begun);
    line_ << ",\"dur\":";
    line_.fixed((slice.ended - slice.begun) * 1e6, kDecimals);
    line_ << ",\"name\":";
    line_.quoted(names_.text(slice.name)) << ",\"cat\":\"" << kSliceKinds[static_cast<int>(slice.kind)] << '"';
    if (slice.bytes >= 0) {
      line_ << ",\"args\":{\"bytes\":" << slice.bytes;
      if (slice.peer >= 0) line_ << ",\"peer\":" << slice.peer;
      if (slice.tag >= 0) line_ << ",\"tag\":" << slice.tag;
      line_ << '}';
    }
    write();
  }

  // Nothing is written when a message is sent: received() writes both ends of the message's arrow, so that neither end
  // is missing if the message never arrives.
  void sent(const MessageOnWay&) override {}
  void received(double now, const MessageOnWay& message) override {
    event("s", process_of_rank_[message.source], message.source, message.sent);
    arrow(message);
    line_ << ",\"args\":{\"from\":" << message.source << ",\"to\":" << message.destination << ",\"tag\":" << message.tag
          << ",\"bytes\":" << message.bytes << '}';
    write();
    event("f", process_of_rank_[message.destination], message.destination, now);
    arrow(message);
    line_ << ",\"bp\":\"e\"";
    write();
  }

  void add_link(LinkId, const std::string& name) override { link_ = name; }
  void used(LinkId, double begun, double, double part) override {
    event("C", 0, 0, begun);
    line_ << ",\"name\":";
    line_.quoted(link_) << ",\"args\":{\"used\":" << part << '}';
    write();
  }

  int close() override {
    file_.append("\n]}\n");
    return file_.close();
  }

 private:
  static std::int64_t process(const Track& track) { return std::int64_t{track.host} + 1; }  // process 0 has the links

  void event(std::string_view phase, std::int64_t process, std::int32_t thread, double time) {
    line_.clear();
    line_ << (is_first_ ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"pid\":" << process << ",\"tid\":" << thread
          << ",\"ts\":";
    line_.fixed(time * 1e6, kDecimals);
    is_first_ = false;
  }
  void arrow(const MessageOnWay& message) {
    line_ << ",\"name\":\"message\",\"cat\":\""
          << (message.inside_collective ? "message inside a collective" : "message") << "\",\"id\":" << message.number;
  }
  void name(std::string_view what, std::int64_t process, std::int32_t thread, std::string_view text) {
    event("M", process, thread, 0.0);
    line_ << ",\"name\":\"" << what << "\",\"args\":{\"name\":";
    line_.quoted(text) << '}';
    write();
  }
  void write() {
    line_ << '}';
    file_.append(line_.text());
  }

  OutputFile file_;
  TextLine line_;
  bool is_first_ = true;
  std::unordered_set<HostId> hosts_;  // looked up, never iterated
  std::vector<std::int64_t> process_of_rank_;
  std::string link_;
};

}  // namespace

std::unique_ptr<TimelineWriter> trace_event_writer(const std::string& path, const Names& names) {
  return std::make_unique<TraceEventWriter>(path, names);
}

}  // namespace pysmpi
