// Timeline as a CSV table: one line for each slice, message, and interval of a link's use, written when it ends.
#include "instrumentation/timeline/output_file.hpp"
#include "instrumentation/timeline/text_line.hpp"
#include "instrumentation/timeline/timeline_writer.hpp"

namespace pysmpi {

namespace {

class CsvWriter final : public TimelineWriter {
 public:
  CsvWriter(const std::string& path, const Names& names) : TimelineWriter(names), file_(path) {
    file_.append("kind,name,rank,thread,depth,begin,end,peer,tag,bytes,used\n");
  }

  void add(const Track&) override {}
  void begin(const Track&, const Slice&) override {}
  void end(const Track& track, const Slice& slice) override { whole(track, slice); }
  void whole(const Track& track, const Slice& slice) override {
    line_ << kSliceKinds[static_cast<int>(slice.kind)] << ',';
    name(names_.text(slice.name));
    line_ << ',' << track.rank << ',' << track.thread() << ',' << std::int32_t{slice.depth} << ',' << slice.begun << ','
          << slice.ended;
    given(slice.peer);
    given(slice.tag);
    given(slice.bytes);
    line_ << ',';
    write();
  }

  void sent(const MessageOnWay&) override {}
  void received(double now, const MessageOnWay& message) override {
    line_ << "message," << (message.inside_collective ? "collective" : "program") << ',' << message.source << ",0,,"
          << message.sent << ',' << now << ',' << message.destination << ',' << message.tag << ',' << message.bytes
          << ',';
    write();
  }

  void add_link(LinkId, const std::string& name) override { link_ = name; }
  void used(LinkId, double begun, double ended, double part) override {
    line_ << "link,";
    name(link_);
    line_ << ",,,," << begun << ',' << ended << ",,,," << part;
    write();
  }

  int close() override { return file_.close(); }

 private:
  void name(std::string_view text) {  // quoted as in RFC 4180
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
      line_ << text;
      return;
    }
    line_ << '"';
    for (const char each : text) {
      if (each == '"') line_ << '"';
      line_ << each;
    }
    line_ << '"';
  }
  void given(std::int64_t number) {
    line_ << ',';
    if (number >= 0) line_ << number;
  }
  void write() {
    line_ << '\n';
    file_.append(line_.text());
    line_.clear();
  }

  OutputFile file_;
  TextLine line_;
  std::string link_;
};

}  // namespace

std::unique_ptr<TimelineWriter> csv_writer(const std::string& path, const Names& names) {
  return std::make_unique<CsvWriter>(path, names);
}

}  // namespace pysmpi
