// The table of MPI functions that Python implements, and exceptions raised after MPI calls.
#include "objects/python_functions.hpp"

#include <Python.h>

#include <map>
#include <string>

namespace pysmpi {
namespace {

PyObject* pending_exception = nullptr;  // owned

}  // namespace

PythonFunction& python_function(const char* name) {
  static std::map<std::string, PythonFunction> functions;
  return functions[name];
}

bool python_alive() { return Py_IsInitialized() != 0; }

void set_pending_exception(void* type) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Py_XINCREF(static_cast<PyObject*>(type));
  Py_XSETREF(pending_exception, static_cast<PyObject*>(type));
  PyGILState_Release(gil);
}

void raise_pending_exception() {
  if (pending_exception == nullptr) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  PyThreadState_SetAsyncExc(PyThread_get_thread_ident(), pending_exception);
  Py_CLEAR(pending_exception);
  PyGILState_Release(gil);
}

}  // namespace pysmpi
