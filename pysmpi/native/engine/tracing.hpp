// Trace and profile functions of ranks (sys.settrace, sys.setprofile, and those that debuggers, profilers and coverage
// tools set in C). CPython has one set per thread, but ranks are greenlets of one thread. A rank starts with the
// functions of the main greenlet, as if its process had been started under the same tool; functions that it sets apply
// only to itself.
#pragma once

#include <memory>

namespace pysmpi {

struct Tracing;  // functions that a rank has set for itself

struct TracingDeleter {
  void operator()(Tracing* tracing) const;
};
using OwnTracing = std::unique_ptr<Tracing, TracingDeleter>;

// All functions of this file require the GIL.

void note_shared_tracing();  // records the functions of the main greenlet, with which ranks start
void put_shared_tracing();   // activates the shared functions when the running rank ends

// put_tracing_away, called before a switch to another rank, activates the shared trace functions, which are those of
// the main greenlet. It returns the rank's own functions, or null if the rank has set none; the call then takes only a
// few comparisons. put_tracing_back activates the rank's own functions again when the rank continues.
OwnTracing put_tracing_away();
void put_tracing_back(OwnTracing own);

// Notify the trace functions of the main greenlet that a rank without own trace functions continues. Tools that keep a
// stack for each greenlet (coverage.py) detect a switch only at the next Python call, but ranks are switched in C.
// Therefore this function calls an empty Python function.
void show_arrival();

void begin_tracing(void* function);  // calls sys.settrace; takes over the reference to a PyObject

}  // namespace pysmpi
