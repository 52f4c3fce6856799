// Table of the MPI functions that Python implements. Python fills it (pysmpi/simulation/mpi/bindings.py); libmpi.so.12
// calls through it.
#pragma once

namespace pysmpi {

using PythonFunction = void (*)();

// Returns the table entry of the function with this name ("MPI_Comm_split"), which contains null if Python does not
// implement it. The entry never moves.
PythonFunction& python_function(const char* name);

// Returns whether the interpreter exists. mpi4py calls MPI from Py_AtExit, after the interpreter's end; such calls must
// not enter Python.
bool python_alive();

// Set an exception class (PyObject*) to be raised in the running rank's Python code, and raise it after the MPI
// function has returned. The two steps are separate because the interpreter raises such exceptions as soon as it can,
// which would be inside the function.
void set_pending_exception(void* type);
void raise_pending_exception();

}  // namespace pysmpi
