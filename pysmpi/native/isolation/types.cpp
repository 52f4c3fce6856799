// Replacement of operators and methods in types written in C, which Python code cannot modify, for the duration of a
// simulation.
#include <Python.h>

#include "isolation/c_api.h"

namespace {

PyTypeObject* changed = nullptr;
PyObject* product = nullptr;  // owned
binaryfunc original = nullptr;

PyObject* multiply(PyObject* left, PyObject* right) {
  const bool ours = product && Py_TYPE(left) == changed && Py_TYPE(right) == changed;
  return ours ? PyObject_CallFunctionObjArgs(product, left, right, nullptr) : original(left, right);
}

}  // namespace

void pysmpi_replace_matrix_product(void* type, void* function) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  changed = static_cast<PyTypeObject*>(type);
  Py_XINCREF(static_cast<PyObject*>(function));
  Py_XSETREF(product, static_cast<PyObject*>(function));
  binaryfunc& slot = changed->tp_as_number->nb_matrix_multiply;
  if (function && slot != multiply) {
    original = slot;
    slot = multiply;
  } else if (!function && slot == multiply) {
    slot = original;
  }
  PyGILState_Release(gil);
}

void pysmpi_replace_method(void* type, const char* name, void* function) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  auto* const of = static_cast<PyTypeObject*>(type);
#if PY_VERSION_HEX >= 0x030c0000
  PyObject* methods = PyType_GetDict(of);
#else
  PyObject* methods = Py_NewRef(of->tp_dict);
#endif
  if (PyDict_SetItemString(methods, name, static_cast<PyObject*>(function)) != 0) PyErr_Clear();
  Py_DECREF(methods);
  PyType_Modified(of);
  PyGILState_Release(gil);
}
