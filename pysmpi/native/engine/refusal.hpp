// Refusals: a rank does something that would give wrong results, because all ranks share the memory of one process.
// Instead of going on silently, the simulation then stops with an error that names the rank, the line of its program
// and the library.
#pragma once

#include <cstdint>
#include <string>

namespace pysmpi {

// Stop the simulation with the error "solve.py:12: rank 3: <problem>", because the running rank does something that
// would give wrong results. Returns when the rank is being stopped; the MPI function must then return kErrorStopped.
void refuse(const char* function, const std::string& problem);

// Record a refusal that is caused by the running rank, which is about to block. No rank runs any more before the main
// greenlet has stopped all of them.
void record_refusal(const std::string& problem);

// Return the file name of the library whose code called MPI, such as "libsolver.so", from the stack of C frames; empty
// if it is unknown. Takes some microseconds.
std::string calling_library();

// Refuse a call that would refer to memory on the C stack after its return: the stack of a suspended rank holds another
// rank's data. `memory` says what the memory is ("the receive buffer"). Returns true when the rank is being stopped.
bool refuse_stack_memory(const char* function, const char* memory);

// Likewise, refuse a buffer of which a datatype places a part in variables of a library of which each rank has its own.
bool refuse_library_variable(const char* function, const char* memory);

}  // namespace pysmpi
