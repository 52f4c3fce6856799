// The times at which child processes end. A thread waits for their ends, so that they are known to the microsecond
// although ranks look at their children only now and then. It exists while there are children, and not while a rank
// forks: CPython warns if a process with several threads forks.
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "engine/other_threads.hpp"
#include "isolation/c_api.h"

namespace pysmpi {
namespace {

constexpr double kRuns = -1.0;

struct Child {
  pid_t pid;
  int descriptor;  // becomes readable when the process ends; -1 if the system has no such descriptors
  double end = kRuns;
};

double real_time() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

class Children {
 public:
  void add(pid_t pid) {
    pause();
    forget(pid);
    children_.push_back({pid, static_cast<int>(syscall(SYS_pidfd_open, pid, 0))});
    resume();
  }
  void remove(pid_t pid) {
    pause();
    forget(pid);
    resume();
  }
  void clear() {
    pause();
    for (const Child& child : children_) close_of(child);
    children_.clear();
  }
  double end_of(pid_t pid) {
    const std::lock_guard guard(mutex_);
    Child* const child = find(pid);
    if (!child) return real_time();
    if (child->end < 0.0 && has_ended(*child)) child->end = real_time();
    return child->end;
  }
  // Waits until the process has ended, at most until the time `until`.
  double await(pid_t pid, double until) {
    const double end = end_of(pid);
    if (end >= 0.0) return end;
    const double left = until - real_time();
    if (left > 0.0) {
      int descriptor = -1;
      {
        const std::lock_guard guard(mutex_);
        if (const Child* const child = find(pid)) descriptor = child->descriptor;
      }
      const timespec limit{static_cast<time_t>(left), static_cast<long>(1e9 * (left - std::floor(left)))};
      pollfd polled{descriptor, POLLIN, 0};  // poll ignores a negative descriptor
      ppoll(&polled, 1, &limit, nullptr);
    }
    return end_of(pid);
  }
  // Ends the thread, until `resume` is called.
  void pause() {
    if (!thread_) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop_, &one, sizeof(one));
    thread_->join();
    const pid_t number = number_;
    thread_.reset();
    close(stop_);
    // Waits until the system has ended the thread, because CPython counts the threads when a rank forks.
    for (int i = 0; i < 1000 && syscall(SYS_tgkill, getpid(), number, 0) == 0; ++i) usleep(10);
  }
  void resume() {
    if (thread_ || std::none_of(children_.begin(), children_.end(), runs)) return;
    stop_ = eventfd(0, EFD_CLOEXEC);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals go to the interpreter's threads
    thread_.emplace([this] {
      number_ = static_cast<pid_t>(syscall(SYS_gettid));
      hide_this_thread(true);
      watch();
      hide_this_thread(false);
    });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  // Forgets the children in a process that a rank has forked, in which the thread does not exist.
  void leave() {
    for (const Child& child : children_) close_of(child);
    children_.clear();
  }

 private:
  static bool runs(const Child& child) { return child.end < 0.0 && child.descriptor >= 0; }
  static void close_of(const Child& child) {
    if (child.descriptor >= 0) close(child.descriptor);
  }
  static bool has_ended(const Child& child) {
    siginfo_t info{};
    const int found = waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOHANG | WNOWAIT);
    return found == 0 ? info.si_pid != 0 : errno == ECHILD;
  }
  Child* find(pid_t pid) {
    const auto at =
        std::find_if(children_.begin(), children_.end(), [&](const Child& each) { return each.pid == pid; });
    return at == children_.end() ? nullptr : &*at;
  }
  void forget(pid_t pid) {
    if (Child* const child = find(pid)) {
      close_of(*child);
      children_.erase(children_.begin() + (child - children_.data()));
    }
  }
  void watch() {
    for (;;) {
      std::vector<pollfd> polled{{stop_, POLLIN, 0}};
      std::vector<pid_t> pids{0};
      {
        const std::lock_guard guard(mutex_);
        for (const Child& child : children_) {
          if (!runs(child)) continue;
          polled.push_back({child.descriptor, POLLIN, 0});
          pids.push_back(child.pid);
        }
      }
      poll(polled.data(), polled.size(), -1);
      const double now = real_time();
      if (polled[0].revents != 0) return;
      const std::lock_guard guard(mutex_);
      for (std::size_t i = 1; i < polled.size(); ++i) {
        Child* const child = polled[i].revents != 0 ? find(pids[i]) : nullptr;
        if (child && child->end < 0.0) child->end = now;
      }
    }
  }

  std::mutex mutex_;  // protects the ends of children; the list itself changes only while the thread does not exist
  std::vector<Child> children_;
  std::optional<std::thread> thread_;
  std::atomic<pid_t> number_ = 0;  // the system's number of the thread
  int stop_ = -1;                  // becomes readable when the thread is to end
};

// Not destroyed at the end of the process, when a thread may still exist.
Children& children_of_ranks = *new Children;

}  // namespace
}  // namespace pysmpi

using pysmpi::children_of_ranks;

double pysmpi_real_time(void) { return pysmpi::real_time(); }
void pysmpi_rest(double seconds) {
  if (seconds <= 0.0) return;
  const timespec length{static_cast<time_t>(seconds), static_cast<long>(1e9 * (seconds - std::floor(seconds)))};
  nanosleep(&length, nullptr);
}
void pysmpi_watch_child(int32_t pid) { children_of_ranks.add(pid); }
void pysmpi_forget_child(int32_t pid) { children_of_ranks.remove(pid); }
void pysmpi_forget_children(void) { children_of_ranks.clear(); }
double pysmpi_child_end(int32_t pid) { return children_of_ranks.end_of(pid); }
double pysmpi_await_child(int32_t pid, double until) { return children_of_ranks.await(pid, until); }
void pysmpi_pause_child_watch(void) { children_of_ranks.pause(); }
void pysmpi_resume_child_watch(void) { children_of_ranks.resume(); }
void pysmpi_leave_child_watch(void) { children_of_ranks.leave(); }
