// Signals of interval timers that ranks have set.
#include "engine/signals.hpp"

#include <Python.h>

#include <algorithm>

namespace pysmpi {

namespace {

PyObject* signal_function = nullptr;  // borrowed from a module

// Call the function for timer signals. The interpreter runs this function between two instructions of the rank's
// program, as it runs the handlers of signals.
int deliver(void*) {
  if (!signal_function) return 0;
  PyObject* result = PyObject_CallNoArgs(signal_function);
  Py_XDECREF(result);
  return result ? 0 : -1;
}

}  // namespace

void Signals::set(RankId rank, double time) {
  times_[rank] = time;
  earliest_ = kNever;
  for (const auto& [_, each] : times_) earliest_ = std::min(earliest_, each);
}

void Signals::ask_interpreter(RankId rank, double now) const {
  const auto mine = times_.find(rank);
  if (mine != times_.end() && now >= mine->second) Py_AddPendingCall(deliver, nullptr);
}

void set_signal_function(void* function) { signal_function = static_cast<PyObject*>(function); }

}  // namespace pysmpi
