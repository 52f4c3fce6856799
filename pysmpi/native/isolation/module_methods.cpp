// Replacement of the methods by which attributes of modules are set. It makes the type of modules look like a class
// with methods in Python: its C function tp_setattro is replaced by the one that CPython gives to such classes, which
// calls __setattr__. With any other function, CPython would refuse object.__setattr__(module, name, value), which lazy
// modules use.
#include "isolation/module_methods.hpp"

#include <cstddef>

#include "engine/subclasses.hpp"

namespace pysmpi {

namespace {

// Original methods of the type of modules while they are replaced; null where this type inherits the method, as from
// Python 3.13 on.
PyObject* originals[2] = {};
setattrofunc original = nullptr;

// Returns the C function (tp_setattro) of classes whose __setattr__ is defined in Python.
setattrofunc find_function_of_classes() {
  PyObject* type =
      PyObject_CallFunction(reinterpret_cast<PyObject*>(&PyType_Type), "s(){sO}", "T", kMethodNames[0], Py_None);
  const setattrofunc found = type ? reinterpret_cast<PyTypeObject*>(type)->tp_setattro : nullptr;
  Py_XDECREF(type);
  return found;
}

// Sets the C function (tp_setattro) of a type, and of all derived types that inherit its method.
void set_function(PyTypeObject* type, PyObject* name, PyObject* method, setattrofunc function) {
  if (_PyType_Lookup(type, name) != method) return;
  type->tp_setattro = function;
  PyType_Modified(type);
  for_each_subclass(type, [&](PyTypeObject* derived) { set_function(derived, name, method, function); });
}

// Puts methods into the type of modules, or removes those that are null; the references remain the caller's.
void put(PyObject* const (&methods)[2], setattrofunc function) {
  PyObject* dictionary = dictionary_of(&PyModule_Type);
  for (std::size_t i = 0; i < 2; ++i) {
    if (methods[i]) {
      PyDict_SetItemString(dictionary, kMethodNames[i], methods[i]);
    } else {
      PyDict_DelItemString(dictionary, kMethodNames[i]);
    }
  }
  Py_DECREF(dictionary);
  PyType_Modified(&PyModule_Type);
  PyObject* name = PyUnicode_InternFromString(kMethodNames[0]);
  set_function(&PyModule_Type, name, _PyType_Lookup(&PyModule_Type, name), function);
  Py_DECREF(name);
}

}  // namespace

PyObject* dictionary_of(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyType_GetDict(type);
#else
  return Py_NewRef(type->tp_dict);
#endif
}

void replace_module_methods(PyMethodDef (&definitions)[2]) {
  static const setattrofunc function_of_classes = find_function_of_classes();
  original = PyModule_Type.tp_setattro;
  PyObject* dictionary = dictionary_of(&PyModule_Type);
  PyObject* methods[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    originals[i] = Py_XNewRef(PyDict_GetItemString(dictionary, kMethodNames[i]));
    methods[i] = PyDescr_NewMethod(&PyModule_Type, &definitions[i]);
  }
  Py_DECREF(dictionary);
  put(methods, function_of_classes);
  for (PyObject* each : methods) Py_XDECREF(each);
}

void restore_module_methods() {
  put(originals, original);
  for (PyObject*& each : originals) Py_CLEAR(each);
}

}  // namespace pysmpi
