// The discrete-event engine: simulated clock, those ready to go on, timers, computations, disks, and the loop that
// joins them to the network. One simulation exists at a time in a process.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "engine/disks.hpp"
#include "engine/energy.hpp"
#include "engine/fiber.hpp"
#include "engine/memories.hpp"
#include "engine/processor.hpp"
#include "engine/profile_events.hpp"
#include "engine/timers.hpp"
#include "network/carrier.hpp"
#include "network/network.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

struct SimulationCounters {
  std::uint64_t messages = 0;  // matched point-to-point messages, those inside collectives included
  std::uint64_t bytes = 0;
  std::uint64_t events = 0;  // timers, computations, disk accesses and flows that ended, and changes of hosts and links
  std::uint64_t switches = 0;  // from one rank to another
  std::uint64_t failed_probes = 0;
};

class Simulation {
 public:
  Simulation(RankId ranks, const HostId* rank_hosts);
  ~Simulation();

  double now = 0.0;
  Network network;
  std::unique_ptr<Carrier> carrier;
  Timers timers;
  Processors processors;
  Disks disks;
  std::unique_ptr<Memories> memories;  // null: what ranks move through memory takes a time of its own
  EnergyMeter energy;
  SimulationCounters counters;
  TimeSpent time_spent;
  std::deque<Fiber> fibers;   // the first one of each rank, in rank order; ranks that are added move none
  std::deque<Fiber> threads;  // that ranks have started, in that order
  std::vector<HostId> rank_host;
  std::deque<Waiter*> ready;  // in the order in which they became ready
  RankId running = -1;        // -1: the main greenlet
  Fiber* running_fiber = nullptr;
  std::int32_t unended = 0;       // fibers
  std::int32_t failed_ranks = 0;  // frozen for ever (matching/failures.hpp)
  std::uint32_t flows_under_way = 0;
  std::size_t deepest_frames = 0;  // bytes of Python's frames that a blocked fiber has kept at most
  std::uint64_t failed_tests = 1, failed_test_anys = 1, failed_probes = 1;  // one per simulation, as in SMPI: each
                                                                            // failed poll lengthens the next ones

  // A fiber for a thread: a new one, or that of a thread that has ended, with its number.
  Fiber& new_thread();
  void thread_has_ended(Fiber& fiber);

  // A new rank, which is ready to begin.
  RankId add_rank(HostId host);

  // Runs schedules and the clock until a fiber is to be switched to. Null when nothing will ever happen, or when an
  // interrupt is to be looked at (`interrupted` is then set), or one of the reasons below.
  Fiber* next_fiber();
  bool interrupted = false;

  // MPI_Abort has been called: nothing runs any more until the main greenlet has seen it.
  bool aborted = false;
  std::int32_t abort_code = 0;
  RankId abort_rank = -1;

  // The first fiber that is to go on at this time or later (of this rank; -1: of any) does not: the main greenlet is
  // told which one it is, and it goes on with the next one that is asked for.
  double break_at = kNever;
  RankId break_in = -1;
  Fiber* broken_off = nullptr;

  // A message goes between ranks whose hosts no route joins: nothing can run any more.
  bool unreachable = false;
  RankId unreachable_sender = -1, unreachable_receiver = -1;

  // What there has been too much of, in words, for events to be told apart: nothing can go on.
  const char* exhausted_by = nullptr;

  Fiber& fiber(std::int32_t number) { return number < kFirstThread ? fibers[number] : threads[number - kFirstThread]; }

  // The place of the next call of the rank that runs, and the same for a communication call, which it makes. Ours make
  // all their calls in turn; flows begin in SMPI's order.
  CallPlace next_call() const { return {place_.instant, place_.call + 1, place_.turn}; }
  std::uint64_t call_order() {
    constexpr std::uint32_t kMostCalls = 0xffff;
    if (place_.call < kMostCalls) ++place_.call;
    return order_of(place_);
  }
  static std::uint64_t order_of(const CallPlace& place) {
    return place.instant << 40 | std::uint64_t{place.call} << 24 | (place.turn & 0xffffff);
  }

  // The waiter's rank has one more call answered, in the first one's turn.
  void take_turn(CallPlace& place) {
    if (place.instant == place_.instant) {
      ++place.call;
    } else {
      place = {place_.instant, 1, ++turns_};
    }
  }

  // One of the awaited things has completed. When it was the last, the waiter goes on at once, in the turn of the one
  // that is being woken: both stand for one rank.
  void go_on_in_turn(Waiter& waiter) {
    if (--waiter.pending != 0) return;
    ready.push_front(&waiter);
    turn_goes_on_ = true;
  }

  // The fiber is to go on once all others of this instant have, or, after whatever happens next; it is then to block.
  // False, and nothing, when there are no others.
  bool await_turn(Fiber& fiber);
  void await_next_event(Fiber& fiber);

  // A poll has found nothing. After two million in a row while nothing but such polls was under way the main greenlet
  // is told, once.
  void count_vain_poll();
  std::uint32_t polls_under_way = 0;  // in which time passes
  bool polls_in_vain = false;
  // That have found nothing while something else was under way, of which nobody was told.
  std::uint64_t untold_polls = 0;

  bool is_on(HostId host) const { return hosts_off_.empty() || !hosts_off_[host]; }

  HostId host_of(RankId rank) const { return rank_host[rank]; }

 private:
  friend class Fiber;
  bool wake(std::vector<Fiber*>& waiting);  // false when there are none
  void poll_on(double until);
  bool is_to_pause();
  bool advance();  // jumps to the next event and handles all that happens then; false when there is none

  // Changes of hosts and links (engine/changes.cpp).
  void begin_profiles();
  double follow_profiles(double next);
  bool apply(const ProfileEvent& event, double date);
  bool anything_resumes() const;
  void fail_hosts();
  void fail_transfers();
  Fiber* chosen_ = nullptr;
  std::vector<Fiber*> ended_threads_;  // whose fibers are free
  std::vector<Fiber*> awaiting_turn_, awaiting_event_;
  std::uint64_t vain_polls_ = 0;
  CallPlace place_ = {.instant = 1};  // of the last call of the rank that runs
  std::uint32_t turns_ = 0;
  bool turn_goes_on_ = false;
  std::vector<std::uint32_t> finished_flows_;
  std::vector<FailedFlow> failed_flows_;
  ProfileEvents profile_events_;
  std::vector<HostId> failing_;          // hosts, at the instant that begins
  std::vector<std::uint8_t> hosts_off_;  // by host, once one has failed
  std::uint32_t since_signal_check_ = 0;
};

// The simulation being run. Valid between pysmpi_simulation_begin and pysmpi_simulation_end (engine/c_api.h).
extern Simulation* current_simulation;  // null outside
inline Simulation& simulation() { return *current_simulation; }
inline bool simulation_active() { return current_simulation != nullptr; }

// Inside a rank of a running simulation, as opposed to set-up or the main greenlet, where MPI is a world of one.
inline bool inside_rank() { return current_simulation && current_simulation->running >= 0; }

}  // namespace pysmpi
