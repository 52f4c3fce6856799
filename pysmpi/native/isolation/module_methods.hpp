// Replacement of the methods by which attributes of modules are set.
#pragma once

#include <Python.h>

namespace pysmpi {

inline constexpr const char* kMethodNames[] = {"__setattr__", "__delattr__"};

// Return a new reference to the dictionary of a type, also of a type in C.
PyObject* dictionary_of(PyTypeObject* type);

// Replace __setattr__ and __delattr__ (in this order) of the type of modules, until restore_module_methods is called.
// Derived types without methods of their own inherit the replacements.
void replace_module_methods(PyMethodDef (&definitions)[2]);
void restore_module_methods();

}  // namespace pysmpi
