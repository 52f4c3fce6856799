// The course of an executable in a rank: its beginning, and its end by exit or by a signal.
#pragma once

namespace pysmpi {

// End the running rank's executable: leave all that it does, and return its exit status from pysmpi_executable_run.
[[noreturn]] void leave_executable(int status);

// Do so after the functions that are registered for the end (atexit), as exit does.
[[noreturn]] void exit_executable(int status);

// End all ranks, because a signal ends the process of the running one. `call` says what it has done, such as "abort()".
[[noreturn]] void end_by_signal(int number, const char* call);

// Do what a signal does that the running rank sends to itself: call its handler, or end all ranks. `call` says how it
// was sent. Returns after the handler, or if the signal is ignored.
void deliver_signal(int number, const char* call);

// Do what abort does: deliver SIGABRT to the running rank, and end all ranks even if its handler returns.
[[noreturn]] void abort_executable();

// Call main as the C library does (__libc_start_main), which executables find among its functions.
int start_main(int (*main)(int, char**, char**), int count, char** arguments, int (*init)(int, char**, char**),
               void (*)(), void (*)(), void*);

}  // namespace pysmpi
