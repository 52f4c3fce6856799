// A schedule is a coroutine that executes one rank's part of a collective. Its code is written like the sequential
// algorithm, and it is suspended while messages are under way. A schedule may await another one, which then runs to its
// end.
#pragma once

#include <coroutine>
#include <utility>

#include "base/continued.hpp"

namespace pysmpi {

class [[nodiscard]] Schedule {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type : Continued {
    Schedule get_return_object() { return Schedule(Handle::from_promise(*this)); }
    void return_void() {}
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
