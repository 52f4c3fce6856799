// Hooks that put a rank's private state of the interpreter in place when the running rank changes. The GIL must be
// held.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

// Save the private state of rank `from` and put that of rank `to` in place (-1: the main greenlet). Called before the
// switch to a greenlet of `to`.
void isolation_switch(RankId from, RankId to);

// Give the garbage collector the objects of the rank. Called after the switch, in a greenlet of the rank: finalisers
// may block in MPI, which is impossible in the main greenlet.
void isolation_arrive(RankId rank);

}  // namespace pysmpi
