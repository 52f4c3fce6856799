// Start of an observation in the middle of a simulation.
#include "instrumentation/observing.hpp"

#include "engine/simulation.hpp"

namespace pysmpi {

void begin_observing(Observer& observer) {
  const Simulation& engine = simulation();
  for (const Fiber& fiber : engine.fibers) observer.thread_begins(engine.now, fiber);
  for (const Fiber& fiber : engine.threads) {
    if (fiber.state != FiberState::kEnded) observer.thread_begins(engine.now, fiber);
  }
  add_observer(observer);
}

}  // namespace pysmpi
