// Memory of the Python objects that a rank holds.
#pragma once

#include <Python.h>

#include <cstdint>

namespace pysmpi {

// Returns the bytes of the running rank's Python objects: objects that the garbage collector tracks for it, and
// numbers, texts, bytes and untracked containers that these refer to, each once. Array data is not included, and
// neither are classes, code and texts of the interpreter, which ranks share. Returns 0 if the interpreter's collector
// cannot be separated by rank. The caller need not hold the GIL.
//
// Example: the only object of a rank is a list of the floats 0.5 and 0.5, made separately. Its bytes are those of the
// list, which the collector tracks, and of two floats.
std::int64_t bytes_of_objects(PyTypeObject* array_type);

}  // namespace pysmpi
