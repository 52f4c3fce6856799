// C interface to the engine.
#include "engine/c_api.h"
#include "base/observer.hpp"

#include <Python.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/call_site.hpp"
#include "engine/computation.hpp"
#include "engine/detours.hpp"
#include "engine/interval_record.hpp"
#include "engine/native_waits.hpp"
#include "engine/reused_intervals.hpp"
#include "engine/signals.hpp"
#include "engine/simulation.hpp"
#include "engine/switching.hpp"
#include "network/carrier.hpp"
#include "network/packets/packet_use.hpp"

using namespace pysmpi;

int32_t pysmpi_has_ended(int32_t number) { return simulation().fiber(number).state == FiberState::kEnded; }

int32_t pysmpi_is_host_on(uint32_t host) { return simulation().is_on(host); }

int32_t pysmpi_rank_on_failed_host(void) {
  const Simulation& engine = simulation();
  const auto off =
      std::find_if(engine.rank_host.begin(), engine.rank_host.end(), [&](HostId host) { return !engine.is_on(host); });
  return off == engine.rank_host.end() ? -1 : static_cast<int32_t>(off - engine.rank_host.begin());
}

void pysmpi_abort(int32_t code) { pysmpi_abort_by(code, nullptr); }

void pysmpi_abort_by(int32_t code, const char* call) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  if (fiber.stopping) return;
  engine.aborted = true;
  engine.abort_code = code;
  engine.abort_rank = fiber.rank;
  engine.abort_call = call ? call : "";
  fiber.pending = 1;
  block({.call = "MPI_Abort", .kind = WaitKind::kOther});
}

int32_t pysmpi_abort_rank(void) { return simulation().abort_rank; }
int32_t pysmpi_abort_code(void) { return simulation().abort_code; }
const char* pysmpi_abort_call(void) { return simulation().abort_call.c_str(); }
int32_t pysmpi_unreachable_sender(void) { return simulation().unreachable_sender; }
int32_t pysmpi_unreachable_receiver(void) { return simulation().unreachable_receiver; }
const char* pysmpi_exhausted_by(void) { return std::exchange(simulation().exhausted_by, nullptr); }

void pysmpi_stop_rank(int32_t rank) {
  Simulation& engine = simulation();
  pysmpi_stop_thread(rank);
  for (const Fiber& fiber : engine.threads) {
    if (fiber.rank == rank) pysmpi_stop_thread(fiber.number);
  }
}

void pysmpi_stop_thread(int32_t number) {
  Fiber& fiber = simulation().fiber(number);
  if (fiber.state == FiberState::kEnded || fiber.stopping) return;
  fiber.stopping = true;
  if (fiber.state != FiberState::kBlocked) return;
  if (abandon_native_wait(fiber)) return;
  fiber.pending = 1 << 30;  // completions may still arrive and must not wake the fiber again
  fiber.state = FiberState::kReady;
  simulation().ready.push_back(&fiber);
}

void pysmpi_pin_rank(int32_t rank, int32_t cores) {
  Simulation& engine = simulation();
  if (engine.rank_threads.empty()) return;
  engine.rank_threads[rank] = std::min(engine.threads_on(engine.host_of(rank)), static_cast<std::uint32_t>(cores));
}
void* pysmpi_greenlet(int32_t number) { return simulation().fiber(number).greenlet; }
const char* pysmpi_program_place(int32_t number) {
  if (!address_in_program) return nullptr;
  Fiber& fiber = simulation().fiber(number);
  ask_for_place(fiber);
  if (!fiber.program_address) return nullptr;
  return simulation().program_place.assign(text_of_program_address(fiber.program_address)).c_str();
}

const char* pysmpi_running_place(void) {
  const void* const address = address_in_program ? address_in_program() : nullptr;
  return address ? simulation().program_place.assign(text_of_program_address(address)).c_str() : nullptr;
}

int32_t pysmpi_is_stopping(int32_t number) { return simulation().fiber(number).stopping; }
void pysmpi_await_initialization(void) { simulation().fibers[running_fiber().rank].initialized = false; }
void pysmpi_provide_threads(int32_t level) {
  simulation().fibers[running_fiber().rank].thread_level = static_cast<std::uint8_t>(level);
}
void pysmpi_enter_child_process(void) {
  Simulation::in_child_process = true;
  Simulation::ranks_thread = pthread_t{};  // no thread of this process runs ranks
}
void pysmpi_signal_at(double time) { Signals::current().set(running_fiber().rank, time); }
void pysmpi_set_signal_function(void* function) { set_signal_function(function); }
void pysmpi_withdraw_stop(void) { withdraw_stop(); }
void pysmpi_set_stop_exception(void* type) { set_stop_exception(type); }

int32_t pysmpi_running_rank(void) { return simulation_active() ? Simulation::running : -1; }
int32_t pysmpi_rank_count(void) { return simulation_active() ? static_cast<int32_t>(simulation().fibers.size()) : 0; }
uint32_t pysmpi_rank_host(int32_t rank) { return simulation().rank_host[rank]; }
double pysmpi_now(void) { return simulation_active() ? simulation().now : 0.0; }

