// What takes time in a rank begins when the instant ends, in the order in which SMPI makes the calls. SMPI lets all
// ranks that are ready make one call each, then all of them the next one; ours make all their calls of an instant in
// turn. The order tells which of several that end at the same time goes on first; and polls of one instant read and
// change the counter that says how long they take.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Simulation;

// Orders are those of Simulation::call_order; waiters' pending counts are to include what begins.
class Beginnings {
 public:
  void sleep(std::uint64_t order, RankId rank, double until, Waiter* waiter) {
    events_.push_back({order, What::kSleep, rank, until, waiter});
  }
  void compute(std::uint64_t order, RankId rank, double flops, Waiter* waiter) {
    events_.push_back({order, What::kCompute, rank, flops, waiter});
  }

  // A poll computes for as many times smpi/iprobe seconds as polls of any rank have failed since the last one that
  // found something (SimGrid 3.32, Request::iprobe).
  // `vain`: see Processors::execute.
  void poll(std::uint64_t order, RankId rank, Waiter* waiter, const bool* vain = nullptr) {
    events_.push_back({order, What::kPoll, rank, 0.0, waiter, vain});
  }
  // The poll has ended; with the call after that in which it has looked the counter changes.
  void poll_has_ended(std::uint64_t order, bool found) {
    events_.push_back({order, found ? What::kFound : What::kNotFound, 0, 0.0, nullptr});
  }

  // The rank waits for a message alone: see matching's await_alone.
  void wait(std::uint64_t order, RankId rank) { events_.push_back({order, What::kWait, rank, 0.0, nullptr}); }

  std::size_t size() const;  // of those that take time

  // The instant ends.
  void settle(Simulation& engine);
  void clear() { events_.clear(); }

 private:
  enum class What : std::uint8_t { kSleep, kCompute, kPoll, kFound, kNotFound, kWait };
  struct Event {
    std::uint64_t order;
    What what;
    RankId rank;
    double amount;
    Waiter* waiter;
    const bool* vain = nullptr;
    std::uint64_t begins() const;
  };
  std::vector<Event> events_;  // of this instant
};

Beginnings& beginnings();  // of the simulation

}  // namespace pysmpi
