// Calls of the Python functions that exchange settings of libraries.
#include "isolation/library_settings.hpp"

#include <Python.h>

#include <string>
#include <utility>

#include "engine/isolation.hpp"
#include "isolation/c_api.h"

namespace pysmpi {

bool library_settings_watched = false;

namespace {

PyObject* exchange_settings = nullptr;  // owned; null if no library is watched
PyObject* find_refusal = nullptr;       // owned; null if no library is watched

// Call a Python function in the middle of a switch. No finaliser, trace function, compiler (PEP 523) or pending
// exception of the rank may interfere. Returns null after an error.
template <class... Arguments>
PyObject* call_between_ranks(PyObject* function, const char* format, Arguments... arguments) {
  PyThreadState* const thread = PyThreadState_Get();
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  const int collects = PyGC_Disable();
  PyInterpreterState* const interpreter = PyInterpreterState_Get();
  const _PyFrameEvalFunction evaluate = _PyInterpreterState_GetEvalFrameFunc(interpreter);
  if (evaluate != _PyEval_EvalFrameDefault) _PyInterpreterState_SetEvalFrameFunc(interpreter, _PyEval_EvalFrameDefault);
  PyThreadState_EnterTracing(thread);
  PyObject* const result = PyObject_CallFunction(function, format, arguments...);
  PyThreadState_LeaveTracing(thread);
  if (evaluate != _PyEval_EvalFrameDefault) _PyInterpreterState_SetEvalFrameFunc(interpreter, evaluate);
  if (collects) PyGC_Enable();
  if (!result) PyErr_WriteUnraisable(function);
  PyErr_Restore(type, value, traceback);
  return result;
}

}  // namespace

void exchange_library_settings(RankId from, RankId to) {
  if (exchange_settings) Py_XDECREF(call_between_ranks(exchange_settings, "ii", from, to));
}

std::string refusal_to_switch() {
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyObject* const found = find_refusal ? call_between_ranks(find_refusal, nullptr) : nullptr;
  const char* const text = found && found != Py_None ? PyUnicode_AsUTF8(found) : nullptr;
  std::string refusal(text ? text : "");
  Py_XDECREF(found);
  PyGILState_Release(gil);
  return refusal;
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_watch_library_settings(void* exchange, void* refusal) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_XDECREF(std::exchange(exchange_settings, Py_XNewRef(static_cast<PyObject*>(exchange))));
  Py_XDECREF(std::exchange(find_refusal, Py_XNewRef(static_cast<PyObject*>(refusal))));
  library_settings_watched = exchange_settings != nullptr;
  PyGILState_Release(gil);
}
