// Posting, matching and completion of messages, following SMPI's point-to-point protocol (SimGrid 3.32,
// src/smpi/mpi/smpi_request.cpp). The size of a send decides its protocol:
// - detached, below smpi/send-is-detached-thresh (default 65536): the bytes are copied and the sender continues at
// once.
// - eager, below smpi/async-small-thresh (default 0): the message leaves before its receive is posted.
// - rendezvous, if it is not eager: the message leaves when its receive is posted.
//
// Example: rank 0 posts a send at 1 s, rank 1 the receive at 5 s, and the message takes 2 s. Eager, it travels from 1 s
// to 3 s and waits in rank 1's queue; the receive completes at 5 s. Rendezvous, it travels from 5 s to 7 s, and the
// receive completes at 7 s. So does a blocking send, unless it is detached: then the sender continues at 1 s.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "datatypes/datatype.hpp"
#include "engine/listener.hpp"
#include "matching/communicator.hpp"
#include "matching/protocol.hpp"

namespace pysmpi {

struct Reduction;

using RequestId = std::uint32_t;  // index into the pool of requests, or kNone

inline constexpr std::int32_t kAnySource = -2, kAnyTag = -1, kProcNull = -1;  // MPICH's ABI
inline constexpr std::int32_t kTagUpperBound = 0x3fffffff;                    // MPI_TAG_UB

enum RequestFlag : std::uint32_t {
  kIsSend = 1,
  kIsReceive = 2,
  kPersistent = 4,  // made by MPI_*_init; `partner` is the request of its present use, if any
  kComplete = 8,
  kDetached = 16,  // the sender does not wait for the transfer
  kCancelled = 32,
  kMatched = 64,
  kHeld = 128,      // the engine still needs it: it is unmatched, or its flow is under way
  kReleased = 256,  // its owner has released it
  kArrived = 512,   // an eager message that has arrived
  kOwnsPayload = 1024,
  kNonblocking = 2048,
  kIsSchedule = 4096,      // a nonblocking collective, or (with kPersistent) a persistent one
  kBorrows = 8192,         // unmatched, and refers to its owner's memory
  kIsCompound = 16384,     // consists of several messages (matching/compound.hpp)
  kIsGeneralized = 32768,  // the program completes it (mpi/generalized.hpp)
  kIsPartitioned = 65536,  // persistent (matching/partitioned.hpp)
  kTransfer = 131072,      // a one-sided message, unpacked into the buffer on arrival
  kIsAccess = 262144,      // a file access (io/access.hpp), which is never matched
  kAwaitedAlone = 524288,  // see await_alone
};

inline constexpr std::int32_t kErrTruncate = 14, kErrOther = 15, kErrProcFailed = 101;  // MPICH's ABI

// The reason why a message did not arrive as a whole: an MPI error class (0 for success), and the world rank
// (kErrProcFailed) or link (kErrOther) that failed.
struct Fault {
  std::int32_t error = 0;
  std::uint32_t culprit = 0;
};

// A message or other operation in progress. Completing and releasing it touch only the first of its three cache lines.
struct alignas(64) Request {
  std::uint32_t flags = 0;
  SendMode mode = SendMode::kStandard;
  RankId owner = -1;  // world rank that posted it
  RankId peer = -1;   // world rank, kAnySource (until matched) or kProcNull
  Fault fault;        // valid once complete; a send's fault is copied to its receive
  FlowId flow = kNone;
  RequestId partner = kNone;           // for a schedule: one of the messages that it waits for
  Waiter* waiter = nullptr;            // notified on completion
  const Datatype* datatype = nullptr;  // a reference is held
  void* payload = nullptr;             // packed bytes of an unmatched send
  std::int64_t bytes = 0;  // send: size of the message; receive: size of the buffer, then of the data received

  RequestId next = kNone, previous = kNone;                    // neighbours in a chain of a matching queue
  RequestId next_in_order = kNone, previous_in_order = kNone;  // neighbours in an ordered list of a matching queue
  std::int32_t tag = 0;
  std::uint32_t context = 0;
  std::int32_t communicator = 0;  // handle
  std::int32_t source = 0;        // send: rank of the sender; receive: the sender's rank once matched
  void* buffer = nullptr;
  std::int64_t count = 0;        // number of elements at `buffer`
  std::uint64_t sequence = 0;    // order of posting
  std::uint64_t call_order = 0;  // order of the posting call in SMPI (Simulation::call_order)

  double posted = 0.0;  // simulated time of posting, in seconds
  // For a receive: reduction of the message into the buffer; null if the message replaces the buffer.
  const Reduction* combine = nullptr;
  std::int64_t sent_bytes = 0;   // for a receive: size of the message sent
  const char* call = nullptr;    // for a schedule: the MPI function that started it
  std::int32_t matched_tag = 0;  // for a receive: tag of the message
  RequestId number = kNone;      // its own index
  std::uint64_t message = 0;     // for a receive, once matched: `sequence` of its send
  double message_posted = 0.0;   // for a receive, once matched: `posted` of its send
};

// All requests of the simulation.
struct RequestPool : SimulationPart<RequestPool> {
  static constexpr std::uint32_t kPerChunk = 4096;

