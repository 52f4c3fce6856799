// Timeline in Perfetto's protobuf format (https://perfetto.dev/docs/reference/synthetic-track-event): a file of
// TracePackets in order of writing. Hosts are groups of tracks, ranks and their threads are tracks, and links are
// counters. Names are interned, which means that each is written once. Field numbers are those of
// protos/perfetto/trace/perfetto_trace.proto.
#include <bit>
#include <cmath>
#include <unordered_set>
#include <vector>

#include "instrumentation/timeline/output_file.hpp"
#include "instrumentation/timeline/timeline_writer.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

namespace {

// Builder of one protobuf message.
class Encoded {
 public:
  void clear() { bytes_.clear(); }
  std::string_view bytes() const { return bytes_; }

  void number(std::uint32_t field, std::uint64_t value) {
    varint(field << 3);
    varint(value);
  }
  void fixed(std::uint32_t field, std::uint64_t value) {
    varint(field << 3 | 1);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void real(std::uint32_t field, double value) { fixed(field, std::bit_cast<std::uint64_t>(value)); }
  void text(std::uint32_t field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(std::uint32_t field, const Encoded& value) { text(field, value.bytes_); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
    bytes_.push_back(static_cast<char>(value));
  }
  std::string bytes_;
};
static_assert(std::endian::native == std::endian::little);

enum class EventType : std::uint8_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };

enum TraceField : std::uint32_t { kPacket = 1 };
enum PacketField : std::uint32_t {
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};
enum InternedField : std::uint32_t { kEventCategories = 1, kEventNames = 2, kAnnotationNames = 3 };
enum InternedEntryField : std::uint32_t { kIid = 1, kName = 2 };
enum EventField : std::uint32_t {
  kCategoryIids = 3,
  kAnnotations = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kCounterValue = 44,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
};
enum AnnotationField : std::uint32_t { kAnnotationNameIid = 1, kAnnotationInt = 4 };
enum TrackField : std::uint32_t {
  kUuid = 1,
  kTrackName = 2,
  kParentUuid = 5,
  kCounter = 8,
  kChildOrdering = 11,
  kRank = 12
};
enum CounterField : std::uint32_t { kUnitName = 6 };

constexpr std::uint64_t kStateCleared = 1, kNeedsState = 2;  // bits of sequence_flags
constexpr std::uint64_t kSequence = 1;                       // the only packet sequence
constexpr std::uint64_t kExplicit = 3;                       // a value of child_ordering

// Offsets of track uuids. Threads use their own numbers, from 1, so that most uuids are short.
constexpr std::uint64_t kHosts = std::uint64_t{1} << 32, kLinks = std::uint64_t{2} << 32;
std::uint64_t uuid_of(const Track& track) { return static_cast<std::uint64_t>(track.number) + 1; }

// Categories are numbered: first the kinds of slices, then the categories below. Ids of interned strings (iids) begin
// at 1.
enum MessageCategory : std::uint32_t { kOfProgram = std::size(kSliceKinds), kOfCollective };
constexpr const char* kMessageCategories[] = {"message", "message inside a collective"};
enum Annotation : std::uint32_t { kTo, kFrom, kTag, kBytes };
constexpr const char* kAnnotationTexts[] = {"to", "from", "tag", "bytes"};
enum FixedName : std::uint32_t { kSend = 1, kReceive, kFirstOfTimeline };  // iids of event names

std::uint64_t nanoseconds(double seconds) { return static_cast<std::uint64_t>(std::llround(seconds * 1e9)); }

class PerfettoWriter final : public TimelineWriter {
 public:
  PerfettoWriter(const std::string& path, const Names& names) : TimelineWriter(names), file_(path) {
    Encoded packet, interned;
    for (std::uint32_t i = 0; i < std::size(kSliceKinds); ++i)
      intern(interned, kEventCategories, i + 1, kSliceKinds[i]);
    intern(interned, kEventCategories, kOfProgram + 1, kMessageCategories[0]);
    intern(interned, kEventCategories, kOfCollective + 1, kMessageCategories[1]);
    for (std::uint32_t i = 0; i < std::size(kAnnotationTexts); ++i) {
      intern(interned, kAnnotationNames, i + 1, kAnnotationTexts[i]);
    }
    intern(interned, kEventNames, kSend, "send");
    intern(interned, kEventNames, kReceive, "receive");
    packet.number(kSequenceId, kSequence);
    packet.number(kSequenceFlags, kStateCleared);
    packet.message(kInternedData, interned);
    write(packet);
  }

  void add(const Track& track) override {
    if (hosts_.insert(track.host).second) {
      describe(kHosts + track.host, current_platform()->host(track.host).name, 0, track.host);
    }
    const std::uint64_t parent = track.is_first() ? kHosts + track.host : 1 + static_cast<std::uint64_t>(track.rank);
    describe(uuid_of(track), track.name(), parent, static_cast<std::uint64_t>(track.number));
  }

