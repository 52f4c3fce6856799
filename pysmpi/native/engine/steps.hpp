// Coroutines for MPI calls in which a rank may block several times: for the overhead of a message, for the locks of
// mailboxes, and for the message itself. While such a call is under way, the engine's loop continues the coroutine
// without switching to the rank's greenlet. The greenlet continues once, when the call has ended:
//
//     Steps<int> receive(…) {
//       const bool locked = co_await mailboxes.locking(on);   // the rank may block here, and in each step
//       …
//     }
//     const int error = run(receive(…));   // in the rank's greenlet
//
// Code in a coroutine may run while another rank's greenlet is current. It must therefore neither call Python nor touch
// the rank's C stack: arguments are passed by value or refer to the heap. Do not write co_await in a condition,
// or behind && or ||: GCC 12 compiles some of these wrongly.
#pragma once

#include <coroutine>
#include <utility>

#include "base/continued.hpp"
#include "engine/fiber.hpp"

namespace pysmpi {

// Awaited in a coroutine: the running fiber blocks until no completions are awaited any more, as by block(). The result
// is false if the rank is being stopped.
class Blocked {
 public:
  explicit Blocked(const BlockedOn& on) : on_(on), fiber_(&running_fiber()) {}
  static Blocked not_at_all() { return {}; }

  bool await_ready() const {
    if (!fiber_) return true;
    if (fiber_->stopping) insist_on_stop();
    return fiber_->stopping || fiber_->pending == 0;
  }
  void await_suspend(std::coroutine_handle<> steps) const {
    fiber_->steps = steps;
    fiber_->blocked_on = on_;
  }
  bool await_resume() const { return !fiber_ || !fiber_->stopping; }

 private:
  Blocked() = default;
  BlockedOn on_;
  Fiber* fiber_ = nullptr;  // null: does not block
};

// The result of a coroutine, which another coroutine may await.
template <typename Result>
class [[nodiscard]] Steps {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type : Continued {
    Result result{};

    Steps get_return_object() { return Steps(Handle::from_promise(*this)); }
    void return_value(Result value) { result = value; }
  };

  // A result that needs no steps, and no coroutine.
  explicit Steps(Result result) : result_(result) {}
  Steps(Steps&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)), result_(other.result_) {}
  Steps& operator=(Steps&&) = delete;
  ~Steps() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const { return !handle_; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  Result await_resume() const { return result(); }

  std::coroutine_handle<> handle() const { return handle_; }
  Result result() const { return handle_ ? handle_.promise().result : result_; }

 private:
  explicit Steps(Handle handle) : handle_(handle) {}
  Handle handle_;  // null if no steps are needed
  Result result_{};
};

// Run a coroutine to its end in the running fiber, which blocks where the coroutine does. With `in_greenlet`, the
// coroutine only runs in the rank's greenlet: it may then call Python and touch the C stack.
void run_steps(std::coroutine_handle<> steps, bool in_greenlet);

template <typename Result>
Result run(Steps<Result> steps, bool in_greenlet = false) {
  if (steps.handle()) run_steps(steps.handle(), in_greenlet);
  return steps.result();
}

}  // namespace pysmpi
