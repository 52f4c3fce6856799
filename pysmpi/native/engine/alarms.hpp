// Time limits of waits for another thread of the same rank.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "engine/fiber.hpp"

namespace pysmpi {

class Alarms {
 public:
  // End the fiber's present wait at the simulated `time` (seconds), unless the wait ends earlier.
  void set(Fiber& fiber, double time);

 private:
  class Alarm final : public Waiter {
   public:
    void set(Alarms& alarms, Fiber& fiber);
    void wake() override;

   private:
    Alarms* alarms_ = nullptr;
    Fiber* fiber_ = nullptr;
    std::uint32_t wait_ = 0;  // Fiber::waits when the alarm was set
  };

  std::deque<Alarm> all_;  // a deque, which never moves its elements, because timers refer to the alarms
  std::vector<Alarm*> unused_;
};

}  // namespace pysmpi