  void begin(const Track& track, const Slice& slice) override {
    begin_event(EventType::kSliceBegin, uuid_of(track));
    name(slice.name);
    event_.number(kCategoryIids, static_cast<std::uint64_t>(slice.kind) + 1);
    write_event(slice.begun);
  }

  void end(const Track& track, const Slice& slice) override {
    begin_event(EventType::kSliceEnd, uuid_of(track));
    if (slice.bytes >= 0) annotate(kBytes, slice.bytes);
    write_event(slice.ended);
  }

  void whole(const Track& track, const Slice& slice) override {
    begin(track, slice);
    end(track, slice);
  }

  void sent(const MessageOnWay& message) override {
    begin_mark(kSend, message.source, message);
    annotate(kTo, message.destination);
    annotate(kTag, message.tag);
    annotate(kBytes, message.bytes);
    event_.fixed(kFlowIds, message.number + 1);
    write_event(message.sent);
  }

  void received(double now, const MessageOnWay& message) override {
    begin_mark(kReceive, message.destination, message);
    annotate(kFrom, message.source);
    event_.fixed(kTerminatingFlowIds, message.number + 1);
    write_event(now);
  }

  void add_link(LinkId link, const std::string& name) override {
    if (last_link_ == kNone) describe(kLinks, "links (part of the bandwidth)", 0, ~std::uint32_t{0} >> 1);
    Encoded counter;
    counter.text(kUnitName, "of bandwidth");
    describe(kLinks + 1 + link, name, kLinks, link, &counter);
    last_link_ = link;
  }

  void used(LinkId link, double begun, double, double part) override {
    begin_event(EventType::kCounter, kLinks + 1 + link);
    event_.real(kCounterValue, part);
    write_event(begun);
  }

  int close() override { return file_.close(); }

 private:
  static void intern(Encoded& interned, InternedField kind, std::uint64_t iid, std::string_view text) {
    Encoded entry;
    entry.number(kIid, iid);
    entry.text(kName, text);
    interned.message(kind, entry);
  }

  void begin_event(EventType type, std::uint64_t track) {
    event_.clear();
    packet_.clear();
    event_.number(kType, static_cast<std::uint64_t>(type));
    event_.number(kTrackUuid, track);
  }

  void begin_mark(FixedName name, RankId rank, const MessageOnWay& message) {
    begin_event(EventType::kInstant, static_cast<std::uint64_t>(rank) + 1);
    event_.number(kNameIid, name);
    event_.number(kCategoryIids, (message.inside_collective ? kOfCollective : kOfProgram) + 1);
  }

  // Set the name of the event. The packet that first uses a name also defines it.
  void name(std::uint32_t number) {
    event_.number(kNameIid, kFirstOfTimeline + number);
    if (number >= is_interned_.size()) is_interned_.resize(number + 1);
    if (is_interned_[number]) return;
    is_interned_[number] = true;
    Encoded interned;
    intern(interned, kEventNames, kFirstOfTimeline + number, names_.text(number));
    packet_.message(kInternedData, interned);
  }

  void annotate(Annotation name, std::int64_t value) {
    annotation_.clear();
    annotation_.number(kAnnotationNameIid, name + 1);
    annotation_.number(kAnnotationInt, static_cast<std::uint64_t>(value));
    event_.message(kAnnotations, annotation_);
  }

  void write_event(double time) {
    packet_.number(kTimestamp, nanoseconds(time));
    packet_.number(kSequenceId, kSequence);
    packet_.number(kSequenceFlags, kNeedsState);
    packet_.message(kTrackEvent, event_);
    write(packet_);
  }

  void write(const Encoded& packet) {
    framed_.clear();
    framed_.message(kPacket, packet);
    file_.append(framed_.bytes());
  }

  void describe(std::uint64_t uuid, std::string_view name, std::uint64_t parent, std::uint64_t place,
                const Encoded* counter = nullptr) {
    Encoded packet, track;
    track.number(kUuid, uuid);
    track.text(kTrackName, name);
    if (parent != 0) track.number(kParentUuid, parent);
    if (counter) track.message(kCounter, *counter);
    track.number(kChildOrdering, kExplicit);
    track.number(kRank, place);
    packet.number(kSequenceId, kSequence);
    packet.message(kTrackDescriptor, track);
    write(packet);
  }

  OutputFile file_;
  Encoded event_, packet_, framed_, annotation_;
  std::vector<bool> is_interned_;     // indexed by name
  std::unordered_set<HostId> hosts_;  // looked up, never iterated
  LinkId last_link_ = kNone;
};

}  // namespace

std::unique_ptr<TimelineWriter> perfetto_writer(const std::string& path, const Names& names) {
  return std::make_unique<PerfettoWriter>(path, names);
}

}  // namespace pysmpi
