// Hook that puts a rank's private state of the interpreter in place when the running rank changes.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

// Save the private state of rank `from` and put that of rank `to` in place (-1: the main greenlet). The GIL must be
// held.
void isolation_switch(RankId from, RankId to);

}  // namespace pysmpi
