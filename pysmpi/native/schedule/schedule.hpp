// A schedule is a coroutine that executes one rank's part of a collective. Its code is written like the sequential
// algorithm, and it is suspended while messages are under way. A schedule may await another one, which then runs to its
// end.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "schedule/pool.hpp"

namespace pysmpi {

class [[nodiscard]] Schedule {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type {
    std::coroutine_handle<> continuation = std::noop_coroutine();  // the schedule that awaits this one

    Schedule get_return_object() { return Schedule(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Return {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(Handle ended) noexcept { return ended.promise().continuation; }
        void await_resume() noexcept {}
      };
      return Return{};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }

    static void* operator new(std::size_t bytes) { return take_block(bytes); }
    static void operator delete(void* frame, std::size_t bytes) { give_block(frame, bytes); }
  };

  Schedule() = default;
  Schedule(Schedule&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Schedule& operator=(Schedule&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Schedule() {
    if (handle_) handle_.destroy();
  }

  void start() { handle_.resume(); }
  bool done() const { return !handle_ || handle_.done(); }
  void clear() { *this = Schedule(); }

  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  void await_resume() const {}

 private:
  explicit Schedule(Handle handle) : handle_(handle) {}
  Handle handle_;
};

}  // namespace pysmpi
