// The schedule that a program writes itself.
#include <deque>
#include <utility>
#include <vector>

#include "engine/beginnings.hpp"
#include "engine/call.hpp"
#include "matching/failures.hpp"
#include "matching/requests.hpp"
#include "memory/folded.hpp"
#include "memory/zones.hpp"
#include "objects/errors.hpp"
#include "schedule/control.h"
#include "schedule/runner.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kErrorCommunicator = 5, kErrorTruncate = 14;  // MPICH's ABI
constexpr std::int32_t kNoCommunicator = 0x04000000;                 // MPI_COMM_NULL
constexpr char kName[] = "pysmpi.Schedule.run";

constexpr std::int32_t kErrorCount = 2;  // MPI_ERR_COUNT

// A computation is a request, which the schedule waits for; whether the rank still does or has been stopped.
class Computation final : public Waiter {
 public:
  RequestId begin(double seconds, RankId rank) {
    Simulation& engine = simulation();
    begun_ = engine.now;
    id_ = allocate_request();
    Request& r = request(id_);
    r.flags = kIsSchedule | kNonblocking | kMatched | kHeld;
    r.owner = rank;
    r.call = kName;
    pending = 1;
    const HostId host = engine.host_of(rank);
    beginnings().compute(engine.call_order(), host, seconds * engine.processors.speed(host), this);
    return id_;
  }

  void wake() override;

 private:
  RequestId id_ = kNone;
  double begun_ = 0.0;
};

struct Computations {
  std::deque<Computation> all;
  std::vector<Computation*> unused;
};

Computations& computations() {
  static Computations instance;
  return instance;
}

void Computation::wake() {
  Simulation& engine = simulation();
  engine.time_spent.computed[TimeSource::kInjected] += engine.now - begun_;
  Waiter* const schedule = std::exchange(request(id_).waiter, nullptr);
  complete(id_);
  let_go(id_);
  computations().unused.push_back(this);
  if (schedule) engine.go_on_in_turn(*schedule);
}

RequestId begin_computation(double seconds, RankId rank) {
  auto& [all, unused] = computations();
  if (unused.empty()) unused.push_back(&all.emplace_back());
  Computation& computation = *unused.back();
  unused.pop_back();
  return computation.begin(seconds, rank);
}

bool has_amount(const pysmpi_step& step) { return step.kind != PYSMPI_STEP_WAIT && step.kind != PYSMPI_STEP_POLL; }

bool fits(const pysmpi_step& step, double amount) {
  if (!has_amount(step)) return true;
  return amount >= 0.0 && (step.kind == PYSMPI_STEP_EXECUTE || amount <= static_cast<double>(step.room));
}

bool is_of_nobody(const pysmpi_step& step) {
  return step.peer == kProcNull && step.kind != PYSMPI_STEP_COPY && step.kind != PYSMPI_STEP_WAIT &&
         step.kind != PYSMPI_STEP_EXECUTE;
}

Schedule run_steps(Runner& run, const pysmpi_step* steps, std::int64_t number, std::int64_t repetitions,
                   const double* amount, RankId rank) {
  for (; repetitions > 0; --repetitions) {
    for (const pysmpi_step* step = steps; step < steps + number; ++step, ++amount) {
      if (is_of_nobody(*step)) continue;
      const auto bytes = has_amount(*step) ? static_cast<std::int64_t>(*amount) : 0;
      run.speak_for_program(step->tag);
      switch (step->kind) {
        case PYSMPI_STEP_SEND:
          co_await run.start_send(step->peer, step->buffer, bytes, step->datatype);  // before a poll, too
          break;
        case PYSMPI_STEP_SYNCHRONOUS_SEND:
          co_await run.start_send(step->peer, step->buffer, bytes, step->datatype, SendMode::kSynchronous);
          break;
        case PYSMPI_STEP_RECEIVE:
          run.receive(step->peer, step->buffer, bytes, step->datatype);
          break;
        case PYSMPI_STEP_WAIT:
          co_await run.round();
          break;
        case PYSMPI_STEP_POLL:
          while (!co_await run.probe(step->peer)) {
            if (run.probes_in_vain()) break;  // what waits for the message next shows the deadlock
          }
          break;
        case PYSMPI_STEP_COPY:
          if (is_folded(step->source) || is_folded(step->buffer)) break;
          move_bytes(step->buffer, step->source, static_cast<std::size_t>(bytes));
          break;
        case PYSMPI_STEP_EXECUTE:
          if (*amount > 0.0) co_await run.finish(begin_computation(*amount, rank));
          break;
      }
    }
  }
  co_await run.round();
}

}  // namespace

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_run_steps(int32_t communicator, int64_t number, const pysmpi_step* steps, int64_t repetitions,
                         const double* amounts) {
  const Call call;
  if (call.stopped()) return kErrorStopped;
  Communicator* const found = find_communicator(communicator);
  if (!found) return fail(kNoCommunicator, kErrorCommunicator, kName, "the communicator has been freed");
  for (std::int64_t i = 0; i < repetitions * number; ++i) {
    if (!fits(steps[i % number], amounts[i])) {
      return fail(communicator, kErrorCount, kName, "the amount of step %d is negative or more than its buffer holds",
                  static_cast<int>(i % number));
    }
  }
  Runner& runner = take_runner(*found, 0);
  const Fault fault =
      run_blocking(runner, run_steps(runner, steps, number, repetitions, amounts, simulation().running), kName);
  if (fault.error == kErrorStopped) return kErrorStopped;
  give_runner(runner);
  if (fault.error == 0) return 0;
  const std::string what =
      fault.error == kErrorTruncate ? "a message was longer than the buffer that receives it" : describe(fault);
  return fail(communicator, fault.error, kName, "%s", what.c_str());
}
