// Assignments of folded arrays (rank_memory/folded.hpp) to parts of other arrays. NumPy would copy gigabytes whose
// contents do not matter, and the array on the right side of an assignment cannot prevent the copy. Therefore the
// assignment itself is replaced.
#include <Python.h>

#include <utility>

#include "rank_memory/assignment.hpp"
#include "rank_memory/c_api.h"

namespace {

objobjargproc assign_plainly = nullptr;
PyTypeObject* folded_type = nullptr;
PyObject* assign_folded = nullptr;

void (*notify_plain)(PyObject* array, PyObject* key, PyObject* value) = nullptr;

int assign(PyObject* array, PyObject* key, PyObject* value) {
  if (!value || !PyObject_TypeCheck(value, folded_type)) {
    const int failed = assign_plainly(array, key, value);
    if (notify_plain && value && !failed) notify_plain(array, key, value);
    return failed;
  }
  PyObject* done = PyObject_CallFunctionObjArgs(assign_folded, array, key, value, nullptr);
  if (!done) return -1;
  Py_DECREF(done);
  return 0;
}

}  // namespace

void pysmpi::watch_plain_assignments(void (*function)(PyObject* array, PyObject* key, PyObject* value)) {
  notify_plain = function;
}

void pysmpi_watch_assignments(void* array_type, void* value_type, void* function) {
  folded_type = static_cast<PyTypeObject*>(value_type);
  assign_folded = static_cast<PyObject*>(function);
  assign_plainly = std::exchange(static_cast<PyTypeObject*>(array_type)->tp_as_mapping->mp_ass_subscript, assign);
}
