// MPI functions that Python implements: Python fills this table (pysmpi/mpi/bindings.py), libmpi.so.12 calls through
// it.
#pragma once

namespace pysmpi {

using PythonFunction = void (*)();

// The place of the function with this name ("MPI_Comm_split"); null in it as long as Python implements none. The place
// stays where it is.
PythonFunction& python_function(const char* name);

// The interpreter is there. What mpi4py calls from Py_AtExit comes after its end, and must not enter Python.
bool python_alive();

// An exception class (PyObject*) to be raised in the Python code of the running rank, and: the function has returned,
// raise it now. It would strike inside the function otherwise, since the interpreter raises such exceptions as soon as
// it can.
void set_pending_exception(void* type);
void raise_pending_exception();

}  // namespace pysmpi
