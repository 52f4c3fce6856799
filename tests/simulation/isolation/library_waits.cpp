// Waits of all kinds for a number that another rank, or a thread of this library, raises. All ranks share the
// variables.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

namespace {

using namespace std::chrono_literals;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int plain;

std::mutex cpp_mutex;
std::condition_variable cpp_condition;
int guarded;

sem_t semaphore;
const int made = sem_init(&semaphore, 0, 0);

std::atomic<int> word;

std::promise<int> promises[64];
std::shared_future<int> futures[64];
const bool taken = [] {
  for (int i = 0; i < 64; ++i) futures[i] = promises[i].get_future().share();
  return true;
}();

}  // namespace

extern "C" void condition_wait(int least) {
  pthread_mutex_lock(&mutex);
  while (plain < least) pthread_cond_wait(&condition, &mutex);
  pthread_mutex_unlock(&mutex);
}
extern "C" void condition_raise(int value) {
  pthread_mutex_lock(&mutex);
  plain = value;
  pthread_cond_broadcast(&condition);
  pthread_mutex_unlock(&mutex);
}

// Return whether the number was raised within the limit. The waits are many short ones, or one long one.
extern "C" int cpp_wait(int least, int milliseconds, int at_once) {
  std::unique_lock lock(cpp_mutex);
  const auto raised = [&] { return guarded >= least; };
  if (milliseconds == 0) {
    cpp_condition.wait(lock, raised);
    return 1;
  }
  while (milliseconds > 0 && !cpp_condition.wait_for(lock, std::chrono::milliseconds(at_once), raised)) {
    milliseconds -= at_once;
  }
  return raised();
}
extern "C" void cpp_raise(int value) {
  const std::lock_guard lock(cpp_mutex);
  guarded = value;
  cpp_condition.notify_all();
}

extern "C" int semaphore_wait(void) { return sem_wait(&semaphore); }
extern "C" void semaphore_raise(int) { sem_post(&semaphore); }

extern "C" void futex_wait(int least) {
  for (int now = word; now < least; now = word) syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
}
extern "C" void futex_raise(int value) {
  word = value;
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1 << 30, nullptr, nullptr, 0);
}

extern "C" int future_wait(int number) { return futures[number].get(); }
extern "C" void future_raise(int number) { promises[number].set_value(number); }

// Return the answer of a thread of this library, which comes after a time.
extern "C" int ask_thread(int milliseconds) {
  std::promise<int> answer;
  auto* const thread = new std::thread([&answer, milliseconds] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    answer.set_value(milliseconds);
  });
  const int given = answer.get_future().get();
  thread->detach();
  return given;
}

// Let a thread of this library raise the number after a time.
extern "C" void raise_later(int value, int milliseconds) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    condition_raise(value);
  }).detach();
}
