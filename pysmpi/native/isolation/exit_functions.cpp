// Replaces the functions by which libraries register others for the end of the process.
#include "isolation/exit_functions.hpp"

#include <cxxabi.h>
#include <dlfcn.h>

#include <string_view>
#include <vector>

#include "engine/c_api.h"
#include "engine/fiber.hpp"
#include "engine/library_variables.hpp"
#include "engine/simulation.hpp"
#include "isolation/c_api.h"

namespace pysmpi {

namespace {

struct ExitFunction {
  void (*function)(void*);
  void* argument;
};

// The functions of each rank, in the order of their registration.
class ExitFunctions {
 public:
  void add(ExitFunction function) {
    const auto rank = static_cast<std::size_t>(Simulation::running);
    if (of_ranks_.size() <= rank) of_ranks_.resize(rank + 1);
    of_ranks_[rank].push_back(function);
  }
  // Call those of the running rank, the last first. One may register others.
  void call() {
    const auto rank = static_cast<std::size_t>(Simulation::running);
    while (rank < of_ranks_.size() && !of_ranks_[rank].empty() && !running_fiber().stopping) {
      const ExitFunction last = of_ranks_[rank].back();
      of_ranks_[rank].pop_back();
      last.function(last.argument);
    }
  }
  void forget_running() {
    const auto rank = static_cast<std::size_t>(Simulation::running);
    if (rank < of_ranks_.size()) of_ranks_[rank].clear();
  }
  void forget_all() { of_ranks_.clear(); }

 private:
  std::vector<std::vector<ExitFunction>> of_ranks_;
};
ExitFunctions at_end;   // of the process: atexit
ExitFunctions at_exit;  // of the interpreter: Py_AtExit

// Py_AtExit, of which an interpreter takes 32 functions.
int register_at_exit(void (*function)()) {
  if (!rank_runs_here()) {
    static const auto real = reinterpret_cast<int (*)(void (*)())>(dlsym(RTLD_DEFAULT, "Py_AtExit"));
    return real ? real(function) : -1;
  }
  at_exit.add({[](void* argument) { reinterpret_cast<void (*)()>(argument)(); }, reinterpret_cast<void*>(function)});
  return 0;
}

}  // namespace

int register_at_end(void (*function)(void*), void* argument, void* library) {
  if (!rank_runs_here()) return abi::__cxa_atexit(function, argument, library);
  at_end.add({function, argument});
  return 0;
}

void keep_functions_for_atexit(const LoadedObject& library) {
  replace_imports(
      library, [](const char* symbol) { return std::string_view(symbol) == "__cxa_atexit"; },
      [](const char*, const void*) { return reinterpret_cast<const void*>(register_at_end); });
}

void keep_functions_for_py_atexit(const LoadedObject& module) {
  replace_imports(
      module, [](const char* symbol) { return std::string_view(symbol) == "Py_AtExit"; },
      [](const char*, const void*) { return reinterpret_cast<const void*>(register_at_exit); });
}

void forget_exit_functions() {
  at_end.forget_all();
  at_exit.forget_all();
}

void end_library_variables() { at_end.call(); }

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_run_exit_functions(void) { at_exit.call(); }

void pysmpi_forget_exit_functions(void) {
  at_end.forget_running();
  at_exit.forget_running();
}
