// Trace and profile functions (sys.settrace, sys.setprofile, and what debuggers, profilers and coverage set in C) are a
// thread's, and ranks are greenlets of one thread. A rank begins with those of the main greenlet, as if its process had
// been started under the same tool; what it sets itself holds for it alone.
#pragma once

#include <memory>

namespace pysmpi {

struct Tracing;  // functions that a rank has set for itself

struct LetGo {
  void operator()(Tracing* tracing) const;
};
using OwnTracing = std::unique_ptr<Tracing, LetGo>;

// All called with the GIL held.

void note_shared_tracing();  // the main greenlet runs: what it has now is where ranks begin
void put_shared_tracing();   // in place, whatever the running rank has set: it ends

// The running rank is about to be switched from: what all begin with is put in place. Null, which is a look at five
// fields, when the rank has nothing of its own; else to be put back as it goes on.
OwnTracing put_tracing_away();
void put_tracing_back(OwnTracing own);

// The rank goes on, with what all begin with. Tracers that keep a stack for each greenlet (coverage.py) look which one
// runs when a Python function is called, and our ranks are switched in C: one is called.
void show_arrival();

void begin_tracing(void* function);  // sys.settrace, with a reference to a PyObject that is taken over

}  // namespace pysmpi