int32_t pysmpi_account_computation(void) { return inside_rank() && !account_computation() ? -1 : 0; }
void pysmpi_leave_call(void) {
  if (inside_rank()) leave_call();
}
int32_t pysmpi_measure_computation(int32_t on) {
  if (!inside_rank()) return 0;
  Fiber& fiber = running_fiber();
  const bool before = fiber.measured;
  fiber.measured = on != 0;
  fiber.left_at = -1.0;
  if (on) leave_call();
  return before;
}

int32_t pysmpi_is_measured(void) { return inside_rank() && running_fiber().measured; }

double pysmpi_read_clock(void) {
  if (is_sampled() || simulation().in_gc_callbacks == &running_fiber()) return simulation().now;
  const double time = account_computation() ? read_clock() : 0.0;
  leave_call();
  return running_fiber().stopping ? -1.0 : time;
}

int32_t pysmpi_sleep(double seconds) {
  Simulation& engine = simulation();
  bool going = account_computation();
  const double begun = engine.now;
  const Outside outside(running_fiber());
  if (observers) notify(&Observer::sleep_begins, begun, running_fiber());
  going = going &&
          (seconds > 0.0 ? sleep_for(seconds, "sleep", Spent::kAsleep) : wait_busily(0.0, "sleep", Patience::kOfPolls));
  engine.time_spent.asleep += engine.now - begun;
  if (observers) notify(&Observer::sleep_ends, engine.now, running_fiber());
  leave_call();
  return going ? 0 : -1;
}
int32_t pysmpi_pstate(int32_t rank) { return simulation().processors.pstate(simulation().host_of(rank)); }
double pysmpi_speed(int32_t rank) { return simulation().processors.speed(simulation().host_of(rank)); }
int32_t pysmpi_set_pstate(int32_t pstate, double speed) {
  if (observers) notify(&Observer::other_operation, simulation().running, "pysmpi.set_pstate");
  const bool going = account_computation();
  Simulation& engine = simulation();
  const HostId host = engine.host_of(engine.running);
  if (going) engine.processors.set_pstate(host, pstate, speed);
  if (going && engine.energy.is_on()) engine.energy.set_pstate(engine.now, host, static_cast<std::uint32_t>(pstate));
  leave_call();
  return going ? 0 : -1;
}

void pysmpi_report_phase(const char* name, int32_t begins) {
  if (!observers) return;
  notify(begins ? &Observer::phase_begins : &Observer::phase_ends, simulation().now, running_fiber(), name);
}

void pysmpi_execute_flops(double flops) { owe_flops(TimeSource::kInjected, flops); }
void pysmpi_execute_seconds(double seconds) { owe_flops(TimeSource::kInjected, seconds * core_speed()); }
void pysmpi_execute_modelled_flops(double flops) { owe_flops(TimeSource::kModelled, flops); }

void pysmpi_set_detours(double rate, int32_t count, const double* lengths, uint64_t seed, uint32_t first) {
  Detours::current().set(rate, {lengths, lengths + count}, seed, first);
}
uint64_t pysmpi_detour_count(void) { return Detours::current().count(); }
double pysmpi_detour_seconds(void) { return Detours::current().seconds(); }

void pysmpi_share_memory(const double* bandwidths) {
  const Platform& platform = *current_platform();
  std::vector<double> scaled(bandwidths, bandwidths + platform.host_count());
  for (HostId host = 0; host < platform.host_count(); ++host) scaled[host] *= platform.scaling().speeds.of(host);
  simulation().memories = std::make_unique<Memories>(std::move(scaled));
}
void pysmpi_execute_modelled_bytes(double bytes, double seconds) { owe_bytes(TimeSource::kModelled, bytes, seconds); }
void pysmpi_execute_bytes(double bytes, double seconds) { owe_bytes(TimeSource::kInjected, bytes, seconds); }

int32_t pysmpi_begin_sampled_block(void) { return begin_sampled_block() ? 0 : -1; }
double pysmpi_end_sampled_block(void) { return end_sampled_block(); }
void pysmpi_end_sampling(double seconds) { end_sampling(seconds); }

double pysmpi_begin_exclusion(void) { return begin_exclusion(); }
void pysmpi_end_exclusion(double begun) { end_exclusion(begun); }

double pysmpi_own_time(void) { return inside_rank() ? own_time() : 0.0; }

void pysmpi_break_at(double time, int32_t rank) {
  simulation().break_at = time;
  simulation().break_in = rank;
}

int32_t pysmpi_broken_off(void) {
  Simulation& engine = simulation();
  engine.break_at = kNever;
  return std::exchange(engine.broken_off, nullptr)->number;
}

void pysmpi_trace_in(int32_t number, void* function) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  simulation().fiber(number).trace_function = Py_NewRef(static_cast<PyObject*>(function));
  PyGILState_Release(gil);
}

