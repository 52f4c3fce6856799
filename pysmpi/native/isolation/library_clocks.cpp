// Clocks and sleeps of compiled libraries. In the tables by which a library calls functions of the C library, the
// functions that read a clock or sleep are replaced: in ranks they show and advance the simulated clock. Everywhere
// else, also in other threads, they behave as before.
//
// Some libraries keep the clock of this machine: those that wait with a deadline on it, as libraries with threads of
// their own do. A simulated deadline would lie in the past.
#include "isolation/library_clocks.hpp"

#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>
#include <string_view>
#include <vector>

#include "base/imports.hpp"
#include "base/observer.hpp"
#include "base/options.hpp"
#include "engine/busy_waiting.hpp"
#include "engine/c_api.h"
#include "engine/computation.hpp"
#include "engine/isolation.hpp"
#include "engine/simulation.hpp"
#include "isolation/c_api.h"
#include "isolation/foreign_calls.hpp"
#include "isolation/library_variables.hpp"
#include "isolation/library_waits.hpp"
#include "isolation/loaded_library.hpp"
#include "isolation/thread_storage.hpp"

namespace pysmpi {
namespace {

// Return whether the caller is a rank that shall see the simulated clock. While a rank imports a module for all ranks,
// it sees the real clock, because no other rank may run then.
bool follows() { return rank_runs_here() && !importing_shared; }

// Readings of clocks by one rank in a row: it has neither waited nor computed for a while in between.
struct Readings {
  RankId rank = -1;
  double begun = 0.0;  // time of the first of these readings
  double now = -1.0;   // the engine's simulated time
  double shown = 0.0;  // the latest time that was shown
  unsigned count = 0;
};
Readings readings;

void wait_for_time(double seconds) {
  if (account_computation()) {
    const double begun = simulation().now;
    const Outside outside(running_fiber());
    wait_busily(seconds, "a clock", Patience::kOfClocks);
    const double waited = simulation().now - begun;
    if (observers && waited > 0.0) notify(&Observer::idled, Simulation::running, waited);
  }
  leave_call();
}

// Return the running rank's simulated time in seconds, including its computation since its last MPI call. A reading
// takes no simulated time and lets no other rank run, because the library may hold a lock. But a library that has read
// the clock kPatience times in a row probably waits until a certain time. Each further reading then takes smpi/wtime,
// or 0.01 % of the time since the first of these readings if that is more. A library that computes for more than
// kComputation between two readings does not wait, such as FFTW while it searches for a plan.
double time_of_rank() {
  constexpr unsigned kPatience = 1000;
  constexpr double kShare = 1e-4;
  constexpr double kComputation = 2e-6;
  const RankId rank = Simulation::running;
  if (running_fiber().stopping || is_sampled()) return simulation().now;
  const double now = simulation().now;
  double time = own_time();
  if (readings.rank != rank || readings.now != now || time - readings.shown > kComputation) readings = {rank, now, now};
  const double begun = readings.begun;
  if (++readings.count > kPatience) {
    wait_for_time(std::max(options().wtime_cost, kShare * (now - begun)));
    time = simulation().now;
    readings = {rank, begun, time, time, kPatience};  // other ranks may have read clocks meanwhile
  }
  return readings.shown = std::max(readings.shown, time);
}

void sleep_in_rank(double seconds) { pysmpi_sleep(std::max(seconds, 0.0)); }

timespec as_timespec(double seconds) {
  const double whole = std::floor(seconds);
  return {static_cast<time_t>(whole), std::min(999'999'999L, std::lround(1e9 * (seconds - whole)))};
}
timeval as_timeval(double seconds) {
  const timespec exact = as_timespec(seconds);
  return {exact.tv_sec, exact.tv_nsec / 1000};
}
double in_seconds(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
bool is_valid(const timespec& time) { return time.tv_sec >= 0 && time.tv_nsec >= 0 && time.tv_nsec < 1'000'000'000; }

int read_clock_of(clockid_t clock, timespec* out) {
  const int status = clock_gettime(clock, out);
  if (status == 0 && follows()) *out = as_timespec(time_of_rank());
  return status;
}

int read_time_of_day(timeval* out, void* zone) {
  const int status = gettimeofday(out, static_cast<struct timezone*>(zone));
  if (out && follows()) *out = as_timeval(time_of_rank());
  return status;
}

time_t read_time(time_t* out) {
  if (!follows()) return time(out);
  const auto seconds = static_cast<time_t>(time_of_rank());
  if (out) *out = seconds;
  return seconds;
}

clock_t read_processor_time() {
  return follows() ? static_cast<clock_t>(time_of_rank() * static_cast<double>(CLOCKS_PER_SEC)) : clock();
}

clock_t read_times(tms* out) {
  const clock_t real = times(out);
  if (!follows()) return real;
  const auto ticks = static_cast<clock_t>(time_of_rank() * static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (out) {
    out->tms_utime = ticks;
    out->tms_stime = 0;
  }
  return ticks;
}

int read_usage(int who, rusage* out) {
  const int status = getrusage(static_cast<__rusage_who>(who), out);
  if (status == 0 && who != RUSAGE_CHILDREN && follows()) {
    out->ru_utime = as_timeval(time_of_rank());
    out->ru_stime = {0, 0};
  }
  return status;
}

int read_timespec(timespec* out, int base) {
  const int status = timespec_get(out, base);
  if (status != 0 && follows()) *out = as_timespec(time_of_rank());
  return status;
}

// The clocks of std::chrono in libstdc++ return nanoseconds.
std::int64_t read_steady_clock() {
  if (follows()) return std::llround(1e9 * time_of_rank());
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}
std::int64_t read_system_clock() {
  if (follows()) return std::llround(1e9 * time_of_rank());
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

double (*real_openmp_clock)() = nullptr;
double read_openmp_clock() { return follows() || !real_openmp_clock ? time_of_rank() : real_openmp_clock(); }

int sleep_nanoseconds(const timespec* length, timespec* left) {
  if (!follows() || !is_valid(*length)) return nanosleep(length, left);
  sleep_in_rank(in_seconds(*length));
  return 0;
}

int sleep_on_clock(clockid_t clock, int flags, const timespec* length, timespec* left) {
  if (!follows() || !is_valid(*length)) return clock_nanosleep(clock, flags, length, left);
  sleep_in_rank(in_seconds(*length) - (flags & TIMER_ABSTIME ? time_of_rank() : 0.0));
  return 0;
}

int sleep_microseconds(useconds_t length) {
  if (!follows()) return usleep(length);
  sleep_in_rank(1e-6 * static_cast<double>(length));
  return 0;
}

unsigned sleep_seconds(unsigned length) {
  if (!follows()) return sleep(length);
  sleep_in_rank(length);
  return 0;
}

// A wait for files is a sleep if the list of files is empty.
int wait_for_polled(pollfd* files, nfds_t count, int milliseconds) {
  if (count != 0 || milliseconds < 0 || !follows()) return poll(files, count, milliseconds);
  sleep_in_rank(1e-3 * milliseconds);
  return 0;
}

int wait_for_selected(int count, fd_set* readers, fd_set* writers, fd_set* others, timeval* limit) {
  if (count != 0 || !limit || !follows()) return select(count, readers, writers, others, limit);
  sleep_in_rank(static_cast<double>(limit->tv_sec) + 1e-6 * static_cast<double>(limit->tv_usec));
  return 0;
}

const void* replacement_of_clock(std::string_view symbol) {
  static const std::array functions = {
      Replacement{"clock_gettime", read_clock_of},
      Replacement{"gettimeofday", read_time_of_day},
      Replacement{"time", read_time},
      Replacement{"clock", read_processor_time},
      Replacement{"times", read_times},
      Replacement{"getrusage", read_usage},
      Replacement{"timespec_get", read_timespec},
      Replacement{"_ZNSt6chrono3_V212steady_clock3nowEv", read_steady_clock},
      Replacement{"_ZNSt6chrono3_V212system_clock3nowEv", read_system_clock},
      Replacement{"omp_get_wtime", read_openmp_clock},
      Replacement{"nanosleep", sleep_nanoseconds},
      Replacement{"clock_nanosleep", sleep_on_clock},
      Replacement{"usleep", sleep_microseconds},
      Replacement{"sleep", sleep_seconds},
      Replacement{"poll", wait_for_polled},
      Replacement{"select", wait_for_selected},
  };
  return find_replacement(functions, symbol);
}

// Functions that wait until a time on the clock of this machine. A library that calls one keeps this clock.
constexpr std::array<std::string_view, 10> kTimedWaits = {
    "pthread_cond_timedwait",
    "pthread_cond_clockwait",
    "pthread_mutex_timedlock",
    "pthread_mutex_clocklock",
    "sem_timedwait",
    "sem_clockwait",
    "epoll_wait",
    "epoll_pwait",
    "timerfd_settime",
    "timer_settime",
};

bool is_timed_wait(const char* symbol) {
  return std::find(kTimedWaits.begin(), kTimedWaits.end(), symbol) != kTimedWaits.end();
}
bool is_clock(const char* symbol) { return replacement_of_clock(symbol) != nullptr; }

// Parts of paths of objects whose clocks stay real: the C library, the interpreter and its modules, whose functions are
// replaced in Python, this library, and tools that observe programs.
constexpr std::array<std::string_view, 24> kReal = {
    "/ld-linux",      "linux-vdso", "/libc.so",      "/libc-",         "/libpthread", "/librt.so",
    "/libstdc++",     "/libpython", "/lib-dynload/", "/pysmpi/",       "/greenlet/",  "_cffi_backend",
    "/coverage/",     "/debugpy/",  "/pydevd",       "/line_profiler", "/memray/",    "/scalene/",
    "/pyinstrument/", "_yappi",     "/pyzmq.libs/",  "/zmq/",          "/uvloop/",    "/libasan",
};

bool keeps_real_clock(const LoadedObject& object) {
  const auto named = [&](std::string_view part) { return object.path.find(part) != std::string::npos; };
  if (object.path.empty() || std::any_of(kReal.begin(), kReal.end(), named)) return true;
  return imports_symbol(object, is_timed_wait);
}

SeenObjects seen;

}  // namespace

void follow_clocks(const LoadedObject& object) {
  replace_imports(object, is_clock, [&](const char* symbol, const void* current) {
    if (std::string_view(symbol) == "omp_get_wtime" && !real_openmp_clock) {
      const void* const real = current ? current : find_symbol(object, symbol);
      real_openmp_clock = reinterpret_cast<double (*)()>(const_cast<void*>(real));
    }
    return replacement_of_clock(symbol);
  });
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_follow_libraries(void) {
  for (const LoadedObject& object : seen.unseen()) {
    if (!keeps_real_clock(object)) follow_clocks(object);
  }
  follow_library_waits();
  follow_thread_storage();
  forget_mpi_callers();
  follow_library_variables();
}
