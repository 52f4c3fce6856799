// Thread-local variables of all kinds. FIXED puts them into the thread's own record (initial-exec), as in libraries
// that expect to be loaded at start; PLAIN leaves out the object with a destructor; THREADS
// adds a function that starts a thread.
#include <mpi.h>
#include <pthread.h>

#include <cerrno>
#include <clocale>
#include <cstdint>

#ifdef FIXED
#define MODEL __attribute__((tls_model("initial-exec")))
#else
#define MODEL
#endif

namespace {

int ended = 0;  // sum of the values of ended counters

struct Counter {
  int value = 100;
  ~Counter() { ended += value; }
};

MODEL thread_local int plain = 7;
MODEL thread_local int zero;
#if defined FIXED || defined PLAIN
MODEL thread_local int number;
int& count() { return number; }
#else
thread_local Counter counter;
int& count() { return counter.value; }
#endif

pthread_key_t key;
const int made = pthread_key_create(&key, nullptr);

int stored() { return static_cast<int>(reinterpret_cast<std::intptr_t>(pthread_getspecific(key))); }

}  // namespace

#ifdef THREADS
extern "C" void* wait_for(void*) { return nullptr; }
extern "C" int start(pthread_t* thread) { return pthread_create(thread, nullptr, wait_for, nullptr); }
#endif

extern "C" int sum(void) { return plain + zero + count() + stored(); }

extern "C" void assign(int value) { plain = count() = value; }

extern "C" int destructors(void) { return ended; }

// Add to each variable, wait for all ranks, add once more to one of them, and return the sum, or -1 if errno or the
// locale is another one afterwards.
extern "C" int add(int amount) {
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", nullptr);
  plain += amount;
  zero += amount;
  count() += amount;
  pthread_setspecific(key, reinterpret_cast<void*>(static_cast<std::intptr_t>(stored() + amount)));
  errno = amount;
  uselocale(amount == 1 ? locale : LC_GLOBAL_LOCALE);
  MPI_Barrier(MPI_COMM_WORLD);
  const bool same = errno == amount && (uselocale(nullptr) == locale) == (amount == 1);
  plain += amount;
  return same ? sum() : -1;
}
