// Functions that libraries register for the end of the process. If each rank has its own variables of the library, or
// its own copy, the functions that it has registered are called when it ends.
#pragma once

#include "base/imports.hpp"

namespace pysmpi {

// Let ranks keep the functions that a library registers with atexit, or an extension module with Py_AtExit.
void keep_functions_for_atexit(const LoadedObject& library);
void keep_functions_for_py_atexit(const LoadedObject& module);

// Do what __cxa_atexit does, for the running rank.
int register_at_end(void (*function)(void*), void* argument, void* library);

// Forget the functions of all ranks.
void forget_exit_functions();

}  // namespace pysmpi
