// Posting, matching and completing messages: SMPI's point-to-point protocol (SimGrid 3.32,
// src/smpi/mpi/smpi_request.cpp). A send below smpi/send-is-detached-thresh is detached (its bytes are copied and the
// sender goes on), one below smpi/async-small-thresh is eager (its flow starts before the receive is posted), the
// others are rendezvous.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/types.hpp"
#include "base/waiter.hpp"
#include "datatypes/datatype.hpp"
#include "engine/listener.hpp"
#include "matching/communicator.hpp"
#include "matching/protocol.hpp"

namespace pysmpi {

struct Reduction;

using RequestId = std::uint32_t;  // index into the pool; kNone for none

inline constexpr std::int32_t kAnySource = -2, kAnyTag = -1, kProcNull = -1;  // MPICH's ABI
inline constexpr std::int32_t kTagUpperBound = 0x3fffffff;                    // MPI_TAG_UB

enum RequestFlag : std::uint32_t {
  kIsSend = 1,
  kIsReceive = 2,
  kPersistent = 4,  // made by MPI_*_init; `partner` is the request of its present use, if any
  kComplete = 8,
  kDetached = 16,  // the sender does not wait for it
  kCancelled = 32,
  kMatched = 64,
  kHeld = 128,      // the engine still refers to it: it waits to be matched, or its flow is under way
  kReleased = 256,  // its owner has let go of it
  kArrived = 512,   // an eager message whose flow has ended
  kOwnsPayload = 1024,
  kNonblocking = 2048,
  kIsSchedule = 4096,      // a nonblocking collective, or (with kPersistent) a persistent one
  kBorrows = 8192,         // it waits to be matched, and refers to its owner's memory
  kIsCompound = 16384,     // several messages (matching/compound.hpp)
  kIsGeneralized = 32768,  // the program completes it (mpi/generalized.hpp)
  kIsPartitioned = 65536,  // persistent; matching/partitioned.hpp
  kTransfer = 131072,      // a one-sided message, whose payload is unpacked into the buffer as it arrives
  kIsAccess = 262144,      // of a file (io/access.hpp); nothing is to be matched
  kAwaitedAlone = 524288,  // see await_alone
};

inline constexpr std::int32_t kErrTruncate = 14, kErrOther = 15, kErrProcFailed = 101;  // MPICH's ABI

// Why a message does not arrive whole: an MPI error class (0: it does), and which world rank (kErrProcFailed) or link
// (kErrOther) has failed.
struct Fault {
  std::int32_t error = 0;
  std::uint32_t culprit = 0;
};

// Three cache lines, of which completing and letting go touch the first one only.
struct alignas(64) Request {
  std::uint32_t flags = 0;
  SendMode mode = SendMode::kStandard;
  RankId owner = -1;  // world rank that posted it
  RankId peer = -1;   // world rank, kAnySource (until it is matched) or kProcNull
  Fault fault;        // once complete; the fault of a send becomes that of its receive
  FlowId flow = kNone;
  RequestId partner = kNone;           // of a schedule: one of the messages that it waits for
  Waiter* waiter = nullptr;            // told when it completes
  const Datatype* datatype = nullptr;  // held
  void* payload = nullptr;             // the packed bytes of a send that waits to be matched
  std::int64_t bytes = 0;              // send: size of the message; receive: room for it, then what arrived

  RequestId next = kNone, previous = kNone;                    // chain of a matching queue
  RequestId next_in_order = kNone, previous_in_order = kNone;  // list of a matching queue
  std::int32_t tag = 0;
  std::uint32_t context = 0;
  std::int32_t communicator = 0;  // handle
  std::int32_t source = 0;        // send: rank of the sender; receive, once matched: the same of its message
  void* buffer = nullptr;
  std::int64_t count = 0;        // elements at `buffer`
  std::uint64_t sequence = 0;    // order of posting
  std::uint64_t call_order = 0;  // the same as SMPI has it (Simulation::call_order)

