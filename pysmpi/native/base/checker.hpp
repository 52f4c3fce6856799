// Who looks for a program's mistakes (check/, under --check). Costs a look at a pointer where nobody does.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace pysmpi {

struct CollectiveCall;

// For how long: until the call returns, and no other request of this call has begun; until it returns; until the
// program has waited for it.
enum class Holding : std::uint8_t { kAlone, kInCall, kUntilComplete };

class Checker {
 public:
  virtual ~Checker() = default;

  // Messages. A send and a receive have been matched, and the bytes are about to move; and they have moved.
  virtual void matched(std::uint32_t send, std::uint32_t receive) = 0;
  virtual void delivered(std::uint32_t receive) = 0;

  // The running rank's request owns the program's memory from now on, until it is released. Called once it has been
  // posted; it may be complete by then.
  virtual void begun(std::uint32_t request, Holding holding) = 0;

  // The buffers that the running rank has attached are free of its messages: it has flushed or detached them.
  virtual void buffers_emptied() = 0;

  // The program has a handle of it, whatever it is.
  virtual void handed_out(std::uint32_t request) = 0;

  virtual void released(std::uint32_t request) = 0;

  // The running rank enters a communicator's collective number `sequence`; a nonblocking one has become this request.
  virtual void entered(const CollectiveCall& call, std::uint32_t sequence) = 0;
  virtual void started(const CollectiveCall& call, std::uint32_t request) = 0;

  // A message in the running rank's blocking collective was longer than the room for it.
  virtual void truncated(const char* call) = 0;
};

extern Checker* checker;  // null: nobody looks

}  // namespace pysmpi
