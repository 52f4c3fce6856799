// Waits of compiled libraries: condition variables, semaphores and futexes, also those below std::future, std::latch
// and the like. In the tables by which a library calls functions of the C library, the functions that wait and wake are
// replaced. In ranks, a wait that only another rank can end lets the other ranks run.
//
// A wait begins as it always did, because mostly a thread of the library ends it. Its time then counts as computation.
// Only when no other thread of the process runs, the rank waits in simulated time (engine/native_waits.hpp):
//   other threads of the process      the rank waits for other ranks
//   run                               not yet
//   wait for a time, or the system    after a while: they may run by themselves
//   wait for each other               at once; the same holds for threads that are older than the simulation
#include <dlfcn.h>
#include <execinfo.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/imports.hpp"
#include "engine/computation.hpp"
#include "engine/fiber.hpp"
#include "engine/isolation.hpp"
#include "engine/native_waits.hpp"
#include "engine/other_threads.hpp"
#include "engine/simulation.hpp"
#include "isolation/library_waits.hpp"

namespace pysmpi {
namespace {

using ConditionWait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);

// Not in the C library before glibc 2.30; all waits for conditions then remain as they are.
ConditionWait wait_on_clock() {
  static const auto found = reinterpret_cast<ConditionWait>(dlsym(RTLD_DEFAULT, "pthread_cond_clockwait"));
  return found;
}

// Return whether other ranks may run while the caller waits at the address. While a rank waits, its part of the C stack
// holds another rank's data, so that a thread which wakes a wait there must not be kept waiting.
bool can_let_others_run(const void* address) {
  return rank_runs_here() && !importing_shared && !running_fiber().in_task && !on_c_stack(address);
}

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}
timespec timespec_of(double seconds) {
  const double whole = std::floor(std::max(seconds, 0.0));
  return {static_cast<time_t>(whole), static_cast<long>(1e9 * (std::max(seconds, 0.0) - whole))};
}
double time_on(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return seconds_of(now);
}

// When a library's wait is to end without being woken.
struct Limit {
  double seconds = -1.0;  // from now on, on the clock of this machine; negative for no limit
  std::int64_t date = 0;  // nanoseconds on the library's clock; 0 if the library has given the length of the wait
};