  double posted = 0.0;                 // when, on the simulated clock
  const Reduction* combine = nullptr;  // of a receive: how the message is reduced into the buffer; null: it replaces
  std::int64_t sent_bytes = 0;         // of a receive: how long its message was
  const char* call = nullptr;          // of a schedule: the MPI function that began it
  std::int32_t matched_tag = 0;        // of a receive
  RequestId number = kNone;            // its own
  std::uint64_t message = 0;           // of a receive, once matched: the sequence of its message,
  double message_posted = 0.0;         // and when that was posted
};

inline constexpr std::uint32_t kRequestsPerChunk = 4096;
extern std::vector<std::unique_ptr<Request[]>> request_chunks;  // addresses of requests never change

inline Request& request(RequestId id) { return request_chunks[id / kRequestsPerChunk][id % kRequestsPerChunk]; }
bool is_request(RequestId id);  // names a live request
RequestId allocate_request();

struct Envelope {
  std::int32_t peer;  // rank in the communicator, kAnySource or kProcNull
  std::int32_t tag;
  std::uint32_t context;  // communicator.context for programs, communicator.context + 1 inside collectives
  bool operator==(const Envelope&) const = default;
};

// Posts at the simulated time now, in the name of world rank `owner` (a schedule runs without its rank running). The
// buffer must not lie on a C stack. Returns the request; it may already be complete. A detached send's request is
// complete at once. Never blocks: overheads (smpi/os, ois, or) are the caller's to wait for. `fault`: the message is
// worthless, which its receiver is told. `combine`: the message is reduced into the buffer, by a predefined operation
// on a contiguous datatype.
RequestId post_send(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                    const void* buffer, std::int64_t count, const Datatype& datatype, const Fault& fault = {});
RequestId post_receive(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                       std::int64_t count, const Datatype& datatype, const Reduction* combine = nullptr);

// A message that a receive with this envelope would get now; kNone when there is none. take_message takes it out of the
// queues (a matched probe), and post_matched_receive receives it.
RequestId find_message(RankId owner, const Communicator& communicator, Envelope envelope);
// A posted receive would get a message that the owner sent with this envelope now.
bool is_awaited(RankId owner, const Communicator& communicator, Envelope envelope);
RequestId take_message(RankId owner, const Communicator& communicator, Envelope envelope);
// Takes it out for good; false when there is none.
bool discard_message(RankId owner, const Communicator& communicator, Envelope envelope);
RequestId post_matched_receive(RequestId message, void* buffer, std::int64_t count, const Datatype& datatype);

// A one-sided message between two world ranks, which nothing has to match: it leaves at once, and its bytes are those
// of the datatype's elements at `from`, now. They reach `to` as it arrives, unless the receiving rank has ended by
// then. `handle`: of the window that it is for. The request is a receive of the receiving rank, and complete when the
// message has arrived.
struct Transfer {
  RankId sender, receiver;
  std::int32_t handle;
  const void* from;
  std::int64_t from_count;
  const Datatype* from_type;
  void* to;  // null: the bytes mean nothing
  std::int64_t to_count;
  const Datatype* to_type;
};
RequestId post_transfer(const Transfer& transfer);

// Has the waiter told, once, when a message arrives that matches, or its sender fails. Another thread of the rank may
// take that message first.
void await_message(RankId owner, const Communicator& communicator, Envelope envelope, Waiter* waiter);

// Sets `vain` unless there is a message that matches, until one arrives or the watch is stopped.
void watch_for_message(RankId owner, const Communicator& communicator, Envelope envelope, bool* vain);
void stop_watching(RankId owner, bool* vain);

// Takes an unmatched request out of the queues, which completes it as cancelled; nothing when it is matched.
void cancel(RequestId id);

inline bool is_complete(RequestId id) { return (request(id).flags & kComplete) != 0; }

// Has the waiter told when the request completes, and counts it in waiter->pending; nothing when already complete.
void await(RequestId id, Waiter* waiter);

// The same for a rank that waits for nothing else, as in MPI_Recv and MPI_Wait, which tells in the dates of what other
// ranks of its host compute (Processors::begin_wait).
void await_alone(RequestId id, Waiter* waiter);

// The running rank waits for a request that is complete: a call more for SMPI, but for sends that it has let go of.
void wait_for_complete(RequestId id);

// Gives the request back to the pool (if its send is still under way, once that ends).
void release(RequestId id);

// The rank, or a thread of it, is being stopped and will not come back to this request: what waits is cancelled.
void abandon(RequestId id);

// The owner lets go of the memory of a send that waits to be matched (or of all of its sends): the bytes are copied.
void keep_payload(RequestId id);
void keep_messages(RankId rank);

// The rank has ended, and its memory goes: its receives leave the queues. Its messages can still be received, unless it
// was stopped.
void forget_rank(RankId rank);

// Seconds that the receiver spends once this receive is complete.
double receive_overhead(RequestId id);

void wake_probes(RankId failed);  // those for messages of this world rank alone
void begin_matching(RankId ranks);
void extend_matching(RankId ranks);  // there are more of them now
void end_matching();

}  // namespace pysmpi
