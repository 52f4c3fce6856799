// Posting, matching and completing messages: SMPI's point-to-point protocol (SimGrid 3.32, src/smpi/mpi/smpi_request.cpp).
// A send below smpi/send-is-detached-thresh is detached (its bytes are copied and the sender goes on), one below
// smpi/async-small-thresh is eager (its flow starts before the receive is posted), the others are rendezvous.
#pragma once

#include <cstdint>

#include "engine/types.hpp"
#include "engine/waiter.hpp"
#include "matching/communicator.hpp"
#include "memory/datatype.hpp"

namespace pysmpi {

using RequestId = std::uint32_t;  // index into the pool; kNone for none

inline constexpr std::int32_t kAnySource = -2, kAnyTag = -1, kProcNull = -1;  // MPICH's ABI

enum class SendMode : std::uint8_t { kStandard, kSynchronous, kBuffered, kReady };

enum RequestFlag : std::uint16_t {
  kIsSend = 1, kIsReceive = 2, kPersistent = 4, kActive = 8,   // kActive: posted and not yet waited for
  kComplete = 16, kDetached = 32, kCancelled = 64, kMatched = 128,
  kNonblocking = 256, kProbed = 512, kIsSchedule = 1024, kOwnsPayload = 2048,
};

struct Request {
  std::uint16_t flags = 0;
  SendMode mode = SendMode::kStandard;
  std::int32_t error = 0;        // MPI error class once complete
  RankId owner = -1;             // world rank that posted it
  RankId peer = -1;              // world rank, or kAnySource
  std::int32_t tag = 0;
  std::uint32_t context = 0;
  std::int32_t communicator = 0;  // handle
  std::int32_t datatype = 0;      // handle
  std::int64_t count = 0;
  std::int64_t bytes = 0;         // send: message size; receive: room, then what arrived
  void* buffer = nullptr;
  void* payload = nullptr;        // packed or copied bytes of a send, owned when kOwnsPayload
  Waiter* waiter = nullptr;       // told when it completes
  FlowId flow = kNone;
  RequestId partner = kNone;
  std::int32_t source = 0;        // receive, once matched: rank of the sender in the communicator
  std::int32_t matched_tag = 0;
  RequestId next = kNone;         // chain of a matching queue
  RequestId previous = kNone;
  RequestId next_in_order = kNone, previous_in_order = kNone;
  std::uint64_t sequence = 0;     // order of posting, decides between exact and wildcard matches
};

Request& request(RequestId id);

struct Envelope {
  std::int32_t peer;      // rank in the communicator, kAnySource or kProcNull
  std::int32_t tag;
  std::uint32_t context;  // communicator.context for programs, communicator.context + 1 inside collectives
};

// Posts at the simulated time now, in the name of world rank `owner` (a schedule runs without its rank running). The
// buffer must not lie on a C stack. Returns the request; it may already be complete. A detached send's request is
// complete at once. Never blocks: overheads (smpi/os, ois, or) are the caller's to wait for.
RequestId post_send(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                    const void* buffer, std::int64_t count, std::int32_t datatype);
RequestId post_receive(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                       std::int64_t count, std::int32_t datatype);

inline bool is_complete(RequestId id) { return request(id).flags & kComplete; }

// Has the waiter told when the request completes, and counts it in waiter->pending; nothing when already complete.
void await(RequestId id, Waiter* waiter);

// Gives the request back to the pool (if its send is still under way, once that ends).
void release(RequestId id);

// Seconds that the receiver spends once this receive is complete (smpi/or; only for detached sends), and the sender
// before posting (smpi/os for blocking sends, smpi/ois for nonblocking ones).
double receive_overhead(RequestId id);
double send_overhead(std::int64_t bytes, bool nonblocking, SendMode mode);

}  // namespace pysmpi
