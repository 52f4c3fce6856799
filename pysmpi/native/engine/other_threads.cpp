// Reads /proc/self/task/*/syscall: "running", or the number of the system call in which a thread waits, followed by its
// arguments in hexadecimal notation.
#include "engine/other_threads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace pysmpi {

namespace {

// Threads that are not to be waited for. Not destroyed at the end of the process, when a thread may still exist.
struct KnownThreads {
  std::mutex mutex;  // protects `hidden`
  std::vector<pid_t> hidden;
  std::vector<pid_t> older;  // threads that are older than the simulation; used by the ranks' thread only
};
KnownThreads& known_threads = *new KnownThreads;

bool is_hidden(pid_t thread) {
  const std::lock_guard guard(known_threads.mutex);
  return std::ranges::count(known_threads.hidden, thread) > 0;
}

pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

std::vector<pid_t> threads_of_process() {
  std::vector<pid_t> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
  while (const dirent* const entry = folder ? readdir(folder.get()) : nullptr) {
    if (const auto thread = static_cast<pid_t>(std::atol(entry->d_name)); thread > 0) found.push_back(thread);
  }
  return found;
}

OtherThreads state_of(const char* system_call) {
  long number = -1;
  unsigned long arguments[4] = {};
  const int read = std::sscanf(system_call, "%ld %lx %lx %lx %lx", &number, &arguments[0], &arguments[1], &arguments[2],
                               &arguments[3]);
  if (read < 1 || number < 0) return OtherThreads::kRunning;  // "running", or -1 for a page fault
  const unsigned long operation = arguments[1] & FUTEX_CMD_MASK;
  const bool is_private = (arguments[1] & FUTEX_PRIVATE_FLAG) != 0, has_limit = arguments[3] != 0;
  const bool waits = operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET;
  return number == SYS_futex && waits && is_private && !has_limit ? OtherThreads::kDormant : OtherThreads::kSleeping;
}

OtherThreads state_of(pid_t thread) {
  const std::string path = "/proc/self/task/" + std::to_string(thread) + "/syscall";
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return access("/proc/self/syscall", R_OK) == 0 ? OtherThreads::kDormant : OtherThreads::kSleeping;
  char text[256] = {};
  const ssize_t length = ::read(file, text, sizeof(text) - 1);
  close(file);
  return length > 0 ? state_of(text) : OtherThreads::kDormant;  // the thread has ended
}

}  // namespace

OtherThreads look_at_other_threads() {
  const std::vector<pid_t> threads = threads_of_process();
  if (threads.empty()) return OtherThreads::kSleeping;
  const pid_t own = this_thread();
  OtherThreads found = OtherThreads::kDormant;
  for (const pid_t thread : threads) {
    if (thread == own || is_hidden(thread)) continue;
    OtherThreads state = state_of(thread);
    if (state == OtherThreads::kSleeping && std::ranges::count(known_threads.older, thread) > 0) {
      state = OtherThreads::kIdle;
    }
    found = std::min(found, state);
    if (found == OtherThreads::kRunning) break;
  }
  return found;
}

void note_older_threads() { known_threads.older = threads_of_process(); }

void hide_this_thread(bool hidden) {
  const std::lock_guard guard(known_threads.mutex);
  std::erase(known_threads.hidden, this_thread());
  if (hidden) known_threads.hidden.push_back(this_thread());
}

}  // namespace pysmpi
