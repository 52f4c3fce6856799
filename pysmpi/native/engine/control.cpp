#include "engine/control.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "collectives/persistent.hpp"
#include "engine/computation.hpp"
#include "engine/options.hpp"
#include "engine/simulation.hpp"
#include "engine/switching.hpp"
#include "io/access.hpp"
#include "matching/communicator.hpp"
#include "matching/point_to_point.hpp"
#include "rma/window.hpp"
#include "schedule/ledger.hpp"
#include "schedule/runner.hpp"

using namespace pysmpi;

void pysmpi_simulation_begin(int32_t ranks, const uint32_t* rank_hosts) {
  simulation_begin(ranks, rank_hosts);
  begin_matching(ranks);
  begin_communicators(ranks);
}

void pysmpi_simulation_end(void) {
  end_persistent_collectives();
  end_schedules();
  end_accesses();
  clear_ledgers();
  simulation_end();
  end_thread_waits();
  end_tasks();
  end_matching();
  end_communicators();
}

int32_t pysmpi_add_ranks(int32_t count, const uint32_t* rank_hosts) {
  Simulation& engine = simulation();
  const auto first = static_cast<RankId>(engine.fibers.size());
  for (int32_t i = 0; i < count; ++i) engine.add_rank(rank_hosts[i]);
  extend_matching(first + count);
  add_world(first, count);
  return first;
}

int32_t pysmpi_has_ended(int32_t rank) { return simulation().fibers[rank].state == FiberState::kEnded; }

int32_t pysmpi_is_host_on(uint32_t host) { return simulation().is_on(host); }

int32_t pysmpi_rank_on_failed_host(void) {
  const Simulation& engine = simulation();
  const auto off =
      std::find_if(engine.rank_host.begin(), engine.rank_host.end(), [&](HostId host) { return !engine.is_on(host); });
  return off == engine.rank_host.end() ? -1 : static_cast<int32_t>(off - engine.rank_host.begin());
}

int32_t pysmpi_next_rank(void) {
  Simulation& engine = simulation();
  set_main_greenlet();
  const bool stuck = engine.interrupted || engine.aborted || engine.unreachable || engine.unended == 0;
  Fiber* fiber = stuck ? nullptr : engine.next_fiber();
  if (engine.unreachable) {
    engine.unreachable = false;
    if (fiber) engine.ready.push_front(fiber);
    return -5;
  }
  if (engine.unended == 0) return -1;
  if (engine.aborted) {
    engine.aborted = false;
    return -4;
  }
  if (engine.interrupted) {
    engine.interrupted = false;
    return -3;
  }
  if (!fiber) {
    show_waiting_schedules();
    return -2;
  }
  fiber->state = FiberState::kRunning;
  hand_over_to(*fiber);
  return fiber->number;
}

void pysmpi_rank_ended(int32_t number) {
  Simulation& engine = simulation();
  Fiber& fiber = engine.fiber(number);
  fiber.state = FiberState::kEnded;
  --engine.unended;
  if (number == fiber.rank) {
    forget_schedules(fiber.rank);
    forget_rank(fiber.rank);
  }
  hand_back_to_main(fiber);
}

void pysmpi_abort(int32_t code) {
  Simulation& engine = simulation();
  Fiber& fiber = running_fiber();
  if (fiber.stopping) return;
  engine.aborted = true;
  engine.abort_code = code;
  engine.abort_rank = fiber.rank;
  fiber.pending = 1;
  block({.call = "MPI_Abort", .kind = WaitKind::kOther});
}

int32_t pysmpi_abort_rank(void) { return simulation().abort_rank; }
int32_t pysmpi_abort_code(void) { return simulation().abort_code; }
int32_t pysmpi_unreachable_sender(void) { return simulation().unreachable_sender; }
int32_t pysmpi_unreachable_receiver(void) { return simulation().unreachable_receiver; }

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
  fiber.pending = 1 << 30;  // what it awaited may still complete, and must not wake it again
  fiber.state = FiberState::kReady;
  simulation().ready.push_back(&fiber);
}

int32_t pysmpi_is_stopping(int32_t number) { return simulation().fiber(number).stopping; }
void pysmpi_await_initialization(void) { running_fiber().initialized = false; }
void pysmpi_withdraw_stop(void) { withdraw_stop(); }
void pysmpi_set_stop_exception(void* type) { set_stop_exception(type); }

int32_t pysmpi_running_rank(void) { return simulation_active() ? simulation().running : -1; }
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

int32_t pysmpi_sleep(double seconds) {
  const bool going = account_computation() && sleep_for(seconds, "sleep");
  leave_call();
  return going ? 0 : -1;
}
int32_t pysmpi_pstate(int32_t rank) { return simulation().processors.pstate(simulation().host_of(rank)); }
double pysmpi_speed(int32_t rank) { return simulation().processors.speed(simulation().host_of(rank)); }
int32_t pysmpi_set_pstate(int32_t pstate, double speed) {
  const bool going = account_computation();
  Simulation& engine = simulation();
  if (going) engine.processors.set_pstate(engine.now, engine.host_of(engine.running), pstate, speed);
  leave_call();
  return going ? 0 : -1;
}
void pysmpi_execute_flops(double flops) { running_fiber().owed += flops; }
void pysmpi_execute_seconds(double seconds) { running_fiber().owed += seconds * core_speed(); }

