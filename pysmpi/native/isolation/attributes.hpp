// Attributes of shared modules and classes that are private to the rank that sets them.
#pragma once

#include <Python.h>

#include "base/types.hpp"

namespace pysmpi {

// Set or delete (null) an attribute of a class without making it private.
void put_class_attribute(PyTypeObject* type, PyObject* name, PyObject* value);

// Undo pysmpi_isolate_attributes.
void restore_attributes();

// Report, by calls of `function`, the MPI calls that a shared module makes while it is imported. Null ends the report.
void report_import(PyObject* function);

// Implemented in isolation.cpp.
bool is_watched(PyObject* dictionary);                    // pysmpi_isolate_dictionary has been called for it
bool is_shared_module(PyObject* name, PyObject* module);  // sys.modules has this module, the same for all ranks
bool binds_shared_submodule(PyObject* package, PyObject* key,
                            PyObject* value);  // the import system makes the assignment
void isolate(RankId rank, PyObject* dictionary, PyTypeObject* type, PyObject* key, PyObject* own);

}  // namespace pysmpi