std::int64_t nanoseconds_of(const timespec& time) { return 1'000'000'000 * time.tv_sec + time.tv_nsec; }

Limit limit_of(const timespec* date, clockid_t clock) {
  if (!date) return {};
  timespec now;
  clock_gettime(clock, &now);
  const std::int64_t left = nanoseconds_of(*date) - nanoseconds_of(now);
  return {1e-9 * static_cast<double>(std::max(left, std::int64_t{0})), nanoseconds_of(*date)};
}

// The simulated time at which a wait of a thread ends, and the date that the library has given. A wait for a condition
// is begun again after each wake, with the same date.
struct SimulatedLimit {
  std::int64_t date;
  double simulated;
};
std::unordered_map<std::int32_t, SimulatedLimit> simulated_limits;  // by number of the thread

// Return the simulated seconds until the limit. Libraries read the real clock a moment before they wait, so that 0.25 s
// may have become 0.249997 s: digits after the third one, and below 10 µs, are rounded up.
double simulated_seconds(const Limit& limit) {
  if (limit.seconds <= 0.0) return limit.seconds;
  const double unit = std::max(1e-5, std::pow(10.0, std::floor(std::log10(limit.seconds)) - 2.0));
  const double rounded = std::ceil(limit.seconds / unit - 1e-6) * unit;
  if (limit.date == 0) return rounded;
  const double end = own_time() + rounded;
  const auto [known, is_new] = simulated_limits.try_emplace(running_fiber().number, SimulatedLimit{limit.date, end});
  if (!is_new && (known->second.date != limit.date || known->second.simulated > end)) known->second = {limit.date, end};
  return std::max(known->second.simulated - own_time(), 0.0);
}

// Return a description of a wait for reports, such as "pthread_cond_wait, called by libsolver.so": the nearest caller
// other than the C++ library and AddressSanitizer. It is kept, because reports refer to it.
const char* name_of_wait(const char* function) {
  static std::set<std::string> names;
  std::array<void*, 16> frames{};
  const auto end = frames.begin() + backtrace(frames.data(), static_cast<int>(frames.size()));
  std::string name = function;
  for (auto frame = frames.begin(); frame != end; ++frame) {
    Dl_info info;
    if (dladdr(*frame, &info) == 0 || !info.dli_fname) continue;
    const std::string_view path(info.dli_fname), file = file_name(path);
    if (file.starts_with("libpysmpi") || file.starts_with("libstdc++") || file.starts_with("libasan")) continue;
    name.append(", called by ").append(file);
    break;
  }
  return names.insert(name).first->c_str();
}

// Real seconds for which a wait goes on while other threads sleep. Halved whenever none of them had woken the rank,
// because there is a thread that never matters, such as one that waits for requests from the network.
constexpr double kMostPatience = 5.0, kLeastPatience = 1e-3;
double patience = kMostPatience;

// Waits at one address in a row, between which no other rank has run: a loop of waits with short limits is one wait.
struct WaitsInARow {
  const void* address = nullptr;
  std::uint64_t switches = 0;  // number of switches between ranks so far
  double begun = 0.0;          // real time at which the first one began
};
WaitsInARow waits_in_a_row;

double begin_of_waits(const void* address) {
  const std::uint64_t switches = simulation().counters.switches;
  if (waits_in_a_row.address != address || waits_in_a_row.switches != switches) {
    waits_in_a_row = {address, switches, time_on(CLOCK_MONOTONIC)};
  }
  return waits_in_a_row.begun;
}

constexpr int kOthersHaveRun = -1;  // result of wait_in_rank

// Wait at an address for another thread, or in simulated time for other ranks. `really(seconds)` waits on the clock of
// this machine, and returns ETIMEDOUT after that time. `release` and `acquire` unlock and lock what the library holds
// except during the wait. Returns the result of `really`, or kOthersHaveRun if the wait was woken in another way.
template <class Really, class Release, class Acquire>
int wait_in_rank(const void* address, const char* function, const Limit& limit, const Really& really,
                 const Release& release, const Acquire& acquire) {
  constexpr double kFirst = 1e-4, kLongest = 1e-2;
  NativeWait wait(address);
  const double begun = time_on(CLOCK_MONOTONIC), first = begin_of_waits(address), excluded = begin_exclusion();
  const auto left = [&] { return limit.seconds - (time_on(CLOCK_MONOTONIC) - begun); };
  OtherThreads others = OtherThreads::kRunning;
  for (double step = kFirst;; step = std::min(2.0 * step, kLongest)) {
    const bool is_last = limit.seconds >= 0.0 && left() <= step;
    const int result = really(is_last ? std::max(left(), 0.0) : step);
    if (result != ETIMEDOUT) return result;
    if (wait.was_woken()) return kOthersHaveRun;
    release();
    others = look_at_other_threads();
    const double waited = time_on(CLOCK_MONOTONIC) - first;
    if (others > OtherThreads::kSleeping || (others == OtherThreads::kSleeping && waited >= patience)) break;
    acquire();
    if (is_last) return ETIMEDOUT;
  }
  end_exclusion(excluded);
  follow_library_waits();  // libraries loaded meanwhile may wake this one
  const bool woken = wait.let_others_run(simulated_seconds(limit), name_of_wait(function));
  acquire();
  if (woken) {
    if (others == OtherThreads::kSleeping) patience = std::max(kLeastPatience, 0.5 * patience);
    return kOthersHaveRun;
  }
  // Libraries compare the date with the real clock, and would begin to wait again before it.
  const double excluded_rest = begin_exclusion();
  const int result = really(std::max(left(), 0.0));
  end_exclusion(excluded_rest);
  return result;
}

int wait_for_condition(pthread_cond_t* condition, pthread_mutex_t* mutex, const char* function, const Limit& limit) {
  const auto really = [&](double seconds) {
    const timespec date = timespec_of(time_on(CLOCK_MONOTONIC) + seconds);
    return wait_on_clock()(condition, mutex, CLOCK_MONOTONIC, &date);
  };
  const int result = wait_in_rank(
      condition, function, limit, really, [&] { pthread_mutex_unlock(mutex); }, [&] { pthread_mutex_lock(mutex); });
  return result == kOthersHaveRun ? 0 : result;  // may be a spurious wake-up, which libraries have to expect
}

int condition_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!can_let_others_run(condition) || !wait_on_clock()) return pthread_cond_wait(condition, mutex);
  return wait_for_condition(condition, mutex, "pthread_cond_wait", {});
}

