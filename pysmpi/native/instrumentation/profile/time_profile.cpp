// Time profile: assigns every second of every rank to a call site and a category, and follows critical paths.
#include "instrumentation/profile/time_profile.hpp"

#include <algorithm>
#include <utility>

#include "engine/call_site.hpp"
#include "matching/protocol.hpp"

namespace pysmpi {

namespace {

constexpr double kMostOfTheWay = 0.5;

// Return whether this is the rank's first thread. Only its time is profiled: it is the rank's time, and other threads
// run beside it.
bool is_first(const Fiber& thread) { return thread.number == thread.rank; }

Category category_of(Spent spent, WaitKind kind) {
  switch (spent) {
    case Spent::kAsleep:
      return Category::kAsleep;
    case Spent::kSendOverhead:
      return Category::kSendOverhead;
    case Spent::kReceiveOverhead:
      return Category::kReceiveOverhead;
    case Spent::kPolling:
      return Category::kPolling;
    case Spent::kWorkingOnData:
      return Category::kCollectiveData;
    default:
      break;
  }
  if (kind == WaitKind::kProbe) return Category::kPeer;
  return kind == WaitKind::kCollective ? Category::kCollectiveNetwork : Category::kOther;
}

PathKind kind_of(Spent spent) {
  switch (spent) {
    case Spent::kComputing:
      return PathKind::kComputation;
    case Spent::kSendOverhead:
    case Spent::kReceiveOverhead:
    case Spent::kWorkingOnData:
      return PathKind::kOverhead;
    default:
      return PathKind::kOther;
  }
}

void add(PairIndex& index, std::vector<TimeProfile::Waits>& rows, std::uint32_t first, std::uint32_t second,
         double seconds, RankId waiting, RankId awaited) {
  const std::uint32_t row = index.row(first, second);
  if (row == rows.size()) rows.emplace_back();
  TimeProfile::Waits& waits = rows[row];
  waits.seconds += seconds;
  if (waits.count++ == 0) waits.first_rank = waits.last_rank = waiting;
  waits.first_rank = std::min(waits.first_rank, waiting);
  waits.last_rank = std::max(waits.last_rank, waiting);
  if (seconds <= waits.longest) return;
  waits.longest = seconds;
  waits.waiting = waiting;
  waits.awaited = awaited;
}

}  // namespace

// -- Events of a rank --

void TimeProfile::thread_begins(double now, const Fiber& thread) {
  if (!is_first(thread)) return;
  const auto rank = static_cast<std::size_t>(thread.rank);
  if (rank >= ranks_.size()) {
    ranks_.resize(rank + 1);
    strands_.resize(rank + 1);
  }
  ranks_[rank].begun = ranks_[rank].booked = now;
  ranks_[rank].culprit = thread.rank;
  overview_.add_rank(thread.rank);
  extend(strands_[rank], 0, PathKind::kOther, now);  // a rank started by MPI_Comm_spawn begins later than 0
}

void TimeProfile::thread_ends(double now, const Fiber& thread) {
  if (!is_first(thread)) return;
  Rank& rank = ranks_[thread.rank];
  if (now > rank.booked) pass(now, thread.rank, Spent::kOther);  // the rank was stopped in the middle of a wait
  rank.ended = now;
  if (now <= last_end_) return;
  last_end_ = now;
  paths_.release(std::exchange(critical_path_, paths_.share(strands_[thread.rank].path)));
}

void TimeProfile::turn_to_site(RankId id) {
  const std::uint32_t site = call_site();
  Rank& rank = ranks_[id];
  if (site == rank.site) return;
  rank.site = site;
  rank.row = kNone;
}

TimeProfile::Row& TimeProfile::row_of(RankId id) {
  Rank& rank = ranks_[id];
  if (rank.row == kNone) {
    rank.row = places_.row(static_cast<std::uint32_t>(id), rank.site);
    if (rank.row == rows_.size()) rows_.emplace_back();
  }
  return rows_[rank.row];
}

void TimeProfile::call_begins(double /*now*/, const Fiber& thread, const char* /*function*/) {
  if (!is_first(thread)) return;
  turn_to_site(thread.rank);
  ++row_of(thread.rank).calls;
  ranks_[thread.rank].culprit = thread.rank;
}

void TimeProfile::computation_begins(double /*now*/, const Fiber& thread, const BySource& flops) {
  if (!is_first(thread)) return;
  ranks_[thread.rank].flops = flops;
  if (thread.state == FiberState::kRunning) turn_to_site(thread.rank);  // otherwise one of its schedules computes
}

void TimeProfile::computation_ends(double now, const Fiber& thread) {
  if (is_first(thread) && now > ranks_[thread.rank].booked) pass(now, thread.rank, Spent::kComputing);
}

void TimeProfile::sleep_begins(double /*now*/, const Fiber& thread) {
  if (is_first(thread)) turn_to_site(thread.rank);
}

void TimeProfile::block_begins(double /*now*/, const Fiber& thread, const BlockedOn& on) {
  if (!is_first(thread)) return;
  Rank& rank = ranks_[thread.rank];
  rank.spent = on.spent;
  rank.kind = on.kind;
  rank.awaits_request = on.requests > 0 && on.kind != WaitKind::kCollective;
}

void TimeProfile::block_ends(double now, const Fiber& thread) {
  if (!is_first(thread)) return;
  const Rank& rank = ranks_[thread.rank];
  if (now <= rank.booked || rank.spent == Spent::kComputing) return;  // computation_ends has booked computation
  if (rank.awaits_request && !thread.stopping) {
    pass_wait(now, thread.rank, thread.last);
  } else {
    pass(now, thread.rank, rank.spent);
  }
}

// -- Assignment of past time to call sites and categories --

void TimeProfile::book(double now, RankId id, Category category) {
  Rank& rank = ranks_[id];
  if (now <= rank.booked) return;
  const double seconds = now - rank.booked;
  row_of(id)[category] += seconds;
  overview_.add(id, static_cast<std::size_t>(category) - kTimeSources + 1, rank.booked, now);
  if (category == Category::kPolling) rank.polled += seconds;
  rank.booked = now;
}

void TimeProfile::pass(double now, RankId id, Spent spent) {
  Rank& rank = ranks_[id];
  extend(strands_[id], rank.site, kind_of(spent), now);
  if (spent != Spent::kComputing) {
    book(now, id, category_of(spent, rank.kind));
    return;
  }
  const double each = (now - rank.booked) / rank.flops.total();
  for (std::size_t source = 0; source < kTimeSources; ++source) {
    row_of(id).seconds[source] += each * rank.flops.amounts[source];
  }
  overview_.add(id, 0, rank.booked, now);
  rank.booked = now;
}

void TimeProfile::pass_wait(double now, RankId id, std::uint32_t last) {
  const Request& r = request(last);
  const Note* const its = find_note(r);
  const std::uint32_t site = ranks_[id].site;
  if (its && r.is_schedule()) {
    book(now, id, Category::kCollectiveNetwork);
    replace(strands_[id], *its, site, now);
  } else if (its) {
    book_wait(now, id, *its, r.context & 1 ? Way::kInCollective : r.is_send() ? Way::kSending : Way::kReceiving);
    replace(strands_[id], *its, site, now);
  } else if (r.is_transfer()) {
    book(now, id, Category::kNetwork);
    extend(strands_[id], site, PathKind::kNetwork, now);
  } else {
    pass(now, id, Spent::kOther);
  }
}

void TimeProfile::book_wait(double now, RankId id, const Note& note, Way way) {
  const Rank& rank = ranks_[id];
  const bool collective = way == Way::kInCollective;
  const double begun = rank.booked;
  const double both = std::min(now, note.peer_posted);
  if (both > begun) {
    book(both, id, collective ? Category::kCollectivePeer : Category::kPeer);
    note_wait(id, way, both - begun, note.peer_site, note.peer);
    if (collective) ranks_[id].culprit = note.peer;
  }
  if (now <= rank.booked) return;
  if (note.slowest != kNone) {
    add(waits_for_links_, link_waits_, rank.site, note.slowest, now - rank.booked, id, note.peer);
  }
  book(now, id, collective ? Category::kCollectiveNetwork : Category::kNetwork);
}

void TimeProfile::note_wait(RankId id, Way way, double seconds, std::uint32_t peer_site, RankId peer) {
  const std::uint32_t awaited = peer_site * kWaysToWait + static_cast<std::uint32_t>(way);
  add(waits_for_peers_, peer_waits_, ranks_[id].site, awaited, seconds, id, peer);
  ranks_[peer].caused += seconds;
}

// -- Schedules: either the rank waits for their end, or they run beside it --

void TimeProfile::schedule_begins(double now, RankId rank, std::uint32_t beside) {
  const PathId path = paths_.share(strand_of(rank).path);
  if (beside >= schedules_.size()) schedules_.resize(beside + 1);
  const std::uint32_t site = site_of(rank);
  paths_.release(schedules_[beside].path);
  schedules_[beside] = {path, now, site};
}

void TimeProfile::schedule_goes_on(double now, RankId rank, std::uint32_t beside, std::uint32_t last) {
  if (beside == kNone) {
    if (now > ranks_[rank].booked) pass_wait(now, rank, last);
    return;
  }
  Strand& strand = schedules_[beside];
  if (now <= strand.time) return;
  if (const Note* const its = find_note(request(last))) {
    replace(strand, *its, strand.site, now);
  } else {
    extend(strand, strand.site, PathKind::kOther, now);
  }
}

void TimeProfile::schedule_has_spent(double now, RankId rank, std::uint32_t beside, Spent spent) {
  if (beside != kNone) {
    extend(schedules_[beside], schedules_[beside].site, kind_of(spent), now);
  } else if (now > ranks_[rank].booked && spent != Spent::kComputing) {
    pass(now, rank, spent);
  }
}

void TimeProfile::request_completed(double now, const Request& r) {
  if (!r.is_schedule() || acting_ == kNone) return;
  Note& its = new_note(r);
  its.posted = its.left = now;
  its.path = paths_.share(schedules_[acting_].path);
}

// -- Messages --

TimeProfile::Note& TimeProfile::new_note(const Request& r) {
  if (r.number >= notes_.size()) notes_.resize(r.number + 1);
  Note& its = notes_[r.number];
  paths_.release(its.path);
  its = {.owner = key(r)};
  return its;
}

TimeProfile::Note* TimeProfile::find_note(const Request& r) {
  return r.number < notes_.size() && notes_[r.number].owner == key(r) ? &notes_[r.number] : nullptr;
}

void TimeProfile::post(double now, const Request& r) {
  Strand& strand = strand_of(r.owner);
  const std::uint32_t site = site_of(r.owner);
  extend(strand, site, PathKind::kOther, now);  // time in which other threads of the rank ran
  Note& its = new_note(r);
  its.posted = its.left = now;
  its.path = paths_.share(strand.path);
  its.site = site;
  its.culprit = acting_ == kNone ? ranks_[r.owner].culprit : r.owner;
}

void TimeProfile::message_sent(double now, const Request& send) {
  Row& row = row_of(send.owner);
  ++row.messages;
  row.bytes += static_cast<std::uint64_t>(send.bytes);
  if (!send.is_transfer()) post(now, send);
}

void TimeProfile::message_matched(double /*now*/, const Request& send, const Request& receive) {
  Note* const sent = find_note(send);
  Note* const expected = find_note(receive);
  if (!sent || !expected) return;
  const bool sender_last = is_eager(send.bytes, send.mode) || sent->posted > expected->posted ||
                           (sent->posted == expected->posted && send.sequence > receive.sequence);
  const Note& later = sender_last ? *sent : *expected;
  Note& earlier = sender_last ? *expected : *sent;
  earlier.left = later.left;
  paths_.release(std::exchange(earlier.path, paths_.share(later.path)));
  sent->peer_posted = expected->posted;
  sent->peer_site = expected->site;
  sent->peer = expected->culprit;
  expected->peer_posted = sent->posted;
  expected->peer_site = sent->site;
  expected->peer = sent->culprit;
}

void TimeProfile::message_arrived(double now, const Request& r) {
  const Bottlenecks::Limit limit = links_.limit(r.flow);
  Note* const its = find_note(r);
  if (!its || limit.seconds < kMostOfTheWay * (now - its->left)) return;  // mostly latency: no link is the cause
  its->slowest = limit.link;
  if (r.partner == kNone) return;
  if (Note* const other = find_note(request(r.partner))) other->slowest = limit.link;
}

// Called after a probe for a message; `found` is the message, or null. When a message is found, the time of the
// unsuccessful probes before it was sent is counted as waiting for the peer; computation between the probes is not.
void TimeProfile::message_looked_for(double now, RankId id, const Request* found) {
  Rank& rank = ranks_[id];
  if (!found) {
    if (rank.polls_since >= 0.0) return;
    rank.polls_since = now;
    rank.polled = 0.0;
    return;
  }
  const double since = std::exchange(rank.polls_since, -1.0);
  const Note* const its = find_note(*found);
  if (since < 0.0 || !its || its->posted <= since || acting_ != kNone) return;
  const double seconds = its->posted - since;
  Row& row = row_of(id);
  // The polls may have been made at several call sites. Only the time booked for the current call site is moved from
  // polling to waiting.
  const double polled = std::min({rank.polled, seconds, row[Category::kPolling]});
  row[Category::kPolling] -= polled;
  row[Category::kPeer] += polled;
  if (polled < kMostOfTheWay * seconds) return;
  note_wait(id, Way::kReceiving, polled, its->site, found->owner);
  replace(strands_[id], *its, rank.site, now);
}

// -- Critical paths --

void TimeProfile::extend(Strand& strand, std::uint32_t site, PathKind kind, double now) {
  if (now <= strand.time) return;
  strand.path = paths_.extend(strand.path, site, kind, now - strand.time);
  strand.time = now;
}

// Set the critical path of a rank or schedule (`strand`) to the path that led to a message (`note` is the record of the
// message's request), extended by the time that the message has spent on the network.
void TimeProfile::replace(Strand& strand, const Note& note, std::uint32_t site, double now) {
  paths_.release(std::exchange(strand.path, paths_.share(note.path)));
  if (now > note.left) strand.path = paths_.extend(strand.path, site, PathKind::kNetwork, now - note.left);
  strand.time = now;
}

}  // namespace pysmpi
