// Execution of schedules written by programs.
#include "schedule/steps.hpp"

#include <cmath>
#include <deque>
#include <utility>
#include <vector>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/call.hpp"
#include "engine/deferred_actions.hpp"
#include "matching/failures.hpp"
#include "matching/requests.hpp"
#include "objects/errors.hpp"
#include "rank_memory/folded.hpp"
#include "rank_memory/zones.hpp"
#include "schedule/running.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kErrorCommunicator = 5;        // MPICH's ABI
constexpr std::int32_t kNoCommunicator = 0x04000000;  // MPI_COMM_NULL
constexpr char kName[] = "pysmpi.Schedule.run";

constexpr std::int32_t kErrorCount = 2;  // MPI_ERR_COUNT

// Keeps the communicators alive until all schedules have run, because another thread of the rank may free a
// communicator.
class HeldCommunicators {
 public:
  explicit HeldCommunicators(std::span<const pysmpi_schedule* const> schedules) {
    if (simulation().threads.empty()) return;
    for (const pysmpi_schedule* const schedule : schedules) {
      held_.push_back(find_communicator(schedule->communicator));
      hold_communicator(*held_.back());
    }
  }
  ~HeldCommunicators() {
    for (Communicator* const communicator : held_) release_communicator(*communicator);
  }
  HeldCommunicators(const HeldCommunicators&) = delete;
  HeldCommunicators& operator=(const HeldCommunicators&) = delete;
  std::span<Communicator* const> all() const { return held_; }

 private:
  std::vector<Communicator*> held_;
};

}  // namespace

// A computation, represented by a request that the schedule waits for. The computation ends even if the rank is
// stopped.
class Computation final : public Waiter {
 public:
  RequestId begin(double seconds, Fiber& thread) {
    Simulation& engine = simulation();
    thread_ = &thread;
    leave_mpi(thread);
    begun_ = engine.now;
    id_ = allocate_request();
    Request& r = request(id_);
    r.kind = RequestKind::kSchedule;
    r.flags = kNonblocking | kMatched | kHeld;
    r.owner = thread.rank;
    r.call = kName;
    pending = 1;
    const double flops = seconds * engine.processors.speed(engine.host_of(thread.rank));
    if (observers) notify(&Observer::computation_begins, begun_, thread, injected(flops));
    deferred_actions().compute(engine.call_order(), thread.rank, flops, this);
    return id_;
  }

  void wake() override;

 private:
  RequestId id_ = kNone;
  Fiber* thread_ = nullptr;  // the thread that waits for the computation
  double begun_ = 0.0;
};

Computations::Computations() = default;
Computations::~Computations() = default;

void Computation::wake() {
  Simulation& engine = simulation();
  engine.time_spent.computed[TimeSource::kInjected] += engine.now - begun_;
  if (observers) notify(&Observer::computation_ends, engine.now, *thread_);
  enter_mpi(*thread_);
  Waiter* const schedule = std::exchange(request(id_).waiter, nullptr);
  complete(id_);
  release_hold(id_);
  Computations::current().unused.push_back(this);
  if (schedule) engine.go_on_in_turn(*schedule);
}