// The clock of a condition variable is not known; its dates are nearer to the present of this clock than of others.
clockid_t clock_of(const timespec& date) {
  const auto distance = [&](clockid_t clock) { return std::abs(seconds_of(date) - time_on(clock)); };
  return distance(CLOCK_MONOTONIC) < distance(CLOCK_REALTIME) ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int condition_timed_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* date) {
  if (!can_let_others_run(condition) || !wait_on_clock()) return pthread_cond_timedwait(condition, mutex, date);
  return wait_for_condition(condition, mutex, "pthread_cond_timedwait", limit_of(date, clock_of(*date)));
}

int condition_clock_wait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* date) {
  if (!can_let_others_run(condition)) return wait_on_clock()(condition, mutex, clock, date);
  return wait_for_condition(condition, mutex, "pthread_cond_clockwait", limit_of(date, clock));
}

int condition_signal(pthread_cond_t* condition) {
  const int error = pthread_cond_signal(condition);
  wake_native_waits(condition);
  return error;
}

int condition_broadcast(pthread_cond_t* condition) {
  const int error = pthread_cond_broadcast(condition);
  wake_native_waits(condition);
  return error;
}

int wait_for_semaphore(sem_t* semaphore, const char* function, const timespec* date, clockid_t clock) {
  const auto really = [&](double seconds) {
    const timespec end = timespec_of(time_on(CLOCK_REALTIME) + seconds);
    return sem_timedwait(semaphore, &end) == 0 ? 0 : errno;
  };
  const auto nothing = [] {};
  int result = kOthersHaveRun;
  while (result == kOthersHaveRun && sem_trywait(semaphore) != 0) {
    result = wait_in_rank(semaphore, function, limit_of(date, clock), really, nothing, nothing);
  }
  if (result <= 0) return 0;
  errno = result;
  return -1;
}

int semaphore_wait(sem_t* semaphore) {
  if (!can_let_others_run(semaphore)) return sem_wait(semaphore);
  return wait_for_semaphore(semaphore, "sem_wait", nullptr, CLOCK_REALTIME);
}

int semaphore_timed_wait(sem_t* semaphore, const timespec* date) {
  if (!can_let_others_run(semaphore)) return sem_timedwait(semaphore, date);
  return wait_for_semaphore(semaphore, "sem_timedwait", date, CLOCK_REALTIME);
}

int semaphore_clock_wait(sem_t* semaphore, clockid_t clock, const timespec* date) {
  if (!can_let_others_run(semaphore)) {
    static const auto real =
        reinterpret_cast<int (*)(sem_t*, clockid_t, const timespec*)>(dlsym(RTLD_DEFAULT, "sem_clockwait"));
    return real(semaphore, clock, date);
  }
  return wait_for_semaphore(semaphore, "sem_clockwait", date, clock);
}

int semaphore_post(sem_t* semaphore) {
  const int status = sem_post(semaphore);
  const int error = errno;
  wake_native_waits(semaphore);
  errno = error;
  return status;
}

struct FutexCall {
  std::array<long, 6> arguments;

