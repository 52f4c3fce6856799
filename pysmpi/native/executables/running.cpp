// Runs an executable in a rank, on a stack of the rank's own. The executable begins at its entry, as in a process, with
// the words of its command line on the stack; it calls __libc_start_main, which is start_main here. It ends when it
// calls exit: the frames on its stack are then abandoned.
#include "executables/running.hpp"

#include <Python.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cfenv>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <locale>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/c_api.h"
#include "engine/fiber.hpp"
#include "engine/foreign_call.hpp"
#include "engine/isolation.hpp"
#include "engine/library_variables.hpp"
#include "engine/own_stack.hpp"
#include "engine/simulation.hpp"
#include "executables/c_api.h"
#include "executables/functions.hpp"
#include "executables/openmp.hpp"
#include "executables/places.hpp"
#include "executables/process.hpp"
#include "isolation/c_api.h"

// void pysmpi_enter(void* stack, uintptr_t entry): continues at `entry`, with the end of the stack at `stack`, where
// the words of the command line are.
#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .hidden pysmpi_enter
  .globl pysmpi_enter
  .type pysmpi_enter, @function
pysmpi_enter:
  movq %rdi, %rsp
  movq %rsi, %rax
  xorl %edx, %edx
  xorl %ebp, %ebp
  jmp *%rax
  .size pysmpi_enter, .-pysmpi_enter
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .hidden pysmpi_enter
  .globl pysmpi_enter
  .type pysmpi_enter, %function
pysmpi_enter:
  mov sp, x0
  mov x9, x1
  mov x0, #0
  mov x29, #0
  mov x30, #0
  br x9
  .size pysmpi_enter, .-pysmpi_enter
)");
#endif

extern "C" [[noreturn]] void pysmpi_enter(void* stack, std::uintptr_t entry);

