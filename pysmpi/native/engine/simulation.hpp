// The discrete-event engine: simulated clock, queue of ready fibers and schedules, timers, computations and disks, and
// the loop that connects them with the network. A process has at most one simulation at a time.
#pragma once

#include <pthread.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "engine/alarms.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/disks.hpp"
#include "engine/energy.hpp"
#include "engine/fiber.hpp"
#include "engine/measured_intervals.hpp"
#include "engine/memories.hpp"
#include "engine/memory_traffic.hpp"
#include "engine/processor.hpp"
#include "engine/profile_events.hpp"
#include "engine/timers.hpp"
#include "engine/tracing.hpp"
#include "network/carrier.hpp"
#include "network/network.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

// Counts of what happened in a simulation.
struct SimulationCounters {
  std::uint64_t messages = 0;  // matched point-to-point messages, including those inside collectives
  std::uint64_t bytes = 0;
  // Ends of timers, computations, disk accesses and flows, and changes of hosts and links.
  std::uint64_t events = 0;
  std::uint64_t switches = 0;  // number of switches from one rank to another
  std::uint64_t failed_probes = 0;
};

// A function that waits until a rank runs it in one of its own greenlets (run_in_rank).
struct RankTask {
  void (*function)(void*);
  void* argument;
};

class Simulation : public SimulationPart<Simulation> {
 public:
  Simulation(RankId ranks, const HostId* rank_hosts);
  ~Simulation();

  // Release the greenlets of all ranks. A greenlet that has not ended runs its `finally:` clauses, which may call MPI.
  // Therefore call this before any part of the simulation is destroyed.
  void release_greenlets();

  double now = 0.0;
  Network network;
  std::unique_ptr<Carrier> carrier;
  Timers timers;
  Alarms alarms;
  DeferredActions deferred_actions;
  Processors processors;
  Disks disks;
  std::unique_ptr<Memories> memories;  // null: memory traffic takes a fixed time, or is in memory_traffic
  MemoryTraffic memory_traffic;        // computations on hosts whose memory messages cross as well
  EnergyMeter energy;
  SimulationCounters counters;
  TimeSpent time_spent;
  MeasuredIntervals measured_intervals;
  // Replaces this machine's clocks in measured intervals (pysmpi_invent_intervals); null outside tests.
  void (*invented_clock)(std::int32_t thread, const char* call, double* seconds, double* wall) = nullptr;
  // First fiber of each rank, in rank order; a deque, so that adding ranks moves none.
  std::deque<Fiber> fibers;
  std::deque<Fiber> threads;  // threads started by ranks, in order of their start
  std::vector<HostId> rank_host;
  // Number of cores that the earlier ranks on the host have; empty unless platform/node-model is on.
  std::vector<std::uint32_t> rank_core;
  std::vector<std::uint32_t> rank_threads;  // cores that each rank's computation uses; empty if each uses one
  // Number of ranks of each host that wait inside MPI; empty unless their polls slow down messages.
  std::vector<std::uint32_t> waiting_ranks;
  std::deque<Waiter*> ready;  // ready waiters, in the order in which they became ready
  // The running rank; -1 for the main greenlet. This member, in_child_process and ranks_thread are static, because
  // other threads of the interpreter may read them at any time, also while a simulation is destroyed.
  static RankId running;
  Fiber* running_fiber = nullptr;
  const Fiber* in_gc_callbacks = nullptr;  // fiber in which functions of gc.callbacks run: they read clocks for free
  std::unordered_map<RankId, std::deque<RankTask>> tasks;  // waiting tasks of each rank; looked up, never iterated
  _greenlet* main_greenlet = nullptr;                      // owned; calls pysmpi_next_rank
  OwnTracing shared_tracing;                               // trace functions with which ranks start
  static bool in_child_process;   // true in a process that a rank has forked; MPI calls fail there
  static pthread_t ranks_thread;  // the thread that last called pysmpi_next_rank
  std::int32_t unended = 0;       // number of fibers that have not ended
  std::int32_t failed_ranks = 0;  // ranks that have failed (matching/failures.hpp)
  std::uint32_t flows_under_way = 0;
  std::size_t undecided = 0;       // messages and receives of this instant that are yet to be matched
  std::size_t deepest_frames = 0;  // highest number of bytes of Python frames kept by a blocked fiber
  // Bytes of Python frames of calls that a fiber may make later, estimated when the first fiber blocks.
  std::size_t frames_of_calls = 0;
  // Factors by which the time of tests and probes is multiplied; each unsuccessful call raises its factor. As in SMPI,
  // all ranks share these factors.
  std::uint64_t failed_tests = 1, failed_test_anys = 1, failed_probes = 1;

