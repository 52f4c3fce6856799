// Functions of the C library that print an error and end the process: failed assertions, err(3) and error(3).
#include <err.h>
#include <error.h>

#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "executables/functions.hpp"
#include "executables/process.hpp"
#include "executables/running.hpp"

namespace pysmpi {

namespace {

const char* name_of_program() {
  const Process* const process = running_process();
  return process ? process->variable("__progname", process->short_name) : program_invocation_short_name;
}

[[noreturn]] void fail_assertion(const char* expression, const char* file, unsigned line, const char* function) {
  std::fprintf(stderr, "%s: %s:%u: %s: Assertion `%s' failed.\n", name_of_program(), file, line,
               function ? function : "?", expression);
  abort_executable();
}

// Print "name: text: reason" as err does; `number` is that of the reason, or negative for none.
void print_error(const char* format, va_list values, int number) {
  std::fprintf(stderr, "%s: ", name_of_program());
  if (format) std::vfprintf(stderr, format, values);
  if (number >= 0) std::fprintf(stderr, "%s%s", format ? ": " : "", std::strerror(number));
  std::fputc('\n', stderr);
}

[[noreturn]] void exit_after_error(int status) {
  if (running_process()) exit_executable(status);
  std::exit(status);
}

[[noreturn]] void end_with_error(int status, const char* format, ...) {
  const int number = errno;
  va_list values;
  va_start(values, format);
  print_error(format, values, number);
  va_end(values);
  exit_after_error(status);
}
[[noreturn]] void end_with_text(int status, const char* format, ...) {
  va_list values;
  va_start(values, format);
  print_error(format, values, -1);
  va_end(values);
  exit_after_error(status);
}
[[noreturn]] void end_with_error_and_values(int status, const char* format, va_list values) {
  print_error(format, values, errno);
  exit_after_error(status);
}
[[noreturn]] void end_with_text_and_values(int status, const char* format, va_list values) {
  print_error(format, values, -1);
  exit_after_error(status);
}
void warn_with_error(const char* format, ...) {
  const int number = errno;
  va_list values;
  va_start(values, format);
  print_error(format, values, number);
  va_end(values);
}
void warn_with_text(const char* format, ...) {
  va_list values;
  va_start(values, format);
  print_error(format, values, -1);
  va_end(values);
}

void report_error(int status, int number, const char* format, ...) {
  if (running_process()) running_process()->streams->flush();
  va_list values;
  va_start(values, format);
  print_error(format, values, number != 0 ? number : -1);
  va_end(values);
  if (status != 0) exit_after_error(status);
}

}  // namespace

std::span<const Replacement> functions_that_end_by_errors() {
  static const std::array functions = {
      Replacement{"__assert_fail", fail_assertion},
      Replacement{"err", end_with_error},
      Replacement{"errx", end_with_text},
      Replacement{"verr", end_with_error_and_values},
      Replacement{"verrx", end_with_text_and_values},
      Replacement{"warn", warn_with_error},
      Replacement{"warnx", warn_with_text},
      Replacement{"error", report_error},
  };
  return functions;
}

}  // namespace pysmpi