namespace pysmpi {

namespace {

constexpr int kStopped = -1, kNoMemory = -2;
constexpr int kLeft = 2;  // value of setjmp after leave_executable; that of leave_foreign_call is 1

Process* process_of(RankId rank) {
  const auto& processes = Processes::current().of_ranks;
  const auto number = static_cast<std::size_t>(rank);
  return rank >= 0 && number < processes.size() ? processes[number].get() : nullptr;
}

// Put the standard streams of the C library in place that are those of a rank.
void switch_streams(RankId rank) {
  const Process* const process = process_of(rank);
  if (process && process->streams) {
    process->streams->put();
  } else {
    put_launcher_streams();
  }
}

// Lay the words of the command line and the environment on the stack, as the system does, and begin.
[[noreturn]] void enter(Process& process, std::uintptr_t entry) {
  const std::size_t words = process.arguments.size() + process.environment.size() + 3;
  // The end of the stack is a multiple of 16. Nothing of this frame is used afterwards.
  auto* const stack = static_cast<std::uintptr_t*>(__builtin_alloca((words + 2) * sizeof(std::uintptr_t)));
  auto* place = reinterpret_cast<std::uintptr_t*>((reinterpret_cast<std::uintptr_t>(stack) + 15) / 16 * 16);
  void* const end = place;
  *place++ = process.words.size();
  for (char* each : process.arguments) *place++ = reinterpret_cast<std::uintptr_t>(each);
  for (char* each : process.environment) *place++ = reinterpret_cast<std::uintptr_t>(each);
  *place++ = AT_NULL;
  *place = 0;
  pysmpi_enter(end, entry);
}

struct Run {
  Process& process;
  int status;
};

void run_or_leave(void* argument) {
  Run& run = *static_cast<Run*>(argument);
  Fiber& fiber = running_fiber();
  const ExceptionsOfThread exceptions = exceptions_of_thread();
  ForeignCall here{.back = {}, .caller = PyEval_GetFrame(), .earlier = fiber.foreign_call, .is_program = true};
  fiber.foreign_call = &here;
  const int left = setjmp(here.back);
  if (left == 0) {
    std::fesetenv(FE_DFL_ENV);  // as in a process that begins
    const Image& executable = run.process.images.front();
    if (const std::uintptr_t entry = executable.entry()) enter(run.process, entry);
    using Main = int (*)(int, char**, char**);
    start_main(reinterpret_cast<Main>(executable.symbol("main")), static_cast<int>(run.process.words.size()),
               run.process.arguments.data(), nullptr, nullptr, nullptr, nullptr);
  }
  exceptions_of_thread() = exceptions;  // the executable may have been handling one
  run.status = left == kLeft ? run.process.status : kStopped;
  fiber.foreign_call = here.earlier;
}

// Return a variable of a library that an executable needs.
const void* variable_of_library(const Process& process, const char* name) {
  for (std::size_t i = 1; i < process.images.size(); ++i) {
    if (const void* const found = process.images[i].own_symbol(name)) return found;
  }
  for (const std::string& library : needed_by(process.images.front().object())) {
    void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) continue;
    const void* const found = dlsym(handle, name);
    dlclose(handle);
    if (found) return found;
  }
  return nullptr;
}

// Give the variables of the C library, in a program that has them itself, the values of a process that begins.
void begin_variables(Process& process) {
  process.images.front().copy_variables([&](const char* name) { return variable_of_library(process, name); });
  process.variable("optarg", process.option_argument) = nullptr;
  process.variable("optind", process.option_index) = 1;
  process.variable("opterr", process.option_error) = 1;
  process.variable("optopt", process.option_character) = '?';
  for (const char* const name : {"environ", "__environ"}) {
    process.variable(name, process.environment_variable) = process.environment.data();
  }
  for (const char* const name : {"program_invocation_name", "__progname_full"}) {
    process.variable(name, process.program_name) = process.words.front().data();
  }
  for (const char* const name : {"program_invocation_short_name", "__progname"}) {
    process.variable(name, process.short_name) = process.words.front().data() + process.words.front().rfind('/') + 1;
  }
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& each : texts) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Process* running_process() { return switch_process && rank_runs_here() ? process_of(Simulation::running) : nullptr; }

void leave_executable(int status) {
  Process& process = *running_process();
  process.status = status & 0xff;
  Fiber& fiber = running_fiber();
  if (fiber.stopping) leave_foreign_call(fiber);
  if (process.streams) process.streams->flush();
  ForeignCall* call = fiber.foreign_call;
  while (call->earlier) call = call->earlier;  // functions of the executable may have called Python
  std::longjmp(call->back, kLeft);
}

void exit_executable(int status) {
  Process& process = *running_process();
  end_library_variables();
  for (const Image& image : process.images) image.destruct();
  leave_executable(status);
}

void end_by_signal(int number, const char* call) {
  Process& process = *running_process();
  if (process.streams) process.streams->flush();
  pysmpi_abort_by(128 + number, call);
  leave_executable(128 + number);
}

int start_main(int (*main)(int, char**, char**), int count, char** arguments, int (*init)(int, char**, char**),
               void (*)(), void (*)(), void*) {
  Process& process = *running_process();
  char** const environment = process.environment.data();
  // Executables that were linked with glibc before 2.34 bring the function that initialises their own variables.
  for (std::size_t i = process.images.size() - 1; i > 0; --i) {
    process.images[i].construct(count, arguments, environment);
  }
  if (init) {
    init(count, arguments, environment);
  } else {
    process.images.front().construct(count, arguments, environment);
  }
  exit_executable(main(count, arguments, environment));
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_executables_begin(uint64_t seed) {
  Processes::current().seed = seed;
  std::locale::classic();  // makes the objects of the library of C++ that are copied into executables
  switch_process = switch_streams;
  find_places();
  replace_in_shared_libraries();
}

void pysmpi_executables_end(void) {
  switch_process = nullptr;
  forget_places();
  reason_not_to_wait = nullptr;
  put_launcher_streams();
  Processes::current().of_ranks.clear();
}

void pysmpi_executables_use_openmp(void) { watch_parallel_regions(); }

void pysmpi_executable_prepare(const char* const* words, int32_t word_count, const char* const* variables,
                               int32_t variable_count, const char* host, int32_t cores) {
  auto& processes = Processes::current().of_ranks;
  const auto number = static_cast<std::size_t>(Simulation::running);
  if (processes.size() <= number) processes.resize(number + 1);
  Process& process = *(processes[number] = std::make_unique<Process>(Simulation::running));
  process.words.assign(words, words + word_count);
  process.variables.assign(variables, variables + variable_count);
  process.arguments = pointers_to(process.words);
  process.environment = pointers_to(process.variables);
  process.host = host;
  process.cores = cores;
}

const char* pysmpi_executable_load(const char* copy, const char* original) {
  std::string& problem = Processes::current().problem;
  problem.clear();
  Process& process = *running_process();
  pysmpi_note_copied_library(copy);
  Image image(copy, original, problem);
  if (!problem.empty()) return problem.c_str();
  process.images.push_back(std::move(image));
  return nullptr;
}

int32_t pysmpi_executable_run(void) {
  Process& process = *running_process();
  begin_variables(process);
  process.streams = std::make_unique<StandardStreams>(process.images.front(), process.rank == 0);
  for (const Image& image : process.images) {
    process.constants.add(&image);
    replace_functions(process, image);
  }
  process.streams->put();
  Run run{process, kStopped};
  pysmpi_leave_call();  // loading is no computation of the program
  const PyGILState_STATE gil = PyGILState_Ensure();
  if (!run_on_own_stack(run_or_leave, &run)) {
    PyErr_Clear();
    run.status = kNoMemory;
  }
  PyGILState_Release(gil);
  return run.status;
}
