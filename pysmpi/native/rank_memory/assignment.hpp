// Assignments to parts of plain arrays, for counts of memory traffic.
#pragma once

#include <Python.h>

namespace pysmpi {

// From now on, call `function(array, key, value)` after each successful `array[key] = value` that NumPy executes; null:
// call nothing. Has no effect before pysmpi_watch_assignments.
void watch_plain_assignments(void (*function)(PyObject* array, PyObject* key, PyObject* value));

}  // namespace pysmpi
