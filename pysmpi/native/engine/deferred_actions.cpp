// Execution of deferred actions at the end of an instant.
#include "engine/deferred_actions.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

std::size_t DeferredActions::size() const {
  return static_cast<std::size_t>(
      std::count_if(events_.begin(), events_.end(), [](const Event& event) { return event.waiter != nullptr; }));
}

// Return the place of the action's start in SMPI's order of calls. A computation starts two calls after it was
// requested, and a poll three, because SMPI first makes calls that only set the properties of the action (SimGrid 3.32,
// Request::iprobe and Exec's setters).
std::uint64_t DeferredActions::Event::begins() const {
  return order + Simulation::kNextCall * (what == What::kPoll ? 3 : what == What::kCompute ? 2 : 0);
}

void DeferredActions::settle(Simulation& engine) {
  if (events_.empty()) return;
  const auto sort = [this](auto place) {
    if (!std::ranges::is_sorted(events_, {}, place)) std::ranges::stable_sort(events_, {}, place);
  };
  sort(&Event::order);
  const Options& settings = options();
  for (Event& event : events_) {
    if (event.what == What::kFound) engine.*event.counter = 1;
    if (event.what == What::kNotFound && settings.grow_injected_times) ++(engine.*event.counter);
    if (event.what == What::kTest) {
      event.amount = engine.now + event.amount * static_cast<double>(engine.*event.counter) * settings.test_cost;
    }
    if (event.what != What::kPoll) continue;
    const double seconds = event.amount * static_cast<double>(engine.failed_probes) * settings.iprobe_cost;
    event.amount = seconds * engine.processors.speed(engine.host_of(event.rank));
  }
  sort(&Event::begins);
  for (std::size_t i = 0; i < events_.size(); ++i) {
    constexpr std::size_t kAhead = 8;
    if (i + kAhead < events_.size()) engine.processors.prefetch(engine.host_of(events_[i + kAhead].rank));
    const Event& event = events_[i];
    switch (event.what) {
      case What::kSleep:
      case What::kTest:
        engine.timers.add(event.amount, event.waiter);
        // Like a wait, a sleep can change the ends of other computations on the host by rounding: SimGrid represents
        // both by an action that consumes nothing, and computes the ends again when such an action begins
        // (Processors::begin_wait).
        engine.processors.begin_wait(engine.host_of(event.rank));
        engine.processors.end_wait(engine.host_of(event.rank));
        break;
      case What::kCompute:
        engine.processors.execute(engine.now, engine.host_of(event.rank),
                                  {.remaining = event.amount,
                                   .waiter = event.waiter,
                                   .rank = event.rank,
                                   .cores = engine.threads_of(event.rank)});
        break;
      case What::kPoll:
        engine.processors.execute(engine.now, engine.host_of(event.rank),
                                  {event.amount, event.waiter, event.rank, true, event.unsuccessful,
                                   event.unsuccessful && settings.polls_are_independent() ? event.amount : 0.0});
        break;
      case What::kWait:
        engine.processors.begin_wait(engine.host_of(event.rank));
        break;
      case What::kFound:
      case What::kNotFound:
        break;
    }
  }
  events_.clear();
}

}  // namespace pysmpi