  // Return a fiber for a new thread. The fiber and number of an ended thread are reused.
  Fiber& new_thread();
  void thread_has_ended(Fiber& fiber);

  // Add a rank, which is ready to start.
  RankId add_rank(HostId host);

  // Run schedules and advance the clock until a fiber can continue; return this fiber. Returns null if no event is
  // pending, or if the loop had to stop for a reason that one of the flags below gives (`interrupted`, `aborted` …).
  Fiber* next_fiber();
  bool interrupted = false;

  // MPI_Abort was called; nothing runs until the main greenlet has handled it.
  bool aborted = false;
  std::int32_t abort_code = 0;
  std::string program_place;  // last result of pysmpi_program_place
  std::string abort_call;     // function that has ended all ranks, unless it was MPI_Abort
  RankId abort_rank = -1;

  // Stop before the first fiber of rank break_in (-1 for any rank) continues at this time or later. `broken_off` is
  // that fiber; it continues at the next call of next_fiber.
  double break_at = kNever;
  RankId break_in = -1;
  Fiber* broken_off = nullptr;

  // A message was sent between hosts that no route connects; the simulation cannot continue.
  bool unreachable = false;
  RankId unreachable_sender = -1, unreachable_receiver = -1;

  // A rank may not do what it does (engine/refusal.hpp), which ends the simulation; `refusal` is the text of the error.
  bool refused = false;
  std::string refusal;

  // For each library that keeps one state for all ranks (engine/single_libraries.hpp), by the beginning of its file
  // name: the first rank in which it has called MPI.
  std::unordered_map<std::string, RankId> users_of_libraries;

  // Return whether nothing may run before the main greenlet has handled one of these reasons.
  bool cannot_continue() const {
    return aborted || unreachable || exhausted_by || only_unsuccessful_polls || broken_off || refused;
  }

  // The limit that was exceeded, as text, after which the simulation cannot continue; null if no limit was exceeded.
  const char* exhausted_by = nullptr;

  Fiber& fiber(std::int32_t number) { return number < kFirstThread ? fibers[number] : threads[number - kFirstThread]; }

  // Return the place of a call of the running rank in SMPI's order of all calls (base/waiter.hpp): next_call() that of
  // its next call, call_order() that of the communication call that it makes now. Here a rank makes all its calls of an
  // instant before the next rank runs, but flows must start in SMPI's order.
  CallPlace next_call() const { return {place_.instant, place_.call + 1, place_.turn}; }
  std::uint64_t call_order() {
    if (place_.call < kMostCalls) ++place_.call;
    return order_of(place_);
  }
  std::uint64_t next_order() const { return order_of(next_call()); }
  static constexpr std::uint32_t kMostCalls = 0xffff;
  static constexpr std::uint32_t kMostTurns = 0xffffff;
  static constexpr std::uint64_t kNextCall = 1 << 24;  // what call_order adds for one more call
  static std::uint64_t order_of(const CallPlace& place) {
    return place.instant << 40 | std::uint64_t{place.call} << 24 | (place.turn & kMostTurns);
  }
  // Return a value below the order_of() of every call in the instant of the call whose order_of() is `order`.
  static std::uint64_t begin_of_instant(std::uint64_t order) { return order >> 40 << 40; }

  // Count calls that SMPI makes for the running rank but this simulator does not. Later calls of the rank come after
  // them in SMPI's order of calls.
  void count_calls(std::uint32_t calls) { place_.call = std::min(place_.call + calls, kMostCalls); }

  // Set `place`, which is the position in SMPI's order of calls at which a waiting rank continues. It comes after the
  // running rank's present call, which lets the waiting rank continue. A waiting rank that has not run in this instant
  // yet gets the next turn, so it comes after all ranks that have run.
  void take_turn(CallPlace& place) {
    if (place.instant == place_.instant) {
      place.call = std::max(place.call, place_.call) + 1;
    } else {
      place = {place_.instant, place_.call + 1, next_turn()};
    }
  }

  // Let a rank continue that has waited for a mutex (matching/mutex.hpp). In SMPI's order of calls, its next call comes
  // just before the present call of the running rank, which has unlocked the mutex. Requires an earlier call of
  // leave_room_between_turns().
  void answer_before(Waiter& waiter) {
    waiter.place = {place_.instant, place_.call, turn_before(place_.turn, waiter.place.turn)};
    waiter.completed_one();
  }

  void leave_room_between_turns();

  // Continue the order of calls at `order`, a result of call_order(): the next call counts as coming directly after the
  // call with that order.
  void continue_from(std::uint64_t order) {
    place_.call = static_cast<std::uint32_t>(order >> 24) & kMostCalls;
    place_.turn = static_cast<std::uint32_t>(order) & kMostTurns;
  }

