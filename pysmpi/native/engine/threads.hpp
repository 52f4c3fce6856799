// Waits of a thread of a rank for another thread, or for compiled code of another rank (engine/threads.cpp).
#pragma once

#include "engine/fiber.hpp"

namespace pysmpi {

enum class WaitEnd { kStopped, kTimeout, kWoken };

// Block the running fiber until wake() or for `seconds` (negative for no limit). Deadlock reports name the wait `call`.
WaitEnd wait_to_be_woken(double seconds, const char* call);

// Return false, without effect, if the fiber does not wait (any more).
bool wake(Fiber& fiber);

}  // namespace pysmpi
