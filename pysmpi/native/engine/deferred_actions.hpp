// Deferred actions: sleeps, computations, polls and waits that ranks begin in an instant. They start at the end of the
// instant, in the order in which SMPI makes the calls.
//
// SMPI lets all ranks that are ready make one call each, then all of them their next call. Here, each rank makes all
// its calls of an instant before the next rank runs, so the order must be restored. Example: two flows end at 3 s. The
// network computed the end of the flow to rank 4 before that of the flow to rank 1, so rank 4 becomes ready first.
//
//     rank 4 runs first:   Isend (call 1), then a computation (call 2)
//     rank 1 runs next:    a computation (call 1)
//     SMPI's order:        Isend of rank 4, computation of rank 1, computation of rank 4
//
// So rank 1's computation starts first, although rank 4 ran first. The order has two effects. Among actions that end at
// the same time, it decides which rank continues first. Polls of one instant read and change, in this order, the
// counter that determines how long they take.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Simulation;
using PollCounter = std::uint64_t Simulation::*;  // a factor of the cost of polls

// Collects the actions that ranks begin at one simulated time; settle() starts them. `order` is the place of the action
// in SMPI's order of calls, from Simulation::call_order. When an action ends, one completion of its waiter is counted,
// so the caller must have included the action in Waiter::pending.
class DeferredActions {
 public:
  void sleep(std::uint64_t order, RankId rank, double until, Waiter* waiter) {
    events_.push_back({order, What::kSleep, rank, until, waiter});
  }
  void compute(std::uint64_t order, RankId rank, double flops, Waiter* waiter) {
    events_.push_back({order, What::kCompute, rank, flops, waiter});
  }

  // Add a poll. The poll computes for smpi/iprobe seconds, multiplied by `factor` and by the number of unsuccessful
  // polls of all ranks since the last successful one (SimGrid 3.32, Request::iprobe). `unsuccessful`: a flag that is
  // true while no message can be found, or null.
  void poll(std::uint64_t order, RankId rank, double factor, Waiter* waiter, const bool* unsuccessful = nullptr) {
    events_.push_back({order, What::kPoll, rank, factor, waiter, unsuccessful});
  }
  // Add a test for completion. It sleeps for smpi/test seconds, multiplied by `factor` and by `counter`, a member of
  // Simulation that grows with each unsuccessful test (Request::test).
  void test(std::uint64_t order, RankId rank, double factor, PollCounter counter, Waiter* waiter) {
    events_.push_back({order, What::kTest, rank, factor, waiter, nullptr, counter});
  }
  // Record the result of a poll or test. `order` is the position of the rank's next call in SMPI's order of calls; the
  // counter of unsuccessful polls or tests changes there.
  void poll_has_ended(std::uint64_t order, PollCounter counter, bool found) {
    events_.push_back({order, found ? What::kFound : What::kNotFound, 0, 0.0, nullptr, nullptr, counter});
  }

  // Record that the rank waits for a single message only, because such a wait can change the ends of computations on
  // its host (Processors::begin_wait).
  void wait(std::uint64_t order, RankId rank) { events_.push_back({order, What::kWait, rank, 0.0, nullptr}); }

  std::size_t size() const;  // number of actions that take time

  // Start all collected actions. To be called when no rank can continue before the clock advances.
  void settle(Simulation& engine);

 private:
  enum class What : std::uint8_t { kSleep, kTest, kCompute, kPoll, kFound, kNotFound, kWait };
  struct Event {
    std::uint64_t order;
    What what;
    RankId rank;
    double amount;
    Waiter* waiter;
    const bool* unsuccessful = nullptr;
    PollCounter counter = nullptr;
    std::uint64_t begins() const;
  };
  std::vector<Event> events_;  // actions that ranks have begun in the present instant
};

}  // namespace pysmpi
