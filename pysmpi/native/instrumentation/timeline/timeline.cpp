// Timeline: turns the engine's events into slices, messages and link use.
#include "instrumentation/timeline/timeline.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "engine/simulation.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

namespace {

constexpr const char* kComputing[] = {"computing (measured)", "computing (sampled)", "computing (modelled)",
                                      "computing (injected)"};

const char* name_of_wait(const BlockedOn& on) {
  switch (on.kind) {
    case WaitKind::kReceive:
      return "waiting to receive";
    case WaitKind::kSend:
      return "waiting to send";
    case WaitKind::kCollective:
      return "waiting for messages";
    case WaitKind::kProbe:
      return "waiting for a message";
    case WaitKind::kThread:
      return "waiting for another thread";
    case WaitKind::kLock:
      return "waiting for a lock";
    default:
      break;
  }
  if (on.request == kNone) return "waiting";
  const Request& r = request(on.request);
  if (r.is_schedule()) return "waiting for messages";
  if (r.is_send()) return "waiting to send";
  return r.is_receive() ? "waiting to receive" : "waiting";
}

}  // namespace

Timeline::Row& Timeline::row_of(const Fiber& thread) {
  return thread.number < kFirstThread ? ranks_[thread.number] : threads_[thread.number - kFirstThread];
}

std::uint8_t Timeline::depth_of(const Row& row) {
  return static_cast<std::uint8_t>(
      std::ranges::count_if(row.open, [](const Slice& slice) { return slice.kind != SliceKind::kPhase; }));
}

void Timeline::thread_begins(double, const Fiber& thread) {
  const bool is_first = thread.number < kFirstThread;
  std::deque<Row>& rows = is_first ? ranks_ : threads_;
  const auto place = static_cast<std::size_t>(is_first ? thread.number : thread.number - kFirstThread);
  if (place >= rows.size()) rows.resize(place + 1);
  // Threads of different ranks may use the same number one after the other, so each track gets a separate number.
  const Track track{is_first ? thread.number : next_thread_++, thread.rank, simulation().host_of(thread.rank)};
  rows[place] = Row();
  rows[place].track = track;
  writer_->add(track);
}

void Timeline::thread_ends(double now, const Fiber& thread) { close_all(row_of(thread), now); }

void Timeline::open(Row& row, SliceKind kind, std::uint32_t name, double now) {
  row.open.push_back({.kind = kind, .depth = depth_of(row), .name = name, .begun = now});
  writer_->begin(row.track, row.open.back());
}

void Timeline::close_innermost(Row& row, double now) {
  Slice slice = row.open.back();
  row.open.pop_back();
  slice.ended = now;
  writer_->end(row.track, slice);
}

void Timeline::close_all(Row& row, double now) {
  if (row.works) {
    show(row, row.working.kind, row.working.name, row.working.begun, now);
  } else if (row.waits) {
    show(row, row.waiting.kind, row.waiting.name, row.waiting.begun, now);
  }
  row.works = row.waits = false;
  while (!row.open.empty()) close_innermost(row, now);
}

void Timeline::show(const Row& row, SliceKind kind, std::uint32_t name, double begun, double ended) {
  if (!(ended > begun)) return;
  writer_->whole(row.track, {.kind = kind, .depth = depth_of(row), .name = name, .begun = begun, .ended = ended});
}

void Timeline::call_begins(double now, const Fiber& thread, const char* function) {
  open(row_of(thread), SliceKind::kCall, names_.number_of_literal(function), now);
}

void Timeline::call_concerns(const Fiber& thread, const CallSubject& subject) {
  Row& row = row_of(thread);
  if (row.open.empty()) return;
  Slice& call = row.open.back();
  call.peer = std::max(subject.peer, -1);
  call.tag = std::max(subject.tag, -1);
  call.bytes = subject.bytes;
}

void Timeline::call_ends(double now, const Fiber& thread) {
  Row& row = row_of(thread);
  while (!row.open.empty()) {
    const bool is_call = row.open.back().kind == SliceKind::kCall;
    close_innermost(row, now);
    if (is_call) return;
  }
}

void Timeline::computation_begins(double now, const Fiber& thread, const BySource& flops) {
  Row& row = row_of(thread);
  if (row.waits) show(row, row.waiting.kind, row.waiting.name, row.waiting.begun, now);
  row.working = {.kind = SliceKind::kComputing, .name = names_.number_of_literal(kComputing[0]), .begun = now};
  row.flops = flops;
  row.works = true;
}

// Show a computation as one slice for each of its time sources (measured, modelled, …), one after the other.
void Timeline::computation_ends(double now, const Fiber& thread) {
  Row& row = row_of(thread);
  if (!std::exchange(row.works, false)) return;
  row.waiting.begun = now;
  const double total = row.flops.total(), taken = now - row.working.begun;
  double part = 0.0, begun = row.working.begun;
  for (std::size_t source = 0; source < kTimeSources; ++source) {
    if (row.flops.amounts[source] <= 0.0) continue;
    part += row.flops.amounts[source];
    const double ended = part == total ? now : row.working.begun + taken * (part / total);
    show(row, SliceKind::kComputing, names_.number_of_literal(kComputing[source]), begun, ended);
    begun = ended;
  }
}