namespace {

RequestId begin_computation(double seconds, Fiber& thread) {
  auto& [all, unused] = Computations::current();
  if (unused.empty()) unused.push_back(all.emplace_back(std::make_unique<Computation>()).get());
  Computation& computation = *unused.back();
  unused.pop_back();
  return computation.begin(seconds, thread);
}

bool is_send(const pysmpi_step& step) {
  const std::int32_t kind = step.kind & ~PYSMPI_STEP_BLOCKING;
  return kind == PYSMPI_STEP_SEND || kind == PYSMPI_STEP_SYNCHRONOUS_SEND;
}

bool is_message(const pysmpi_step& step) {
  return is_send(step) || (step.kind & ~PYSMPI_STEP_BLOCKING) == PYSMPI_STEP_RECEIVE;
}

// Return whether a step has no effect: messages and polls of MPI_PROC_NULL, and computations of no time.
bool is_empty(const pysmpi_step& step, double amount) {
  if (step.kind == PYSMPI_STEP_EXECUTE) return !(amount > 0.0);
  return step.peer == kProcNull && (is_message(step) || step.kind == PYSMPI_STEP_POLL);
}

// Return whether schedules end early: a message has failed, or a look has found a message.
bool ends_early(const Runner& run) { return run.has_met_fault() || run.found_at >= 0; }

void* buffer_of(const pysmpi_schedule& schedule, const pysmpi_step& step) {
  return step.buffer ? step.buffer : schedule.buffer;
}

// Return the awaitable that posts a message, and waits until it is sent if the step blocks.
auto send(Runner& run, const pysmpi_step& step, const void* buffer, std::int64_t bytes) {
  const bool is_synchronous = (step.kind & ~PYSMPI_STEP_BLOCKING) == PYSMPI_STEP_SYNCHRONOUS_SEND;
  const SendMode mode = is_synchronous ? SendMode::kSynchronous : SendMode::kStandard;
  if (step.kind & PYSMPI_STEP_BLOCKING) return run.send_now(step.peer, buffer, bytes, step.datatype, mode);
  return run.start_send(step.peer, buffer, bytes, step.datatype, mode);
}

void copy_unless_folded(void* buffer, const void* source, std::int64_t bytes) {
  if (is_folded(source) || is_folded(buffer)) return;
  move_bytes(buffer, source, static_cast<std::size_t>(bytes));
}

// Let the schedule fail if the step polls for a message of a peer that has failed.
bool misses_failed_peer(Runner& run, const pysmpi_step& step, const Communicator& communicator, RankId rank) {
  const RankId peer = step.peer < 0 ? step.peer : communicator.peer_world(step.peer, rank);
  if (!has_failed(peer)) return false;
  run.miss(failure_of(peer));
  return true;
}

double amount_of(const double* amounts, const double* sizes, std::int32_t count) {
  double amount = amounts[0];
  for (std::int32_t i = 0; i < count; ++i) amount += amounts[1 + i] * sizes[i];
  return amount;
}

}  // namespace

std::int64_t first_unfit(const pysmpi_schedule& schedule, const double* sizes) {
  const double* amounts = schedule.amounts;
  for (std::int64_t i = 0; i < schedule.number; ++i, amounts += 1 + schedule.sizes) {
    const pysmpi_step& step = schedule.steps[i];
    const bool computes = step.kind == PYSMPI_STEP_EXECUTE;
    if (!is_message(step) && step.kind != PYSMPI_STEP_COPY && !computes) continue;
    const double amount = amount_of(amounts, sizes, schedule.sizes);
    if (computes && std::isfinite(amount)) continue;
    if (!(amount >= 0.0 && amount <= static_cast<double>(step.buffer ? step.room : schedule.room))) return i;
  }
  return schedule.number;
}

const char* describe_unfit(const pysmpi_step& step) {
  return step.kind == PYSMPI_STEP_EXECUTE ? "not a number of seconds" : "negative or more than its buffer holds";
}

namespace {

// Return the communicator of schedule number `i`; `held` has all of them, or none if no other thread can free them.
Communicator* communicator_of(const pysmpi_schedule& schedule, RankId rank, std::span<Communicator* const> held,
                              std::size_t i) {
  return held.empty() ? find_communicator_of(rank, schedule.communicator) : held[i];
}

}  // namespace