  // Count one completion of `waiter`, which belongs to the same rank as the waiter that the engine is waking now. If it
  // was the last completion, `waiter` continues before all other ready waiters and keeps the rank's turn (its position
  // in the instant), because the same rank goes on.
  void go_on_in_turn(Waiter& waiter) {
    if (--waiter.pending != 0) return;
    ready.push_front(&waiter);
    turn_goes_on_ = true;
  }

  // Queue the running fiber: await_turn lets it continue after all other ready fibers of this instant, await_next_event
  // after the next event. The caller must then block the fiber. await_turn returns false, without effect, if no other
  // fiber is ready and all messages are matched.
  bool await_turn(Fiber& fiber);
  void await_next_event(Fiber& fiber);

  // Count an unsuccessful poll. The two-millionth in a row without any other activity sets `only_unsuccessful_polls`.
  void count_unsuccessful_poll();
  std::uint32_t polls_under_way = 0;  // number of polls in which time passes
  bool only_unsuccessful_polls = false;
  // Number of unsuccessful polls that were repeated without notifying their waiters.
  std::uint64_t unreported_polls = 0;

  // Return whether all threads of the rank are outside MPI (Fiber::outside).
  bool is_away(RankId rank) const;

  bool is_on(HostId host) const { return hosts_off_.empty() || !hosts_off_[host]; }

  // Return the number of threads of a rank on the host: as many as it asks for, at most one on each core.
  std::uint32_t threads_on(HostId host) const;
  std::uint32_t threads_of(RankId rank) const { return rank_threads.empty() ? 1 : rank_threads[rank]; }
  HostId host_of(RankId rank) const { return rank_host[rank]; }

  // Return the number of the rank's core: ranks take the cores of a host in order, and begin again after the last one.
  std::uint32_t core_of(RankId rank) const { return rank_core.empty() ? 0 : rank_core[rank]; }

  // Return the number of ranks, other than these two, that wait inside MPI on the host of one of them: the greater
  // number of both hosts. It is 0 unless polls slow down messages.
  std::uint32_t waiting_besides(RankId sender, RankId receiver) const;

 private:
  friend class Fiber;
  void add_core(HostId host);
  bool wake(std::vector<Fiber*>& waiting);  // returns false if no fiber waits
  void poll_on(double until);
  bool is_to_pause();
  bool advance();  // advances the clock to the next event and handles all events of that time; false if there is none

  // Apply the platform's profiles, which change hosts and links during the simulation (engine/changes.cpp).
  void begin_profiles();
  double follow_profiles(double next);
  bool apply(const ProfileEvent& event, double date);
  std::uint32_t next_turn() { return turns_ = std::min(turns_ + turn_step_, kMostTurns); }
  std::uint32_t turn_before(std::uint32_t turn, std::uint32_t old);
  bool anything_resumes() const;
  void fail_hosts();
  void fail_transfers();
  Fiber* chosen_ = nullptr;
  std::vector<Fiber*> ended_threads_;  // fibers that can be reused
  std::vector<Fiber*> awaiting_turn_, awaiting_event_;
  std::uint64_t unsuccessful_polls_ = 0;
  CallPlace place_ = {.instant = 1};           // place of the running rank's last call
  std::uint32_t turns_ = 0;                    // last turn that was given to a waiter in this instant
  std::uint32_t turn_step_ = 1;                // difference between consecutive turns
  std::vector<std::uint32_t> inserted_turns_;  // results of turn_before in this instant that are in use, ascending
  bool turn_goes_on_ = false;
  std::vector<std::uint32_t> finished_flows_;
  std::vector<FailedFlow> failed_flows_;
  ProfileEvents profile_events_;
  std::vector<HostId> failing_;                            // hosts that fail in the present instant
  std::vector<std::uint8_t> hosts_off_;                    // indexed by host; empty until a host fails
  std::unordered_map<HostId, std::uint32_t> cores_taken_;  // cores of the ranks in rank_core
  std::uint32_t since_signal_check_ = 0;
};

extern template class SimulationPart<Simulation>;

// The current simulation, between pysmpi_simulation_begin and pysmpi_simulation_end (bindings/c_api.h).
inline Simulation& simulation() { return Simulation::current(); }
inline bool simulation_active() { return Simulation::exists(); }
inline DeferredActions& deferred_actions() { return simulation().deferred_actions; }

// Return whether a rank is running. False during set-up and in the main greenlet, where MPI_COMM_WORLD has one rank.
inline bool inside_rank() { return simulation_active() && Simulation::running >= 0; }

// Returns whether a rank runs in the calling thread. Other threads of the interpreter are outside the simulation.
inline bool rank_runs_here() { return inside_rank() && pthread_equal(pthread_self(), Simulation::ranks_thread); }

}  // namespace pysmpi