namespace {

double* number_named(std::string_view name) {
  Options& o = options();
  struct Entry {
    std::string_view name;
    double* value;
  };
  const Entry entries[] = {
      {"precision/timing", &o.precision_timing},
      {"precision/work-amount", &o.precision_work_amount},
      {"network/TCP-gamma", &o.tcp_gamma},
      {"network/weight-S", &o.weight_s},
      {"network/loopback-bw", &o.loopback_bandwidth},
      {"network/loopback-lat", &o.loopback_latency},
      {"loggps/L", &o.loggps_latency},
      {"loggps/g", &o.loggps_gap},
      {"loggps/G", &o.loggps_gap_per_byte},
      {"smpi/IB-penalty-factors/0", &o.ib_penalty_in},
      {"smpi/IB-penalty-factors/1", &o.ib_penalty_out},
      {"smpi/IB-penalty-factors/2", &o.ib_penalty_both},
      {"smpi/wtime", &o.wtime_cost},
      {"smpi/test", &o.test_cost},
      {"smpi/iprobe", &o.iprobe_cost},
      {"smpi/iprobe-cpu-usage", &o.iprobe_cpu_usage},
      {"smpi/init", &o.init_cost},
      {"smpi/cpu-threshold", &o.cpu_threshold},
      {"smpi/host-speed", &o.host_speed},
      {"io/read-bw", &o.read_bandwidth},
      {"io/write-bw", &o.write_bandwidth},
      {"io/latency", &o.access_latency},
  };
  for (const Entry& entry : entries) {
    if (entry.name == name) return entry.value;
  }
  return nullptr;
}

SizeTable* table_named(std::string_view name) {
  Options& o = options();
  if (name == "smpi/bw-factor" || name == "network/bandwidth-factor") return &o.bandwidth_factor;
  if (name == "smpi/lat-factor" || name == "network/latency-factor") return &o.latency_factor;
  if (name == "smpi/os") return &o.send_overhead;
  if (name == "smpi/ois") return &o.isend_overhead;
  if (name == "smpi/or") return &o.receive_overhead;
  return nullptr;
}

}  // namespace

int32_t pysmpi_set_number(const char* name, double value) {
  Options& o = options();
  const std::string_view key = name;
  if (double* number = number_named(key)) {
    *number = value;
  } else if (key == "network/model") {
    o.network_model = static_cast<NetworkModel>(static_cast<int>(value));
  } else if (key == "network/crosstraffic") {
    o.crosstraffic = value != 0;
  } else if (key == "overhead-always") {
    o.overhead_always = value != 0;
  } else if (key == "smpi/async-small-thresh") {
    o.async_small_threshold = static_cast<std::int64_t>(value);
  } else if (key == "smpi/send-is-detached-thresh") {
    o.detached_threshold = static_cast<std::int64_t>(value);
  } else if (key == "smpi/grow-injected-times") {
    o.grow_injected_times = value != 0;
  } else if (key == "smpi/simulate-computation") {
    o.simulate_computation = value != 0;
  } else {
    return -1;
  }
  return 0;
}

int32_t pysmpi_set_table(const char* name, int32_t steps, const double* above, const double* value,
                         const double* per_byte) {
  SizeTable* table = table_named(name);
  if (!table) return -1;
  table->clear();
  for (int32_t i = 0; i < steps; ++i) table->push_back({above[i], value[i], per_byte ? per_byte[i] : 0.0});
  return 0;
}

void pysmpi_reset_options(void) { options() = Options{}; }

void pysmpi_read_counters(pysmpi_counters* out) {
  const SimulationCounters& own = simulation().counters;
  const NetworkCounters& network = simulation().network.counters();
  *out = {own.messages,         own.bytes,     own.events,     own.switches,
          own.failed_probes,    network.flows, network.solves, network.flows_touched,
          network.links_touched};
}

void pysmpi_read_blocked(int32_t number, pysmpi_blocked* out) {
  const Fiber& fiber = simulation().fiber(number);
  const BlockedOn& on = fiber.blocked_on;
  *out = {};
  if (fiber.state != FiberState::kBlocked) return;
  out->call = fiber.outer_call ? fiber.outer_call : on.call;
  out->kind = static_cast<int32_t>(on.kind);
  out->communicator = on.communicator;
  out->requests = on.requests;
  out->peer = on.peer;
  out->peer_world = -1;
  out->tag = on.tag;
  if (on.kind == WaitKind::kLock) {
    const LockObstacle obstacle = find_obstacle(on.communicator, on.peer);
    out->peer = obstacle.target;
    out->peer_world = obstacle.holder;
    return;
  }
  if (on.request != kNone) {
    const Request& r = request(on.request);
    if (r.flags & kIsSchedule) {
      out->collective = r.call;
      out->kind = static_cast<int32_t>(WaitKind::kCollective);
    } else if (on.kind != WaitKind::kCollective) {
      out->kind = static_cast<int32_t>(r.flags & kIsSend ? WaitKind::kSend : WaitKind::kReceive);
    }
    if (on.kind != WaitKind::kCollective) out->communicator = r.communicator;
    const Request& message = (r.flags & kIsSchedule) && r.partner != kNone ? request(r.partner) : r;
    out->tag = message.tag;
    out->bytes = message.bytes;
    out->peer_world = message.peer;
    const Communicator* communicator = find_communicator_of(fiber.rank, r.communicator);
    out->peer = message.peer < 0 || !communicator || communicator->self ? message.peer
                                                                        : communicator->peers().rank_of(message.peer);
  } else if (const Communicator* communicator = find_communicator_of(fiber.rank, on.communicator);
             communicator && on.peer >= 0) {
    out->peer_world = communicator->peer_world(on.peer, fiber.rank);
  }
  if (const Communicator* communicator = find_communicator(out->communicator); communicator && communicator->window) {
    out->communicator = communicator->window;
  }
}
