// Error handlers: the functions that are called when an MPI function of a rank fails. Each rank has its own handler on
// a communicator, like a process. A handler set in the main greenlet (mpi4py sets some during import) is the default of
// all ranks.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "base/simulation_part.hpp"

namespace pysmpi {

inline constexpr std::int32_t kErrorsAreFatal = 0x54000000, kErrorsReturn = 0x54000001, kErrorsAbort = 0x54000003;

enum class HandledObject : std::uint8_t { kCommunicator, kWindow, kFile, kSession };

// C function registered by mpi4py or cffi code, with the parameters (MPI_Comm*, int*, ...). The first parameter may
// also point to the handle of a window, file or session.
using ErrorHandlerFunction = void (*)(void* handle, int* code, ...);

// Function of an error handler that gets a state, and the function that frees this state.
using StatefulErrorHandlerFunction = void (*)(std::intptr_t handle, int code, void* state);
using StateDestructor = void (*)(void* state);

std::int32_t add_error_handler(HandledObject kind, ErrorHandlerFunction function);
std::int32_t add_error_handler(HandledObject kind, StatefulErrorHandlerFunction function, void* state,
                               StateDestructor destructor);  // may be null
bool is_error_handler(std::int32_t handler);
bool is_error_handler(std::int32_t handler, HandledObject kind);  // predefined handlers are valid for every kind

// Add or remove a reference to an error handler, which lives until it has been freed and no object uses it.
void retain_error_handler(std::int32_t handler);
void release_error_handler(std::int32_t handler);

// Query, set and remove the running rank's error handler on a communicator. A communicator that the rank has freed has
// no handler.
bool has_error_handler(std::int32_t communicator);
std::int32_t communicator_error_handler(std::int32_t communicator);
void set_communicator_error_handler(std::int32_t communicator, std::int32_t handler);
void forget_communicator_error_handler(std::int32_t communicator);

// Handlers of files are in the same table as those of communicators, because their handles differ. Files without a
// handler use that of MPI_FILE_NULL (0), which is MPI_ERRORS_RETURN by default.
std::int32_t file_error_handler(std::int32_t file);

// Calls the handler in the running rank. kErrorsReturn does nothing; kErrorsAreFatal and kErrorsAbort end the
// simulation.
void call_error_handler(std::int32_t handler, void* object, int code);

// Function that ends the simulation on a fatal error. After the call, the running rank is being stopped.
using FatalHook = void (*)(int code, const char* text);
void set_fatal_hook(FatalHook hook);

// For each rank, the error handlers that it has set on communicators and files. This table is dropped at the
// simulation's end; handlers set while no rank was running stay set. The error handlers themselves also remain, because
// mpi4py creates some while it is imported.
struct HandlersOfRanks : SimulationPart<HandlersOfRanks> {
  using Table = std::unordered_map<std::uint64_t, std::int32_t>;  // key: rank and communicator or file

  HandlersOfRanks() = default;
  ~HandlersOfRanks();

  Table set;  // looked up, never iterated in an order that matters
};

}  // namespace pysmpi
