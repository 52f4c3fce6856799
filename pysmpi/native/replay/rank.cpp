// Start and end of native ranks, and their connection to the engine.
#include "replay/rank.hpp"

#include <memory>
#include <utility>

#include "base/observer.hpp"
#include "engine/listener.hpp"
#include "engine/simulation.hpp"
#include "schedule/running.hpp"

namespace pysmpi {

class NativeRank final : public Waiter {
 public:
  explicit NativeRank(RankId rank) : rank_(rank) {}
  void wake() override;  // called at the rank's start and at the end of its schedule

 private:
  bool begin();
  void end();

  const RankId rank_;
  Runner* runner_ = nullptr;
};

NativeRanks::NativeRanks() = default;
NativeRanks::~NativeRanks() = default;

namespace {

NativeRanks& native() { return NativeRanks::current(); }

}  // namespace

void NativeRank::wake() {
  const Fiber& fiber = simulation().fibers[rank_];
  if (fiber.state == FiberState::kEnded) return;
  if (runner_ || begin()) end();
}

bool NativeRank::begin() {
  Simulation& engine = simulation();
  Fiber& fiber = engine.fibers[rank_];
  Simulation::running = rank_;  // find_communicator looks up MPI_COMM_WORLD of the running rank
  engine.running_fiber = &fiber;
  runner_ = &take_runner(*find_communicator(kNativeWorld), 0);
  fiber.state = FiberState::kBlocked;
  set_spinning(fiber, true);
  const bool done = run_as_rank(*runner_, native().program->run(*runner_, rank_));
  Simulation::running = -1;
  engine.running_fiber = nullptr;
  return done;
}

void NativeRank::end() {
  Simulation& engine = simulation();
  if (native().failure.rank == rank_) return;
  give_runner(*std::exchange(runner_, nullptr));
  Fiber& fiber = engine.fibers[rank_];
  set_spinning(fiber, false);
  fiber.state = FiberState::kEnded;
  engine.time_spent.of_ended += engine.now - fiber.begun_at;
  if (observers) notify(&Observer::thread_ends, engine.now, fiber);
  --engine.unended;
  native().end_times[rank_] = engine.now;
  rank_enters(rank_);
  forget_rank(rank_);
}

void begin_native_ranks(std::unique_ptr<NativeProgram> program) {
  Simulation& engine = simulation();
  native().program = std::move(program);
  native().end_times.assign(engine.fibers.size(), -1.0);
  for (Fiber& fiber : engine.fibers) {
    fiber.native = native().ranks.emplace_back(std::make_unique<NativeRank>(fiber.rank)).get();
  }
}

const NativeProgram* native_program() { return native().program.get(); }
const std::vector<double>& native_end_times() { return native().end_times; }
const NativeFailure& native_failure() { return native().failure; }

void fail_natively(RankId rank, std::string text) {
  native().failure = {rank, std::move(text)};
  simulation().aborted = true;
  simulation().abort_rank = rank;
}

ObservedAction::ObservedAction(RankId rank, const char* action) : thread_(simulation().fibers[rank]) {
  if (observers) notify(&Observer::call_begins, simulation().now, thread_, action);
}

ObservedAction::~ObservedAction() {
  if (observers) notify(&Observer::call_ends, simulation().now, thread_);
}

void show_native_wait(RankId rank, const char* action, WaitKind kind) {
  BlockedOn& on = simulation().fibers[rank].blocked_on;
  on.call = action;
  on.kind = kind;
  on.communicator = kNativeWorld;
}

}  // namespace pysmpi
