// Coroutines for MPI calls in which a rank may block several times: for the overhead of a message, for the locks of
// mailboxes, and for the message itself. While such a call is under way, the engine's loop continues the coroutine
// without switching to the rank's greenlet. The greenlet continues once, when the call has ended:
//
//     Steps<int> receive(…) {
//       const bool has_turn = co_await mailboxes.turn(call);   // the rank may block here, and in each step
//       …
//     }
//     const int error = run(receive(…));   // in the rank's greenlet
//
// Code in a coroutine may run while another rank's greenlet is current. It must therefore neither call Python nor touch
// the rank's C stack: arguments are passed by value or refer to the heap. Do not write co_await in a condition,
// or behind && or ||: GCC 12 compiles some of these wrongly.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "base/block_pool.hpp"
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

  struct promise_type {
    Result result{};
    std::coroutine_handle<> continuation = std::noop_coroutine();  // the coroutine that awaits this one

    Steps get_return_object() { return Steps(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Return {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle ended) noexcept { return ended.promise().continuation; }
        void await_resume() noexcept {}
      };
      return Return{};
    }
    void return_value(Result value) { result = value; }
    void unhandled_exception() { std::terminate(); }

    static void* operator new(std::size_t bytes) { return take_block(bytes); }
    static void operator delete(void* frame, std::size_t bytes) { give_block(frame, bytes); }
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
