// Waits of compiled code in ranks for something that another rank does, such as a condition variable. All ranks run in
// one thread: if it waited, they all would. Instead the rank waits like a thread that waits for another one, and is
// woken when code of a rank, or a thread of a library, wakes those who wait at the address.
#pragma once

#include <list>

namespace pysmpi {

class Fiber;

// A wait of the running rank at an address, such as that of a condition variable. It is known from its construction on,
// so that no wake is missed while the rank still waits in the usual way for the threads of the library.
class NativeWait {
 public:
  explicit NativeWait(const void* address);
  ~NativeWait();
  NativeWait(const NativeWait&) = delete;
  NativeWait& operator=(const NativeWait&) = delete;

  bool was_woken() const;

  // Let other ranks run until the wait is woken, or for `seconds` of simulated time (negative for no limit). Returns
  // whether it was woken. Deadlock reports name the wait `call`. If the rank is stopped meanwhile, this does not
  // return: compiled code cannot be made to leave a wait.
  bool let_others_run(double seconds, const char* call);

  struct Entry {
    const void* address;
    Fiber* fiber;
    bool lets_others_run = false;
    bool is_woken = false;
    double date = 0.0;  // simulated time of the wake, if a rank has done it
  };

 private:
  std::list<Entry>::iterator entry_;
};

// Wake those who wait at the address. Any thread may call this.
void wake_native_waits(const void* address);

// For the engine's loop: whether threads outside ranks have woken waits, and the function that lets these continue.
bool are_native_waits_woken();
void continue_native_waits();

// For the engine's loop, when no event is pending: wait up to 10 ms for another thread to wake a rank, and now and then
// let all ranks that wait look again. Returns false if no rank waits in this way, or if all threads of this process
// wait for each other.
bool await_other_threads();

// End a fiber, if it waits in compiled code, without running any of its code again; else return false.
bool abandon_native_wait(Fiber& fiber);
bool is_abandoned(const Fiber& fiber);

void forget_native_waits();

}  // namespace pysmpi