  RequestPool() = default;
  ~RequestPool();
  RequestId size() const { return static_cast<RequestId>(chunks.size() * kPerChunk); }  // including free ones

  std::vector<std::unique_ptr<Request[]>> chunks;  // addresses of requests never change
  std::vector<RequestId> free;
};
extern template class SimulationPart<RequestPool>;

inline Request& request(RequestId id) {
  return RequestPool::current().chunks[id / RequestPool::kPerChunk][id % RequestPool::kPerChunk];
}
bool is_request(RequestId id);  // whether the index belongs to a live request
RequestId allocate_request();

// The fields of a message by which sends and receives match.
struct Envelope {
  std::int32_t peer;  // rank in the communicator, kAnySource or kProcNull
  std::int32_t tag;
  // communicator.context for the program's messages, communicator.context + 1 inside collectives
  std::uint32_t context;
  bool operator==(const Envelope&) const = default;
};

// Post a message at the current simulated time for world rank `owner`, which need not be the running rank. The buffer
// must not be on a C stack. Returns the request, which may already be complete; that of a detached send always is.
// Posting never blocks; the caller spends the overheads (smpi/os, smpi/ois, smpi/or). `fault` marks the message as
// invalid, which its receiver sees. `combine` reduces the message into the buffer; it must be a predefined operation,
// and the datatype contiguous.
RequestId post_send(RankId owner, const Communicator& communicator, Envelope envelope, SendMode mode,
                    const void* buffer, std::int64_t count, const Datatype& datatype, const Fault& fault = {});
RequestId post_receive(RankId owner, const Communicator& communicator, Envelope envelope, void* buffer,
                       std::int64_t count, const Datatype& datatype, const Reduction* combine = nullptr);

// Return a message that a receive with this envelope would get now, or kNone. take_message also removes it from the
// queues (a matched probe), and post_matched_receive receives it.
RequestId find_message(RankId owner, const Communicator& communicator, Envelope envelope);
// Return whether a posted receive would get a message that the owner sent now with this envelope.
bool is_awaited(RankId owner, const Communicator& communicator, Envelope envelope);
RequestId take_message(RankId owner, const Communicator& communicator, Envelope envelope);
// Remove a matching message for good. Returns false if there is none.
bool discard_message(RankId owner, const Communicator& communicator, Envelope envelope);
RequestId post_matched_receive(RequestId message, void* buffer, std::int64_t count, const Datatype& datatype);

// A one-sided message between two world ranks, which needs no match. It leaves at once, with the current bytes at
// `from`. They are written to `to` on arrival, unless the receiving rank has ended by then. `handle` is that of the
// window. The request is a receive of the receiving rank, and complete when the message has arrived.
struct Transfer {
  RankId sender, receiver;
  std::int32_t handle;
  const void* from;
  std::int64_t from_count;
  const Datatype* from_type;
  void* to;  // null: the contents do not matter
  std::int64_t to_count;
  const Datatype* to_type;
};
RequestId post_transfer(const Transfer& transfer);

// Notify the waiter once, when a matching message is posted or its sender fails. Another thread of the rank may take
// that message first.
void await_message(RankId owner, const Communicator& communicator, Envelope envelope, Waiter* waiter);

// If no message matches, set `vain` until one is posted or stop_watching() is called.
void watch_for_message(RankId owner, const Communicator& communicator, Envelope envelope, bool* vain);
void stop_watching(RankId owner, bool* vain);

// Remove an unmatched request from the queues and complete it as cancelled. Does nothing if it is matched.
void cancel(RequestId id);

inline bool is_complete(RequestId id) { return (request(id).flags & kComplete) != 0; }

// Notify the waiter when the request completes, and count the request in waiter->pending. Does nothing if it is
// complete.
void await(RequestId id, Waiter* waiter);

// Like await, for a rank that waits for nothing else, as in MPI_Recv and MPI_Wait. This influences the dates of
// computations of other ranks on its host (Processors::begin_wait).
void await_alone(RequestId id, Waiter* waiter);

// Account for a wait of the running rank for a complete request. SMPI counts it as one more call, except for detached
// sends.
void wait_for_complete(RequestId id);

// Return the request to the pool; if its transfer is still under way, when that ends.
void release(RequestId id);

// Release a request whose rank or thread is being stopped, and cancel it if it is unmatched.
void abandon(RequestId id);

// Copy the contents of an unmatched send, or of all sends of a rank, because their memory is about to be freed.
void keep_payload(RequestId id);
void keep_messages(RankId rank);

// Clean up after a rank that has ended: remove its receives from the queues. Its messages can still be received, unless
// the rank was stopped.
void forget_rank(RankId rank);

// Return the seconds that the receiver spends after this receive is complete.
double receive_overhead(RequestId id);

void wake_probes(RankId failed);     // wakes probes that wait for messages of this world rank only
void extend_matching(RankId ranks);  // adapts to an increased number of ranks

}  // namespace pysmpi
