// Signals of a rank's process. The handlers of this process belong to the interpreter, so a rank's handlers are only
// recorded, and called when the rank raises the signal itself.
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

#include "executables/functions.hpp"
#include "executables/process.hpp"
#include "executables/running.hpp"

namespace pysmpi {

namespace {

bool is_valid(int number) { return number > 0 && number < NSIG; }
bool is_ignored_by_default(int number) {
  return number == SIGCHLD || number == SIGURG || number == SIGWINCH || number == SIGCONT;
}

using Handler = void (*)(int);

Handler set_handler(int number, Handler handler) {
  Process* const process = running_process();
  if (!process) return signal(number, handler);
  if (!is_valid(number) || number == SIGKILL || number == SIGSTOP) {
    errno = EINVAL;
    return SIG_ERR;
  }
  struct sigaction& action = process->signal_actions[number];
  const Handler before = action.sa_handler;
  action = {};
  action.sa_handler = handler;
  return before;
}

int set_action(int number, const struct sigaction* action, struct sigaction* before) {
  Process* const process = running_process();
  if (!process) return sigaction(number, action, before);
  if (!is_valid(number) || (action && (number == SIGKILL || number == SIGSTOP))) {
    errno = EINVAL;
    return -1;
  }
  struct sigaction& own = process->signal_actions[number];
  if (before) *before = own;
  if (action) own = *action;
  return 0;
}

}  // namespace

void deliver_signal(int number, const char* call) {
  Process& process = *running_process();
  const auto found = process.signal_actions.find(number);
  const struct sigaction action = found == process.signal_actions.end() ? (struct sigaction){} : found->second;
  if (action.sa_handler == SIG_IGN) return;
  if (action.sa_handler == SIG_DFL) {
    if (is_ignored_by_default(number)) return;
    end_by_signal(number, call);
  }
  if (action.sa_flags & SA_RESETHAND) process.signal_actions.erase(found);
  if (action.sa_flags & SA_SIGINFO) {
    siginfo_t information{};
    information.si_signo = number;
    action.sa_sigaction(number, &information, nullptr);
  } else {
    action.sa_handler(number);
  }
}

void abort_executable() {
  if (running_process()) {
    deliver_signal(SIGABRT, "abort()");
    end_by_signal(SIGABRT, "abort()");  // a handler that returns does not prevent the end
  }
  std::abort();
}

namespace {

int raise_here(int number) {
  if (!running_process() || !is_valid(number)) return raise(number);
  deliver_signal(number, "raise()");
  return 0;
}

int send(pid_t pid, int number) {
  const Process* const process = running_process();
  if (!process || pid != process->id() || !is_valid(number)) return kill(pid, number);
  deliver_signal(number, "kill()");
  return 0;
}

}  // namespace

std::span<const Replacement> functions_of_signals() {
  static const std::array functions = {
      Replacement{"signal", set_handler},     Replacement{"__sysv_signal", set_handler},
      Replacement{"bsd_signal", set_handler}, Replacement{"sigaction", set_action},
      Replacement{"raise", raise_here},       Replacement{"kill", send},
  };
  return functions;
}

}  // namespace pysmpi
