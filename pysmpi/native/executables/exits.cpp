// Exit and abort: a process ends, which is a rank here.
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <utility>

#include "executables/functions.hpp"
#include "executables/process.hpp"
#include "executables/running.hpp"
#include "isolation/exit_functions.hpp"

namespace pysmpi {

namespace {

[[noreturn]] void exit_here(int status) {
  if (running_process()) exit_executable(status);
  std::exit(status);
}

[[noreturn]] void exit_at_once(int status) {
  if (running_process()) leave_executable(status);
  _exit(status);
}

[[noreturn]] void exit_thread(void* value) {
  if (running_process()) exit_executable(0);  // the main thread was the only one of the rank
  pthread_exit(value);
}

[[noreturn]] void exit_quickly(int status) {
  Process* const process = running_process();
  if (!process) std::quick_exit(status);
  while (!process->at_quick_exit.empty()) {
    const auto function = process->at_quick_exit.back();
    process->at_quick_exit.pop_back();
    function(nullptr);
  }
  leave_executable(status);
}
int register_quick_exit(void (*function)(void*), void*) {
  if (Process* const process = running_process()) process->at_quick_exit.push_back(function);
  return running_process() ? 0 : 1;
}

// A function of on_exit takes the exit status and an argument.
struct AtExit {
  void (*function)(int, void*);
  void* argument;
};

int register_on_exit(void (*function)(int, void*), void* argument) {
  if (!running_process()) return on_exit(function, argument);
  register_at_end(
      [](void* registered) {
        const AtExit own = *static_cast<AtExit*>(registered);
        delete static_cast<AtExit*>(registered);
        own.function(running_process()->status, own.argument);
      },
      new AtExit{function, argument}, nullptr);
  return 0;
}

}  // namespace

std::span<const Replacement> functions_that_exit() {
  static const std::array functions = {
      Replacement{"exit", exit_here},
      Replacement{"_exit", exit_at_once},
      Replacement{"_Exit", exit_at_once},
      Replacement{"quick_exit", exit_quickly},
      Replacement{"__cxa_at_quick_exit", register_quick_exit},
      Replacement{"abort", abort_executable},
      Replacement{"pthread_exit", exit_thread},
      Replacement{"on_exit", register_on_exit},
  };
  return functions;
}

}  // namespace pysmpi
