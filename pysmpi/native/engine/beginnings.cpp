#include "engine/beginnings.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

Beginnings& beginnings() {
  static Beginnings instance;
  return instance;
}

std::size_t Beginnings::size() const {
  return static_cast<std::size_t>(
      std::count_if(events_.begin(), events_.end(), [](const Event& event) { return event.waiter != nullptr; }));
}

void Beginnings::settle(Simulation& engine) {
  if (events_.empty()) return;
  const auto before = [](const Event& a, const Event& b) { return a.order < b.order; };
  if (!std::is_sorted(events_.begin(), events_.end(), before)) {
    std::stable_sort(events_.begin(), events_.end(), before);
  }
  const Options& o = options();
  for (const Event& event : events_) {
    switch (event.what) {
      case What::kSleep:
        engine.timers.add(event.amount, event.waiter);
        break;
      case What::kCompute:
        engine.processors.execute(event.host, event.amount, event.waiter);
        break;
      case What::kPoll: {
        const double seconds = static_cast<double>(engine.failed_probes) * o.iprobe_cost;
        engine.processors.execute(event.host, seconds * engine.processors.speed(event.host), event.waiter, event.vain);
        break;
      }
      case What::kWait:
        engine.processors.begin_wait(event.host);
        break;
      case What::kFound:
        engine.failed_probes = 1;
        break;
      case What::kNotFound:
        if (o.grow_injected_times) ++engine.failed_probes;
        break;
    }
  }
  events_.clear();
}

}  // namespace pysmpi
