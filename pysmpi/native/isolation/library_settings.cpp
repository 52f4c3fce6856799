// Calls of the Python functions that exchange settings of libraries.
#include "isolation/library_settings.hpp"

#include <Python.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/isolation.hpp"
#include "engine/simulation.hpp"
#include "isolation/c_api.h"
#include "isolation/collector.hpp"

namespace pysmpi {

namespace {

PyObject* exchange_settings = nullptr;  // owned; null if no library is watched

// Call a Python function in the middle of a switch. No finaliser, trace function, compiler (PEP 523) or pending
// exception of the rank may interfere. Returns null after an error.
template <class... Arguments>
PyObject* call_between_ranks(PyObject* function, const char* format, Arguments... arguments) {
  PyThreadState* const thread = PyThreadState_Get();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const PausedCollection paused;
  PyInterpreterState* const interpreter = PyInterpreterState_Get();
  const _PyFrameEvalFunction evaluate = _PyInterpreterState_GetEvalFrameFunc(interpreter);
  if (evaluate != _PyEval_EvalFrameDefault) _PyInterpreterState_SetEvalFrameFunc(interpreter, _PyEval_EvalFrameDefault);
  PyThreadState_EnterTracing(thread);
  PyObject* const result = PyObject_CallFunction(function, format, arguments...);
  PyThreadState_LeaveTracing(thread);
  if (evaluate != _PyEval_EvalFrameDefault) _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
  if (!result) PyErr_WriteUnraisable(function);
  PyErr_Restore(type, value, traceback);
  return result;
}

// A pointer that a library keeps at several addresses, with a value for each rank.
struct OwnPointer {
  std::vector<void**> addresses;
  std::vector<void*> of_rank;  // null until the rank runs
  void* shared = nullptr;      // value outside ranks
  PyObject* make = nullptr;    // owned; returns a rank's value as an integer

  void* value_of(RankId rank) {
    if (rank < 0) return shared;
    if (of_rank.size() <= static_cast<std::size_t>(rank)) of_rank.resize(static_cast<std::size_t>(rank) + 1);
    void*& value = of_rank[static_cast<std::size_t>(rank)];
    if (!value) {
      PyObject* const made = call_between_ranks(make, "i", rank);
      value = made ? PyLong_AsVoidPtr(made) : shared;
      Py_XDECREF(made);
    }
    return value;
  }

  void put(RankId rank) {
    void* const value = value_of(rank);
    for (void** const each : addresses) *each = value;
  }
};
OwnPointer own_pointer;

// Variables of a library, of which each rank has its own contents. All begin as zeros.
struct OwnBytes {
  char* address;
  std::string outside;               // contents outside ranks while a rank runs
  std::vector<std::string> of_rank;  // contents of ranks that do not run; empty: zeros

  std::string& kept(RankId rank) {
    if (rank < 0) return outside;
    if (of_rank.size() <= static_cast<std::size_t>(rank)) of_rank.resize(static_cast<std::size_t>(rank) + 1);
    return of_rank[static_cast<std::size_t>(rank)];
  }

  void exchange(RankId from, RankId to) {
    kept(from).assign(address, outside.size());
    const std::string& wanted = kept(to);
    for (std::size_t i = 0; i < outside.size(); ++i) address[i] = wanted.empty() ? '\0' : wanted[i];
  }
};
std::vector<OwnBytes> own_bytes;

}  // namespace

void exchange_library_variables(RankId from, RankId to) {
  if (!own_pointer.addresses.empty()) own_pointer.put(to);
  for (OwnBytes& each : own_bytes) each.exchange(from, to);
}

void exchange_library_settings(RankId from, RankId to) {
  if (exchange_settings) Py_XDECREF(call_between_ranks(exchange_settings, "ii", from, to));
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_isolate_pointer(void*** addresses, int32_t count, void* make) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (!own_pointer.addresses.empty()) own_pointer.put(-1);
  Py_XDECREF(std::exchange(own_pointer, {}).make);
  if (count > 0) {
    own_pointer.addresses.assign(addresses, addresses + count);
    own_pointer.shared = *addresses[0];
    own_pointer.make = Py_NewRef(static_cast<PyObject*>(make));
    own_pointer.put(simulation_active() ? simulation().running : -1);
  }
  PyGILState_Release(gil);
}

void pysmpi_share_variables(void) { own_bytes.clear(); }

void pysmpi_isolate_zeroed(void* address, int64_t size) {
  own_bytes.push_back({static_cast<char*>(address), std::string(static_cast<std::size_t>(size), '\0'), {}});
}

void pysmpi_watch_library_settings(void* exchange) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_XDECREF(std::exchange(exchange_settings, Py_XNewRef(static_cast<PyObject*>(exchange))));
  PyGILState_Release(gil);
}
