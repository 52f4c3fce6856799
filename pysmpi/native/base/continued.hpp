// Base class of the promises of coroutines that await each other.
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>

#include "base/block_pool.hpp"

namespace pysmpi {

// Promise of a coroutine that starts suspended and, at its end, continues the coroutine that awaits it. Frames come
// from the pool of blocks.
struct Continued {
  std::coroutine_handle<> continuation = std::noop_coroutine();  // the coroutine that awaits this one

  std::suspend_always initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept {
    struct Return {
      std::coroutine_handle<> continuation;
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return continuation; }
      void await_resume() noexcept {}
    };
    return Return{continuation};
  }
  void unhandled_exception() { std::terminate(); }

  static void* operator new(std::size_t bytes) { return take_block(bytes); }
  static void operator delete(void* frame, std::size_t bytes) { give_block(frame, bytes); }
};

}  // namespace pysmpi
