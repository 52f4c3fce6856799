// Isolation of ranks: functions that the engine calls when it switches ranks or a rank calls MPI. Each rank has its own
// copy of some of the Python interpreter's state, which is exchanged at a switch. MPI calls during the import of a
// module show that the module depends on the rank. The GIL must be held.
#pragma once

#include <string>

#include "base/types.hpp"

namespace pysmpi {

// Save the private state of rank `from` and restore that of rank `to` (-1: the main greenlet). Called before the switch
// to a greenlet of `to`.
void isolation_switch(RankId from, RankId to);

// Let the garbage collector work on the objects of the rank. Called after the switch, in a greenlet of the rank:
// finalisers may block in MPI, which is impossible in the main greenlet.
void isolation_arrive(RankId rank);

// True if a library is loaded whose settings ranks may change, such as PyTorch.
extern bool library_settings_watched;

// Return why no other rank may run now, because of what such a library is doing for the running rank, or an empty text.
std::string refusal_to_switch();

// True while a rank imports a module that all ranks share. Attributes that the module's top-level code sets then count
// for all ranks, as if no rank had begun yet.
extern bool importing_shared;

// Report, while importing_shared is true, that the running rank calls an MPI function whose answer or effect may depend
// on the rank. Unless the function is known to be independent of the rank, the module becomes private to the rank, and
// importing_shared becomes false.
void report_call_while_importing(const char* function);

inline void note_dependence_on_rank(const char* function) {
  if (importing_shared) [[unlikely]]
    report_call_while_importing(function);
}

}  // namespace pysmpi
