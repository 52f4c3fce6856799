// Timeline in Paje's format (L. Schnorr et al., "Paje trace file", version 1.2.5), as pj_dump reads it. Hosts contain
// ranks, ranks contain the threads that they start, and the platform contains the links. States and phases are pushed
// and popped; messages are Paje links; the use of a network link is a variable.
#include <unordered_set>
#include <vector>

#include "instrumentation/timeline/output_file.hpp"
#include "instrumentation/timeline/text_line.hpp"
#include "instrumentation/timeline/timeline_writer.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

namespace {

constexpr std::string_view kDefinitions =
    "%EventDef PajeDefineContainerType 0\n%\tAlias string\n%\tType string\n%\tName string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 1\n%\tAlias string\n%\tType string\n%\tName string\n%\tColor "
    "color\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 2\n%\tAlias string\n%\tType string\n%\tName string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n%\tAlias string\n%\tType string\n%\tStartContainerType string\n"
    "%\tEndContainerType string\n%\tName string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 4\n%\tAlias string\n%\tType string\n%\tName string\n%\tColor color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n%\tTime date\n%\tAlias string\n%\tType string\n%\tContainer string\n"
    "%\tName string\n%EndEventDef\n"
    "%EventDef PajePushState 6\n%\tTime date\n%\tType string\n%\tContainer string\n%\tValue string\n%EndEventDef\n"
    "%EventDef PajePopState 7\n%\tTime date\n%\tType string\n%\tContainer string\n%EndEventDef\n"
    "%EventDef PajeStartLink 8\n%\tTime date\n%\tType string\n%\tContainer string\n%\tValue string\n"
    "%\tStartContainer string\n%\tKey string\n%\tBytes string\n%\tTag string\n%EndEventDef\n"
    "%EventDef PajeEndLink 9\n%\tTime date\n%\tType string\n%\tContainer string\n%\tValue string\n"
    "%\tEndContainer string\n%\tKey string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 10\n%\tTime date\n%\tType string\n%\tContainer string\n%\tValue double\n%EndEventDef\n"
    "0 HOST 0 host\n0 RANK HOST rank\n0 THREAD RANK thread\n0 LINK 0 link\n"
    "2 STATE RANK state\n2 PHASE RANK phase\n2 TSTATE THREAD state\n2 TPHASE THREAD phase\n"
    "3 MESSAGE 0 RANK RANK message\n"
    "4 program MESSAGE \"message\" \"0.2 0.2 0.2\"\n"
    "4 collective MESSAGE \"message inside a collective\" \"0.6 0.6 0.6\"\n"
    "1 USED LINK used \"0.3 0.5 0.8\"\n";
constexpr const char* kColours[] = {"0.30 0.69 0.31", "0.62 0.62 0.62", "0.13 0.59 0.95", "0.96 0.26 0.21",
                                    "1.00 0.76 0.03"};  // indexed by SliceKind

class PajeWriter final : public TimelineWriter {
 public:
  PajeWriter(const std::string& path, const Names& names) : TimelineWriter(names), file_(path) {
    file_.append(kDefinitions);
  }

  void add(const Track& track) override {
    if (hosts_.insert(track.host).second) {
      line_ << "5 0 H" << track.host << " HOST 0 ";
      text(current_platform()->host(track.host).name);
      write();
    }
    line_ << "5 0 ";
    container(track);
    if (track.is_first()) {
      line_ << " RANK H" << track.host << ' ';
    } else {
      line_ << " THREAD R" << track.rank << ' ';
    }
    text(track.name());
    write();
  }

  void begin(const Track& track, const Slice& slice) override {
    define(track, slice);
    line_ << "6 " << slice.begun << ' ';
    type(track, slice.kind);
    line_ << ' ';
    container(track);
    line_ << ' ';
    value(track, slice);
    write();
  }
  void end(const Track& track, const Slice& slice) override {
    line_ << "7 " << slice.ended << ' ';
    type(track, slice.kind);
    line_ << ' ';
    container(track);
    write();
  }
  void whole(const Track& track, const Slice& slice) override {
    begin(track, slice);
    end(track, slice);
  }

  // Nothing is written when a message is sent: received() writes both ends of the message's arrow, because readers
  // reject an arrow with only one end.
  void sent(const MessageOnWay&) override {}
  void received(double now, const MessageOnWay& message) override {
    const char* const value = message.inside_collective ? "collective" : "program";
    line_ << "8 " << message.sent << " MESSAGE 0 " << value << " R" << message.source << " m" << message.number << ' '
          << message.bytes << ' ' << message.tag;
    write();
    line_ << "9 " << now << " MESSAGE 0 " << value << " R" << message.destination << " m" << message.number;
    write();
  }

  void add_link(LinkId link, const std::string& name) override {
    line_ << "5 0 L" << link << " LINK 0 ";
    text(name);
    write();
  }
  void used(LinkId link, double begun, double, double part) override {
    line_ << "10 " << begun << " USED L" << link << ' ' << part;
    write();
  }

  int close() override { return file_.close(); }

 private:
  // Write quoted text. The format cannot escape quotes, so they become apostrophes.
  void text(std::string_view text) {
    line_ << '"';
    for (const char each : text) {
      line_ << (each == '"' ? '\'' : static_cast<unsigned char>(each) < 0x20 ? ' ' : each);
    }
    line_ << '"';
  }
  void container(const Track& track) {
    if (track.is_first()) {
      line_ << 'R' << track.number;
    } else {
      line_ << 'T' << track.thread();
    }
  }
  void type(const Track& track, SliceKind kind) {
    if (!track.is_first()) line_ << 'T';
    line_ << (kind == SliceKind::kPhase ? "PHASE" : "STATE");
  }
  void value(const Track& track, const Slice& slice) {
    line_ << (track.is_first() ? 'V' : 'T') << (slice.kind == SliceKind::kPhase ? 'P' : 'S') << slice.name;
  }

  // Define the name of a state or phase, which Paje calls a value, when it is first used. Each value belongs to one
  // type.
  void define(const Track& track, const Slice& slice) {
    const std::size_t place =
        std::size_t{4} * slice.name + (track.is_first() ? 0 : 2) + (slice.kind == SliceKind::kPhase ? 1 : 0);
    if (place >= defined_.size()) defined_.resize(place + 1);
    if (defined_[place]) return;
    defined_[place] = true;
    line_ << "4 ";
    value(track, slice);
    line_ << ' ';
    type(track, slice.kind);
    line_ << ' ';
    text(names_.text(slice.name));
    line_ << " \"" << kColours[static_cast<int>(slice.kind)] << '"';
    write();
  }

  void write() {
    line_ << '\n';
    file_.append(line_.text());
    line_.clear();
  }

  OutputFile file_;
  TextLine line_;
  // Flags, four for each name, that show what the name has been defined as: state of a rank, phase of a rank, state of
  // a thread, phase of a thread.
  std::vector<bool> defined_;
  std::unordered_set<HostId> hosts_;  // looked up, never iterated
};

}  // namespace

std::unique_ptr<TimelineWriter> paje_writer(const std::string& path, const Names& names) {
  return std::make_unique<PajeWriter>(path, names);
}

}  // namespace pysmpi
