// Error handlers: what is called when an MPI function of a rank fails. Each rank has its own handler on a communicator,
// as a process would; one set in the main greenlet (mpi4py sets some while it is imported) is the default of all ranks.
#pragma once

#include <cstdint>

namespace pysmpi {

inline constexpr std::int32_t kErrorsAreFatal = 0x54000000, kErrorsReturn = 0x54000001, kErrorsAbort = 0x54000003;
inline constexpr std::int32_t kErrorHandlerNull = 0x14000000;

enum class HandledObject : std::uint8_t { kCommunicator, kWindow, kFile, kSession };

// The C function that mpi4py (or cffi code) registered: (MPI_Comm*, int*, ...), or the same with another kind of
// handle.
using ErrorHandlerFunction = void (*)(void* handle, int* code, ...);

std::int32_t add_error_handler(HandledObject kind, ErrorHandlerFunction function);
bool is_error_handler(std::int32_t handler);
bool is_error_handler(std::int32_t handler, HandledObject kind);  // predefined ones fit every kind

// A handler lives until it has been freed and nothing has it set any more.
void retain_error_handler(std::int32_t handler);
void release_error_handler(std::int32_t handler);

// Of the running rank, on a communicator. It has none on one that it has freed.
bool has_error_handler(std::int32_t communicator);
std::int32_t communicator_error_handler(std::int32_t communicator);
void set_communicator_error_handler(std::int32_t communicator, std::int32_t handler);
void forget_communicator_error_handler(std::int32_t communicator);

// Files keep theirs in the same table: no handle of a communicator is that of a file. The handler of MPI_FILE_NULL (0)
// is that of all files that have none, and MPI_ERRORS_RETURN by default.
std::int32_t file_error_handler(std::int32_t file);

// Calls the handler in the running rank. kErrorsReturn does nothing; kErrorsAreFatal and kErrorsAbort end the
// simulation.
void call_error_handler(std::int32_t handler, void* object, int code);

// Told when an error is fatal; returns when the running rank is being stopped.
using FatalHook = void (*)(int code, const char* text);
void set_fatal_hook(FatalHook hook);

// Forgets what ranks have set; the main greenlet's handlers stay.
void reset_error_handlers();

}  // namespace pysmpi