Schedule run_schedules(Runner& run, std::span<const pysmpi_schedule* const> schedules, const double* sizes, RankId rank,
                       std::span<Communicator* const> held) {
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    const pysmpi_schedule* const schedule = schedules[i];
    Communicator* const communicator = communicator_of(*schedule, rank, held, i);
    run.turn_to(*communicator);
    const double* amounts = schedule->amounts;
    for (const pysmpi_step *step = schedule->steps, *end = step + schedule->number; step < end;
         ++step, amounts += 1 + schedule->sizes) {
      const double amount = amount_of(amounts, sizes, schedule->sizes);
      if (is_empty(*step, amount)) continue;
      const auto bytes = static_cast<std::int64_t>(amount);
      void* const buffer = buffer_of(*schedule, *step);
      run.speak_for_program(step->tag);
      if (is_send(*step)) {  // posted at once, because a poll may come before the next wait
        co_await send(run, *step, buffer, bytes);
        continue;
      }
      switch (step->kind) {
        case PYSMPI_STEP_RECEIVE:
          run.receive(step->peer, buffer, bytes, step->datatype);
          break;
        case PYSMPI_STEP_RECEIVE | PYSMPI_STEP_BLOCKING:
          co_await run.receive_now(step->peer, buffer, bytes, step->datatype);
          break;
        case PYSMPI_STEP_WAIT:
          co_await run.round_or_one();
          break;
        case PYSMPI_STEP_POLL:
          if (options().iprobe_cost <= 0.0) co_await run.appearance(step->peer);
          while (!co_await run.probe_on(step->peer)) {
            if (misses_failed_peer(run, *step, *communicator, rank)) break;
            // Wait for the message without further polls, so that the engine can detect a deadlock.
            if (run.probes_are_pointless()) co_await run.appearance(step->peer);
          }
          break;
        case PYSMPI_STEP_LOOK:
          if (step->peer == kProcNull || co_await run.probe(step->peer)) {
            run.found_at = static_cast<std::int64_t>(i);
            step = end - 1;
          } else {
            run.looked_in_vain = true;
            if (misses_failed_peer(run, *step, *communicator, rank)) step = end - 1;
          }
          break;
        case PYSMPI_STEP_COPY:
          copy_unless_folded(buffer, step->source, bytes);
          break;
        case PYSMPI_STEP_EXECUTE:
          co_await run.finish(begin_computation(amount, run.thread()));
          break;
      }
    }
    co_await run.round_or_one();
    if (ends_early(run)) break;
    sizes += schedule->sizes;
  }
}

// If the looks of the schedules have found nothing, end them as an unsuccessful poll, because a program may repeat them
// in a loop. Returns false if the rank is being stopped.
bool end_unsuccessful_look() {
  if (options().iprobe_cost <= 0.0) return wait_busily(0.0, kName, Patience::kOfPolls);
  simulation().count_unsuccessful_poll();
  return true;
}

std::string describe_for_program(const Fault& fault) {
  return fault.error == kErrorTruncate ? "a message was longer than the buffer that receives it" : describe(fault);
}

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_run_schedules(int64_t number, const pysmpi_schedule* const* schedules, const double* sizes,
                             int64_t* found) {
  *found = -1;
  const Call call(kName);
  if (call.stopped()) return kErrorStopped;
  if (number == 0) return 0;
  if (observers) notify(&Observer::other_operation, simulation().running, kName);
  const std::span all(schedules, static_cast<std::size_t>(number));
  const double* own = sizes;
  for (const pysmpi_schedule* const schedule : all) {
    if (!find_communicator(schedule->communicator)) {
      return fail(kNoCommunicator, kErrorCommunicator, kName, "the communicator has been freed");
    }
    if (const std::int64_t unfit = first_unfit(*schedule, own); unfit < schedule->number) {
      return fail(schedule->communicator, kErrorCount, kName, "the amount of step %d is %s", static_cast<int>(unfit),
                  describe_unfit(schedule->steps[unfit]));
    }
    own += schedule->sizes;
  }
  const HeldCommunicators held(all);
  Runner& runner = take_runner(*find_communicator(all.front()->communicator), 0);
  const RankId rank = simulation().running;
  const Fault fault = run_blocking(runner, run_schedules(runner, all, sizes, rank, held.all()), kName);
  if (fault.error == kErrorStopped) return kErrorStopped;
  const std::int32_t communicator = runner.communicator().handle;
  *found = runner.found_at;
  const bool in_vain = runner.looked_in_vain && runner.found_at < 0;
  give_runner(runner);
  if (fault.error == 0 && in_vain && !end_unsuccessful_look()) return kErrorStopped;
  if (fault.error == 0) return 0;
  return fail(communicator, fault.error, kName, "%s", describe_for_program(fault).c_str());
}