void Timeline::sleep_begins(double now, const Fiber& thread) {
  Row& row = row_of(thread);
  row.working = {.kind = SliceKind::kSleeping, .name = names_.number_of_literal("sleeping"), .begun = now};
  row.works = true;
}

void Timeline::sleep_ends(double now, const Fiber& thread) {
  Row& row = row_of(thread);
  if (std::exchange(row.works, false)) show(row, SliceKind::kSleeping, row.working.name, row.working.begun, now);
}

void Timeline::block_begins(double now, const Fiber& thread, const BlockedOn& on) {
  Row& row = row_of(thread);
  if (on.kind == WaitKind::kTime && row.works) return;
  const bool in_call = !row.open.empty() && row.open.back().kind == SliceKind::kCall;
  if (on.kind == WaitKind::kTime && in_call) return;  // the call's own cost belongs to the call's slice
  const bool is_call = on.kind == WaitKind::kTime;    // true for a call outside any slice, such as MPI_Init
  row.waiting = {.kind = is_call ? SliceKind::kCall : SliceKind::kWaiting,
                 .name = names_.number_of_literal(is_call ? on.call : name_of_wait(on)),
                 .begun = now};
  row.waits = true;
}

void Timeline::block_ends(double now, const Fiber& thread) {
  Row& row = row_of(thread);
  if (!std::exchange(row.waits, false)) return;
  show(row, row.waiting.kind, row.waiting.name, row.waiting.begun, now);
}

void Timeline::phase_begins(double now, const Fiber& thread, const char* name) {
  open(row_of(thread), SliceKind::kPhase, names_.number(name), now);
}

// End a phase. If the program ends a phase before the phases nested in it, these end too and begin again.
void Timeline::phase_ends(double now, const Fiber& thread, const char* name) {
  Row& row = row_of(thread);
  const std::uint32_t number = names_.number(name);
  const auto is_it = [&](const Slice& slice) { return slice.kind == SliceKind::kPhase && slice.name == number; };
  const auto found = std::find_if(row.open.rbegin(), row.open.rend(), is_it);
  if (found == row.open.rend()) return;
  const std::vector<Slice> inside(found.base(), row.open.end());
  for (std::size_t i = 0; i <= inside.size(); ++i) close_innermost(row, now);
  for (const Slice& slice : inside) open(row, slice.kind, slice.name, now);
}

void Timeline::message_sent(double now, const Request& send) {
  writer_->sent({.number = send.sequence,
                 .source = send.owner,
                 .destination = send.peer,
                 .tag = tag_number(send.tag),
                 .bytes = send.bytes,
                 .sent = now,
                 .inside_collective = send.context % 2 != 0});
}

void Timeline::request_completed(double now, const Request& r) {
  if (!r.is_receive() || !(r.flags & kMatched) || r.is_compound() || r.is_partitioned() ||
      r.fault.error > kErrTruncate) {
    return;
  }
  writer_->received(now, {.number = r.message,
                          .source = r.peer,
                          .destination = r.owner,
                          .tag = tag_number(r.matched_tag),
                          .bytes = r.sent_bytes,
                          .sent = r.message_posted,
                          .inside_collective = r.context % 2 != 0});
}

// Write the use of each link; consecutive intervals of equal use become one.
void Timeline::write_links(double now) {
  const Platform& platform = *current_platform();
  for (LinkId link = 0; link < platform.link_count(); ++link) {
    const LinkId number = simulation().carrier->number_of(link);
    if (number == kNone) continue;
    const std::vector<double>& loads = link_use_.load_seconds(number);
    if (loads.empty()) continue;
    writer_->add_link(link, platform.link(link).name);
    const double width = link_use_.width();
    for (std::size_t i = 0; i < loads.size();) {
      std::size_t same = i + 1;
      while (same < loads.size() && loads[same] == loads[i]) ++same;
      const double begun = static_cast<double>(i) * width;
      const double ended = std::min(static_cast<double>(same) * width, now);
      if (ended > begun) writer_->used(link, begun, ended, loads[i] * static_cast<double>(same - i) / (ended - begun));
      i = same;
    }
    const double used_until = static_cast<double>(loads.size()) * width;
    if (used_until < now) writer_->used(link, used_until, now, 0.0);
  }
}

int Timeline::close(double now) {
  for (Row& row : ranks_) close_all(row, now);
  for (Row& row : threads_) close_all(row, now);
  if (simulation().carrier->uses_links()) write_links(now);
  return writer_->close();
}

}  // namespace pysmpi