void pysmpi_read_time_spent(pysmpi_time_spent* out) {
  const Simulation& engine = simulation();
  TimeSpent spent = engine.time_spent;
  const auto add = [&](const Fiber& fiber) {
    if (fiber.state != FiberState::kEnded) {
      spent.of_ended += (fiber.failed_at < 0.0 ? engine.now : fiber.failed_at) - fiber.begun_at;
    }
  };
  std::for_each(engine.fibers.begin(), engine.fibers.end(), add);
  std::for_each(engine.threads.begin(), engine.threads.end(), add);
  *out = {spent.of_ended,
          spent.computed[TimeSource::kMeasured],
          spent.computed[TimeSource::kSampled],
          spent.computed[TimeSource::kModelled],
          spent.computed[TimeSource::kInjected],
          spent.asleep,
          spent.on_data,
          spent.ignored,
          spent.free_stretches,
          engine.measured_intervals.seconds(),
          engine.measured_intervals.wall(),
          engine.measured_intervals.count(),
          engine.measured_intervals.interrupted(),
          engine.measured_intervals.shortened(),
          engine.measured_intervals.kept(),
          engine.measured_intervals.saved()};
}

void pysmpi_invent_intervals(pysmpi_interval_clock clock) { simulation().invented_clock = clock; }

void pysmpi_record_intervals(void) { simulation().measured_intervals.record(); }
int32_t pysmpi_write_intervals(const char* path) { return simulation().measured_intervals.recorded()->write(path); }
int32_t pysmpi_reuse_intervals(const char* path, int32_t first) {
  return simulation().measured_intervals.reuse(path, first) ? 0 : -1;
}

void pysmpi_read_interval_use(pysmpi_interval_use* out) {
  const MeasuredIntervals& intervals = simulation().measured_intervals;
  *out = {};
  out->spread = -1.0;
  if (const IntervalRecord* const record = intervals.recorded()) {
    out->measured = record->count();
    out->longest = record->longest();
    out->spread = record->spread();
  } else if (const ReusedIntervals* const reused = intervals.reused()) {
    const ReusedIntervals::Counts counts = reused->counts();
    out->reused = counts.reused;
    out->repeated = counts.repeated;
    out->measured = counts.measured;
    out->left_over = counts.left_over;
    out->longest = counts.longest;
    out->diverged = counts.diverged;
  }
}

void pysmpi_meter_kind(uint32_t states, const double* idle, const double* epsilon, const double* all_cores,
                       double off) {
  std::vector<Watts> watts(states);
  for (std::uint32_t state = 0; state < states; ++state) watts[state] = {idle[state], epsilon[state], all_cores[state]};
  simulation().energy.add_kind(watts, off);
}

void pysmpi_meter_hosts(const int32_t* kinds, const int32_t* pstates) {
  Simulation& engine = simulation();
  const Platform& platform = *current_platform();
  for (HostId host = 0; host < platform.host_count(); ++host) {
    if (kinds[host] < 0) {
      engine.energy.add_unknown_host();
    } else {
      engine.energy.add_host(static_cast<std::uint32_t>(kinds[host]), static_cast<std::uint32_t>(pstates[host]),
                             platform.host_cores(host));
    }
    if (!engine.is_on(host)) engine.energy.set_state(engine.now, host, false);
    engine.energy.set_availability(engine.now, host, engine.processors.availability(host));
  }
  for (const HostId host : engine.rank_host) engine.energy.add_rank(engine.now, host);
  engine.processors.energy = &engine.energy;
}

int32_t pysmpi_is_energy_metered(void) { return simulation_active() && simulation().energy.is_on(); }

void pysmpi_read_joules(double* hosts, uint8_t* used, double* ranks) {
  const Simulation& engine = simulation();
  for (HostId host = 0; host < current_platform()->host_count(); ++host) {
    hosts[host] = pysmpi_joules_of_host(host);
    used[host] = engine.energy.was_used(host);
  }
  for (RankId rank = 0; rank < static_cast<RankId>(engine.rank_host.size()); ++rank) {
    ranks[rank] = pysmpi_joules_of_rank(rank);
  }
}

double pysmpi_joules_of_rank(int32_t rank) { return simulation().energy.joules_of_rank(simulation().now, rank); }
double pysmpi_joules_of_host(uint32_t host) { return simulation().energy.joules_of_host(simulation().now, host); }

int32_t pysmpi_meter_links(void) {
  if (!simulation().carrier->uses_links()) return -1;
  simulation().network.meter_links();
  return 0;
}

void pysmpi_read_links(double* load_seconds, double* seconds_off) {
  simulation().carrier->read_links(simulation().now, load_seconds, seconds_off);
}

int32_t pysmpi_read_packet_use(pysmpi_packet_use* out) {
  const PacketUse* const use = simulation().carrier->packet_use();
  if (use == nullptr) return -1;
  *out = {use->several_packets, use->several_messages, use->bypassed, use->lacked_room, use->ignored_limit};
  return 0;
}

void pysmpi_read_counters(pysmpi_counters* out) {
  const SimulationCounters& own = simulation().counters;
  const NetworkCounters& network = simulation().network.counters();
  *out = {own.messages,         own.bytes,     own.events,     own.switches,
          own.failed_probes,    network.flows, network.solves, network.flows_touched,
          network.links_touched};
}
