// Functions that would act on this process, with all its ranks, and for which ranks have no counterpart.
#include <dlfcn.h>
#include <spawn.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "engine/fiber.hpp"
#include "engine/foreign_call.hpp"
#include "engine/refusal.hpp"
#include "executables/functions.hpp"
#include "executables/process.hpp"

namespace pysmpi {

namespace {

constexpr const char kFork[] =
    "fork: a rank of an executable cannot be copied; start other programs with system, popen "
    "or posix_spawn";
constexpr const char kExec[] = "exec: another program would take the place of the simulator";
constexpr const char kTimer[] = "signals by time (alarm, setitimer, timer_create) are not simulated for executables";
constexpr const char kSignalWait[] = "waits for signals (pause, sigsuspend, sigwait) are not simulated for executables";

constexpr const char kRedirection[] =
    "dup2 onto a standard stream (descriptors 0 to 2): all ranks share them; freopen "
    "redirects the rank's own stream";
constexpr const char kLoading[] =
    "dlopen: a library that the program loads itself would be shared by all ranks; link it "
    "to the program";

void refuse_in_rank(const char* problem) {
  if (!running_process()) return;
  refuse("a refused function", problem);
  leave_foreign_call(running_fiber());
}

// A function that is refused in ranks and does what the real one does elsewhere.
template <typename Function, Function* kReal, const char* kProblem>
struct Refused;
template <typename R, typename... A, R (*kReal)(A...), const char* kProblem>
struct Refused<R(A...), kReal, kProblem> {
  static R call(A... arguments) {
    refuse_in_rank(kProblem);
    return kReal(arguments...);
  }
};

// Functions with any number of words (execl) are only known to be refused in ranks.
int refuse_words(const char*, ...) {
  refuse_in_rank(kExec);
  return -1;
}

int duplicate_to(int from, int to) {
  if (to >= 0 && to <= 2) refuse_in_rank(kRedirection);
  return dup2(from, to);
}
int duplicate_to_with(int from, int to, int flags) {
  if (to >= 0 && to <= 2) refuse_in_rank(kRedirection);
  return dup3(from, to, flags);
}

// The program itself, and libraries that are loaded already, are not loaded again.
void* open_library(const char* path, int flags) {
  Process* const process = running_process();
  if (!process) return dlopen(path, flags);
  if (!path) return process->images.front().open();
  if (void* const loaded = dlopen(path, flags | RTLD_NOLOAD)) return loaded;
  refuse_in_rank(kLoading);
  return nullptr;
}

}  // namespace

std::span<const Replacement> functions_that_are_refused() {
  static const std::array functions = {
      Replacement{"fork", Refused<pid_t(), fork, kFork>::call},
      Replacement{"vfork", Refused<pid_t(), fork, kFork>::call},
      Replacement{"execv", Refused<int(const char*, char* const*), execv, kExec>::call},
      Replacement{"execvp", Refused<int(const char*, char* const*), execvp, kExec>::call},
      Replacement{"execve", Refused<int(const char*, char* const*, char* const*), execve, kExec>::call},
      Replacement{"execvpe", Refused<int(const char*, char* const*, char* const*), execvpe, kExec>::call},
      Replacement{"execl", refuse_words},
      Replacement{"execlp", refuse_words},
      Replacement{"execle", refuse_words},
      Replacement{"dup2", duplicate_to},
      Replacement{"dup3", duplicate_to_with},
      Replacement{"dlopen", open_library},
      Replacement{"alarm", Refused<unsigned(unsigned), alarm, kTimer>::call},
      Replacement{"ualarm", Refused<useconds_t(useconds_t, useconds_t), ualarm, kTimer>::call},
      Replacement{"pause", Refused<int(), pause, kSignalWait>::call},
      Replacement{"sigsuspend", Refused<int(const sigset_t*), sigsuspend, kSignalWait>::call},
      Replacement{"sigwait", Refused<int(const sigset_t*, int*), sigwait, kSignalWait>::call},
      Replacement{"sigwaitinfo", Refused<int(const sigset_t*, siginfo_t*), sigwaitinfo, kSignalWait>::call},
      Replacement{"timer_create", Refused<int(clockid_t, sigevent*, timer_t*), timer_create, kTimer>::call},
  };
  return functions;
}

}  // namespace pysmpi
