// What is private to a rank in the interpreter changes hands when another rank runs.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

// Called with the GIL held each time the running rank changes, between any two of ranks and the main greenlet (-1).
void isolation_switch(RankId from, RankId to);

}  // namespace pysmpi