  auto* word() const { return reinterpret_cast<std::uint32_t*>(arguments[0]); }
  long operation() const { return arguments[1] & FUTEX_CMD_MASK; }
  bool waits() const { return operation() == FUTEX_WAIT || operation() == FUTEX_WAIT_BITSET; }
  Limit limit() const {
    const auto* const time = reinterpret_cast<const timespec*>(arguments[3]);
    if (!time || operation() == FUTEX_WAIT) return {time ? seconds_of(*time) : -1.0};
    return limit_of(time, arguments[1] & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC);
  }
};

long call_system(long number, const std::array<long, 6>& arguments) {
  return syscall(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

long wait_for_futex(const FutexCall& call) {
  const auto really = [&](double seconds) {
    const timespec length = timespec_of(seconds);
    const long private_wait = FUTEX_WAIT | (call.arguments[1] & FUTEX_PRIVATE_FLAG);
    return syscall(SYS_futex, call.word(), private_wait, call.arguments[2], &length) == 0 ? 0 : errno;
  };
  const auto nothing = [] {};
  const int result = wait_in_rank(call.word(), "a futex wait", call.limit(), really, nothing, nothing);
  if (result <= 0) return 0;
  errno = result;
  return -1;
}

long any_system_call(long number, ...) {
  FutexCall call{};
  va_list list;
  va_start(list, number);
  for (long& each : call.arguments) each = va_arg(list, long);
  va_end(list);
  if (number != SYS_futex) return call_system(number, call.arguments);
  if (call.waits()) {
    if (can_let_others_run(call.word())) return wait_for_futex(call);
    return call_system(number, call.arguments);
  }
  const long result = call_system(number, call.arguments);
  const int error = errno;
  wake_native_waits(call.word());
  if (call.operation() == FUTEX_WAKE_OP) wake_native_waits(reinterpret_cast<const void*>(call.arguments[4]));
  errno = error;
  return result;
}

const void* replacement_of_wait(std::string_view symbol) {
  static const std::array functions = {
      Replacement{"pthread_cond_wait", condition_wait},
      Replacement{"pthread_cond_timedwait", condition_timed_wait},
      Replacement{"pthread_cond_clockwait", condition_clock_wait},
      Replacement{"pthread_cond_signal", condition_signal},
      Replacement{"pthread_cond_broadcast", condition_broadcast},
      Replacement{"sem_wait", semaphore_wait},
      Replacement{"sem_timedwait", semaphore_timed_wait},
      Replacement{"sem_clockwait", semaphore_clock_wait},
      Replacement{"sem_post", semaphore_post},
      Replacement{"syscall", any_system_call},
  };
  return find_replacement(functions, symbol);
}

bool waits_or_wakes(const char* symbol) { return replacement_of_wait(symbol) != nullptr; }

// Parts of paths of objects whose waits stay as they are: the C library, the interpreter, whose locks are replaced in
// Python, this simulator, and pools of threads, which wait for their own threads only.
constexpr std::array<std::string_view, 20> kUnchanged = {
    "/ld-linux", "linux-vdso",    "/libc.so",   "/libc-",        "/libpthread", "/librt.so", "/libpython",
    "/pysmpi/",  "/lib-dynload/", "/greenlet/", "_cffi_backend", "/libasan",    "/libtsan",  "/libubsan",
    "libgomp",   "libiomp",       "libomp.",    "openblas",      "libmkl",      "libtbb",
};

SeenObjects objects_with_waits;

}  // namespace

void follow_waits(const LoadedObject& object) {
  replace_imports(object, waits_or_wakes, [](const char* symbol, const void*) { return replacement_of_wait(symbol); });
}

void follow_library_waits() {
  if (!rank_runs_here()) note_older_threads();
  for (const LoadedObject& object : objects_with_waits.unseen()) {
    const auto is_part = [&](std::string_view part) { return object.path.find(part) != std::string::npos; };
    if (object.path.empty() || std::any_of(kUnchanged.begin(), kUnchanged.end(), is_part)) continue;
    follow_waits(object);
  }
}

}  // namespace pysmpi
