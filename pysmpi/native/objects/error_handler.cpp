// Tables of error handlers, and calls of handlers.
#include "objects/error_handler.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <unordered_map>
#include <vector>

#include "engine/c_api.h"
#include "engine/fiber.hpp"
#include "engine/foreign_call.hpp"
#include "engine/simulation.hpp"
#include "objects/errors.hpp"
#include "objects/python_functions.hpp"

namespace pysmpi {
namespace {

inline constexpr std::int32_t kFirstUserHandler = static_cast<std::int32_t>(0x94000000U);

struct Handler {
  HandledObject kind = HandledObject::kCommunicator;
  std::int32_t references = 0;
  ErrorHandlerFunction function = nullptr;  // or, if null, the next one
  StatefulErrorHandlerFunction stateful_function = nullptr;
  void* state = nullptr;
  StateDestructor destructor = nullptr;

  void call(void* object, int code) const {
    if (function) return function(object, &code);
    const std::intptr_t handle =
        kind == HandledObject::kFile ? *static_cast<std::intptr_t*>(object) : *static_cast<std::int32_t*>(object);
    stateful_function(handle, code, state);
  }
};

std::vector<Handler> handlers;
std::vector<std::int32_t> free_handlers;
HandlersOfRanks::Table set_outside_ranks;
FatalHook fatal_hook = nullptr;

std::uint64_t key(std::int32_t rank, std::int32_t communicator) {
  return static_cast<std::uint64_t>(rank + 1) << 32 | static_cast<std::uint32_t>(communicator);
}

Handler* find(std::int32_t handler) {
  const auto index = static_cast<std::uint32_t>(handler) - static_cast<std::uint32_t>(kFirstUserHandler);
  return index < handlers.size() && handlers[index].references > 0 ? &handlers[index] : nullptr;
}

HandlersOfRanks::Table& set_handlers() {
  return pysmpi_running_rank() >= 0 ? HandlersOfRanks::current().set : set_outside_ranks;
}

// Returns the handler that the running rank has set on a communicator or file. If it has set none, returns the handler
// set while no rank was running (such as during the import of mpi4py), or null if no handler was set then.
const std::int32_t* find_handler(std::int32_t communicator) {
  const auto look = [communicator](const HandlersOfRanks::Table& table, std::int32_t rank) {
    const auto found = table.find(key(rank, communicator));
    return found == table.end() ? nullptr : &found->second;
  };
  const std::int32_t rank = pysmpi_running_rank();
  const std::int32_t* const own = rank >= 0 ? look(HandlersOfRanks::current().set, rank) : nullptr;
  return own ? own : look(set_outside_ranks, -1);
}

bool is_predefined(std::int32_t handler) {
  return handler == kErrorsAreFatal || handler == kErrorsReturn || handler == kErrorsAbort;
}

std::int32_t add(const Handler& added) {
  std::int32_t index = 0;
  if (free_handlers.empty()) {
    index = static_cast<std::int32_t>(handlers.size());
    handlers.push_back({});
  } else {
    index = free_handlers.back();
    free_handlers.pop_back();
  }
  handlers[index] = added;
  return kFirstUserHandler + index;
}

}  // namespace

std::int32_t add_error_handler(HandledObject kind, ErrorHandlerFunction function) {
  return add({.kind = kind, .references = 1, .function = function});
}

std::int32_t add_error_handler(HandledObject kind, StatefulErrorHandlerFunction function, void* state,
                               StateDestructor destructor) {
  return add({.kind = kind, .references = 1, .stateful_function = function, .state = state, .destructor = destructor});
}

bool is_error_handler(std::int32_t handler, HandledObject kind) {
  const Handler* found = find(handler);
  return is_predefined(handler) || (found != nullptr && found->kind == kind);
}

bool is_error_handler(std::int32_t handler) { return is_predefined(handler) || find(handler) != nullptr; }

void retain_error_handler(std::int32_t handler) {
  if (Handler* found = find(handler)) ++found->references;
}

void release_error_handler(std::int32_t handler) {
  Handler* found = find(handler);
  if (found == nullptr || --found->references > 0) return;
  free_handlers.push_back(handler - kFirstUserHandler);
  if (found->destructor) found->destructor(found->state);
}

bool has_error_handler(std::int32_t communicator) { return communicator == kCommWorld || find_handler(communicator); }

std::int32_t communicator_error_handler(std::int32_t communicator) {
  const std::int32_t* const found = find_handler(communicator);
  return found ? *found : kErrorsAreFatal;
}

void set_communicator_error_handler(std::int32_t communicator, std::int32_t handler) {
  retain_error_handler(handler);
  auto [place, inserted] = set_handlers().try_emplace(key(pysmpi_running_rank(), communicator), handler);
  if (!inserted) {
    release_error_handler(place->second);
    place->second = handler;
  }
}

void forget_communicator_error_handler(std::int32_t communicator) {
  HandlersOfRanks::Table& table = set_handlers();
  const auto found = table.find(key(pysmpi_running_rank(), communicator));
  if (found == table.end()) return;
  release_error_handler(found->second);
  table.erase(found);
}

std::int32_t file_error_handler(std::int32_t file) {
  const std::int32_t* found = find_handler(file);
  if (!found) found = find_handler(0);
  return found ? *found : kErrorsReturn;
}

void call_error_handler(std::int32_t handler, void* object, int code) {
  if (handler == kErrorsReturn || !python_alive()) return;
  if (const Handler* found = find(handler)) {
    const Handler called = *found;  // which the function may free
    called.call(object, code);
    return;
  }
  const std::string text = error_text(code);
  if (fatal_hook != nullptr) {
    fatal_hook(code, text.c_str());
    if (inside_rank() && running_fiber().stopping) leave_foreign_call(running_fiber());
    raise_pending_exception();
    return;
  }
  std::fprintf(stderr, "Fatal MPI error: %s\n", text.c_str());
  std::fflush(stderr);
  _exit(1);
}

void set_fatal_hook(FatalHook hook) { fatal_hook = hook; }

HandlersOfRanks::~HandlersOfRanks() {
  for (const auto& [_, handler] : set) release_error_handler(handler);
  std::sort(free_handlers.begin(), free_handlers.end(), std::greater<>());  // the hash table's order must not matter
}

}  // namespace pysmpi
