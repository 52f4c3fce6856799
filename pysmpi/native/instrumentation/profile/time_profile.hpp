// A profile: where the time of each rank goes, by the place in the program that its calls come from; who waits for
// whom; and the critical path. Told by the engine as things happen, in flat rows that grow with the places and not with
// the messages.
//
// Time passes in a rank while it is blocked, and only then: every second is booked once, and those of a rank add up to
// its end. A wait for a message is divided at the time at which the other side posted its part: until then the rank
// waits for its peer, from then on for the network. The request that came last is what the rank has waited for.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/observation.hpp"
#include "base/spent.hpp"
#include "engine/fiber.hpp"
#include "engine/time_sources.hpp"
#include "instrumentation/pair_index.hpp"
#include "instrumentation/profile/bottlenecks.hpp"
#include "instrumentation/profile/paths.hpp"
#include "instrumentation/timeline/timeline_overview.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

// In the order of pysmpi/instruments/profile/profile.py.
enum class Category : std::uint8_t {
  kMeasured,  // computation, in the order of TimeSource
  kSampled,
  kModelled,
  kInjected,
  kAsleep,
  kSendOverhead,
  kReceiveOverhead,
  kPolling,
  kPeer,
  kNetwork,
  kCollectivePeer,
  kCollectiveNetwork,
  kOther,
};
constexpr std::size_t kCategories = 13;
static_assert(TimelineOverview::kStates == kCategories - kTimeSources + 1);

class TimeProfile final : public Observer {
 public:
  struct Row {
    std::uint64_t calls = 0, messages = 0, bytes = 0;  // messages that were sent, and their bytes
    std::array<double, kCategories> seconds{};
    double& operator[](Category category) { return seconds[static_cast<std::size_t>(category)]; }
  };
  // Waits of calls of one place for calls of another, or for a link.
  struct Waits {
    double seconds = 0.0, longest = 0.0;
    std::uint64_t count = 0;
    RankId waiting = -1, awaited = -1;       // in the longest one
    RankId first_rank = -1, last_rank = -1;  // of those that have waited
  };
  // What the waiting call does. The awaited place of a row is place * kWaysToWait + this.
  enum class Way : std::uint32_t { kReceiving, kSending, kInCollective };
  static constexpr std::uint32_t kWaysToWait = 3;
  struct Rank {
    double begun = 0.0, ended = -1.0;  // s; ended: negative while it has not
    double caused = 0.0;               // s that others have waited for it
    // Of what goes on now:
    double booked = 0.0;  // s, until when
    std::uint32_t site = 0, row = kNone;
    Spent spent = Spent::kOther;
    WaitKind kind{};
    bool awaits_request = false;
    RankId culprit = -1;  // who waits for it waits for this one: itself, but in a collective where it waits too
    BySource flops;
    double polls_since = -1.0,
           polled = 0.0;  // s: since when it polls in vain (negative: it does not), and for how long
  };

  // `links` tells which link has held a message back.
  explicit TimeProfile(Bottlenecks& links) : links_(links) {}

  void thread_begins(double now, const Fiber& thread) override;
  void thread_ends(double now, const Fiber& thread) override;
  void call_begins(double now, const Fiber& thread, const char* function) override;
  void computation_begins(double now, const Fiber& thread, const BySource& flops) override;
  void computation_ends(double now, const Fiber& thread) override;
  void sleep_begins(double now, const Fiber& thread) override;
  void block_begins(double now, const Fiber& thread, const BlockedOn& on) override;
  void block_ends(double now, const Fiber& thread) override;
  void schedule_begins(double now, RankId rank, std::uint32_t beside) override;
  void schedule_acts(std::uint32_t beside) override { acting_ = beside; }
  void schedule_goes_on(double now, RankId rank, std::uint32_t beside, std::uint32_t last) override;
  void schedule_has_spent(double now, RankId rank, std::uint32_t beside, Spent spent) override;
  void message_sent(double now, const Request& send) override;
  void message_expected(double now, const Request& receive) override { post(now, receive); }
  void message_matched(double now, const Request& send, const Request& receive) override;
  void message_arrived(double now, const Request& r) override;
  void message_looked_for(double now, RankId rank, const Request* found) override;
  void request_completed(double now, const Request& r) override;

  // What has been found, by row.
  const PairIndex& places() const { return places_; }  // rank and place
  const Row& row(std::uint32_t row) const { return rows_[row]; }
  const PairIndex& waits_for_peers() const { return waits_for_peers_; }  // waiting place, and awaited one
  const Waits& wait_for_peer(std::uint32_t row) const { return peer_waits_[row]; }
  const PairIndex& waits_for_links() const { return waits_for_links_; }  // waiting place and link
  const Waits& wait_for_link(std::uint32_t row) const { return link_waits_[row]; }
  const std::vector<Rank>& ranks() const { return ranks_; }
  // The same seconds by when they passed; all computation is state 0. What a loop of probes has polled remains there.
  const TimelineOverview& overview() const { return overview_; }
  // The path of the rank that has ended last.
  const Paths& paths() const { return paths_; }
  PathId critical_path() const { return critical_path_; }

 private:
  // Where a path has come to: that of a rank, or of a schedule that runs beside its rank.
  struct Strand {
    PathId path = 0;
    double time = 0.0;
    std::uint32_t site = 0;  // of a schedule: where it was begun
  };
  // Of a request, by its number.
  struct Note {
    std::uint64_t owner = 0;  // which request it is of: see key()
    double posted = 0.0;
    double peer_posted = -1.0;  // negative: the other side has not, or is not known
    double left = 0.0;          // when nothing but the network was missing,
    PathId path = 0;            // and what led there
    std::uint32_t site = 0, peer_site = 0;
    RankId culprit = -1, peer = -1;  // who waits for it waits for this rank; the other side's culprit
    LinkId slowest = kNone;
  };
  static constexpr std::uint64_t kOfSchedule = ~std::uint64_t{0};
  static std::uint64_t key(const Request& r) { return r.flags & kIsSchedule ? kOfSchedule : r.sequence + 1; }

  Row& row_of(RankId rank);
  void turn_to_site(RankId rank);
  std::uint32_t site_of(RankId rank) const { return acting_ == kNone ? ranks_[rank].site : schedules_[acting_].site; }
  Strand& strand_of(RankId rank) { return acting_ == kNone ? strands_[rank] : schedules_[acting_]; }
  Note& new_note(const Request& r);
  Note* find_note(const Request& r);
  void post(double now, const Request& r);

  void book(double now, RankId rank, Category category);
  void pass(double now, RankId rank, Spent spent);
  void pass_wait(double now, RankId rank, std::uint32_t last);
  void book_wait(double now, RankId rank, const Note& note, Way way);
  void note_wait(RankId rank, Way way, double seconds, std::uint32_t peer_site, RankId peer);
  void extend(Strand& strand, std::uint32_t site, PathKind kind, double now);
  void replace(Strand& strand, const Note& note, std::uint32_t site, double now);

  Bottlenecks& links_;
  std::vector<Rank> ranks_;
  std::vector<Strand> strands_;    // by rank
  std::vector<Strand> schedules_;  // by number, of those that run beside their ranks
  std::uint32_t acting_ = kNone;   // the one of them that runs now
  PairIndex places_, waits_for_peers_, waits_for_links_;
  std::vector<Row> rows_;
  std::vector<Waits> peer_waits_, link_waits_;
  std::vector<Note> notes_;
  TimelineOverview overview_;
  Paths paths_;
  PathId critical_path_ = 0;
  double last_end_ = -1.0;
};

}  // namespace pysmpi
