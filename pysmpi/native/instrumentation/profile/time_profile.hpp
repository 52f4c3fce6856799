// A time profile: where the time of each rank goes, by call site; who waits for whom; and the critical path. The engine
// reports events while they happen, and memory grows with the number of call sites, not of messages.
//
// Time passes in a rank only while it is blocked. Every second is booked once, so the seconds of a rank add up to its
// end. A wait for a message is divided at the time at which the other side posted its part. Example: a rank posts a
// receive at 2 s, the peer sends at 5 s, and the message arrives at 6 s: 3 s of waiting for the peer and 1 s for the
// network. If a rank waits for several requests, the wait is attributed to the one that completed last.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/observer.hpp"
#include "base/spent.hpp"
#include "engine/fiber.hpp"
#include "engine/time_sources.hpp"
#include "instrumentation/pair_index.hpp"
#include "instrumentation/profile/bottlenecks.hpp"
#include "instrumentation/profile/paths.hpp"
#include "instrumentation/timeline/timeline_overview.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

// Category of time; the order must equal that of pysmpi/simulation/instruments/profile/profile.py.
enum class Category : std::uint8_t {
  kMeasured,  // computation; four sources in the order of TimeSource
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
  kCollectiveData,  // combining and copying
  kOther,
};
constexpr std::size_t kCategories = 14;
static_assert(TimelineOverview::kStates == kCategories - kTimeSources + 1);

class TimeProfile final : public Observer {
 public:
  struct Row {
    // Number of calls, of messages sent, and of bytes in them.
    std::uint64_t calls = 0, messages = 0, bytes = 0;
    std::array<double, kCategories> seconds{};
    double& operator[](Category category) { return seconds[static_cast<std::size_t>(category)]; }
  };
  // Waits of the calls at one call site, either for calls at another call site or for a link.
  struct Waits {
    double seconds = 0.0, longest = 0.0;
    std::uint64_t count = 0;
    RankId waiting = -1, awaited = -1;       // ranks in the longest wait
    RankId first_rank = -1, last_rank = -1;  // lowest and highest rank that waited
  };
  // Activity of a call while it waits for another rank. In the pairs of waits_for_peers(), the first number is the
  // waiting call site. The second one is `awaited call site * kWaysToWait + Way`.
  enum class Way : std::uint32_t { kReceiving, kSending, kInCollective };
  static constexpr std::uint32_t kWaysToWait = 3;
  struct Rank {
    // Seconds; `ended` is negative until the rank has ended.
    double begun = 0.0, ended = -1.0;
    double caused = 0.0;  // seconds that other ranks have waited for this one
    // Current state:
    double booked = 0.0;  // time in seconds up to which time is booked
    std::uint32_t site = 0, row = kNone;
    Spent spent = Spent::kOther;
    WaitKind kind{};
    bool awaits_request = false;
    // The rank that causes the waits of others for this rank: this rank itself or, while it waits in a collective, the
    // rank that it waits for.
    RankId culprit = -1;
    BySource flops;
    // `polls_since`: time in seconds of the first poll in the current series of unsuccessful polls, negative outside a
    // series. `polled`: seconds spent polling since then.
    double polls_since = -1.0, polled = 0.0;
  };

  // `links` is asked which link limited a message's flow.
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
  void message_arrived(double now, const Request& request) override;
  void message_looked_for(double now, RankId rank, const Request* found) override;
  void request_completed(double now, const Request& request) override;

  // Results. A PairIndex gives the number of the row for a pair of numbers; the function that follows it returns this
  // row.
  const PairIndex& places() const { return places_; }  // rank and call site
  const Row& row(std::uint32_t row) const { return rows_[row]; }
  // Each pair is the waiting call site, and a number that combines the awaited call site with the Way of waiting.
  const PairIndex& waits_for_peers() const { return waits_for_peers_; }
  const Waits& wait_for_peer(std::uint32_t row) const { return peer_waits_[row]; }
  const PairIndex& waits_for_links() const { return waits_for_links_; }  // waiting call site and link
  const Waits& wait_for_link(std::uint32_t row) const { return link_waits_[row]; }
  const std::vector<Rank>& ranks() const { return ranks_; }
  // The seconds of each category of time in each interval of the run. State 0 is the sum of all kinds of computation.
  // If a rank polls for a message that has not been sent, overview() counts the time as polling, but row() counts it as
  // waiting for the peer.
  const TimelineOverview& overview() const { return overview_; }
  // paths() returns the critical paths of all ranks, critical_path() that of the rank that ended last.
  const Paths& paths() const { return paths_; }
  PathId critical_path() const { return critical_path_; }

 private:
  // The path of a rank, or of a schedule that runs beside its rank, and the time up to which it is known.
  struct Strand {
    PathId path = 0;
    double time = 0.0;
    std::uint32_t site = 0;  // for a schedule: call site that started it
  };
  // Knowledge of the profile about one request: times, call sites, and the rank or link that delays it. Notes are
  // indexed by the request's number.
  struct Note {
    std::uint64_t owner = 0;  // key() of the request that the entry belongs to
    double posted = 0.0;
    double peer_posted = -1.0;  // negative: the other side is not posted, or unknown
    double left = 0.0;          // time from which only the network was missing
    PathId path = 0;            // path that led to that time
    std::uint32_t site = 0, peer_site = 0;
    // `culprit`: the rank to blame if other ranks wait for this request. `peer`: the rank to blame if this request's
    // owner waits, which is the `culprit` of the matching send or receive.
    RankId culprit = -1, peer = -1;
    LinkId slowest = kNone;
  };
  static constexpr std::uint64_t kOfSchedule = ~std::uint64_t{0};
  static std::uint64_t key(const Request& r) { return r.is_schedule() ? kOfSchedule : r.sequence + 1; }

  Row& row_of(RankId rank);
  void turn_to_site(RankId rank);
  std::uint32_t site_of(RankId rank) const { return acting_ == kNone ? ranks_[rank].site : schedules_[acting_].site; }
  Strand& strand_of(RankId rank) { return acting_ == kNone ? strands_[rank] : schedules_[acting_]; }
  Note& new_note(const Request& request);
  Note* find_note(const Request& request);
  void post(double now, const Request& request);

  void book(double now, RankId rank, Category category);
  void pass(double now, RankId rank, Spent spent);
  void pass_wait(double now, RankId rank, std::uint32_t last);
  void book_wait(double now, RankId rank, const Note& note, Way way);
  void note_wait(RankId rank, Way way, double seconds, std::uint32_t peer_site, RankId peer);
  void extend(Strand& strand, std::uint32_t site, PathKind kind, double now);
  void replace(Strand& strand, const Note& note, std::uint32_t site, double now);

  Bottlenecks& links_;
  std::vector<Rank> ranks_;
  std::vector<Strand> strands_;    // indexed by rank
  std::vector<Strand> schedules_;  // schedules that run beside their ranks, indexed by number
  std::uint32_t acting_ = kNone;   // number of the schedule that is running now, or kNone
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
