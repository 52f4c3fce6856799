// Iteration over the classes that are derived from a type of Python.
#pragma once

#include <Python.h>

namespace pysmpi {

// Call `visit` with each class that is derived directly from the type. The GIL must be held; errors are cleared.
template <typename Visit>
void for_each_subclass(PyTypeObject* type, const Visit& visit) {
  PyObject* derived = PyObject_CallMethod(reinterpret_cast<PyObject*>(&PyType_Type), "__subclasses__", "O", type);
  for (Py_ssize_t index = 0; derived && index < PyList_GET_SIZE(derived); ++index) {
    visit(reinterpret_cast<PyTypeObject*>(PyList_GET_ITEM(derived, index)));
  }
  Py_XDECREF(derived);
  PyErr_Clear();
}

}  // namespace pysmpi
