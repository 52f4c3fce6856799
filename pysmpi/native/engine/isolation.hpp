// Isolation of ranks: functions that the engine calls when it switches ranks or a rank calls MPI. Each rank has its own
// copy of some of the Python interpreter's state, which is exchanged at a switch. MPI calls during the import of a
// module show that the module depends on the rank. The GIL must be held.
#pragma once

#include "base/types.hpp"

namespace pysmpi {

// Save the private state of rank `from` and restore that of rank `to` (-1: the main greenlet). Called before the switch
// to a greenlet of `to`.
void isolation_switch(RankId from, RankId to);

// Let the garbage collector work on the objects of the rank. Called after the switch, in a greenlet of the rank:
// finalisers may block in MPI, which is impossible in the main greenlet.
void isolation_arrive(RankId rank);

// Function that puts in place what the C library keeps once in a process, for the rank that is switched to. Null unless
// ranks run executables.
inline void (*switch_process)(RankId to) = nullptr;

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

// The thread-local variables of loaded libraries (isolation/thread_storage.hpp) of a rank or thread that is suspended.
struct ThreadStorage;

// Put the thread-local variables of the running rank or thread away, so that another one can be switched to. Returns
// null if it has used none, which costs a few comparisons while no such library is loaded.
ThreadStorage* put_thread_storage_away();
void put_thread_storage_back(ThreadStorage* storage);

// End the thread-local variables of a rank or thread that has ended, as the C library does at the end of a thread.
void end_thread_storage();

// Do the same for the main greenlet when it starts or continues a rank, and when it runs again.
void leave_main_thread_storage();
void return_to_main_thread_storage();

}  // namespace pysmpi
