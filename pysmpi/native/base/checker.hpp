// Interface of the checker that looks for mistakes in programs (instrumentation/check, option --check). Without a
// checker, each notification costs one test of a pointer.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

struct CollectiveCall;

// How long a request owns memory: within its call, as the call's only request; until its call returns; or until the
// program has waited for it.
enum class Holding : std::uint8_t { kAlone, kInCall, kUntilComplete };

class Checker {
 public:
  virtual ~Checker() = default;

  // A send and a receive are matched and their bytes are about to move; then they have moved.
  virtual void matched(std::uint32_t send, std::uint32_t receive) = 0;
  virtual void delivered(std::uint32_t receive) = 0;

  // The running rank's request owns the program's memory from now until it is released. Called after posting, when the
  // request may already be complete.
  virtual void begun(std::uint32_t request, Holding holding) = 0;

  // The running rank has flushed or detached its buffers, so they contain none of its messages.
  virtual void buffers_emptied() = 0;

  // The program got a handle of the request, which may be of any kind.
  virtual void handed_out(std::uint32_t request) = 0;

  // The program or the library has released the request.
  virtual void released(std::uint32_t request) = 0;

  // The running rank enters collective number `sequence` of a communicator; then, a nonblocking collective became
  // `request`.
  virtual void entered(const CollectiveCall& call, std::uint32_t sequence) = 0;
  virtual void started(const CollectiveCall& call, std::uint32_t request) = 0;

  // A message in the running rank's blocking collective was longer than its buffer.
  virtual void truncated(const char* call) = 0;
};

extern Checker* checker;  // null: no checks

}  // namespace pysmpi
