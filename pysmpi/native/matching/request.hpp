// A request: a message, or another operation that an MPI program may wait for, such as a nonblocking collective or a
// file access.
#pragma once

#include <cstdint>
#include <vector>

#include "base/large_pages.hpp"
#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "datatypes/datatype.hpp"
#include "matching/protocol.hpp"

namespace pysmpi {

struct Reduction;

using RequestId = std::uint32_t;  // index into the pool, or kNone

inline constexpr std::int32_t kAnySource = -2, kAnyTag = -1, kProcNull = -1;  // values of MPICH's ABI

// The tag of a matched message as a number. Tags of GOAL programs have 32 bits without sign; matching only compares
// them.
inline constexpr std::int64_t tag_number(std::int32_t tag) { return static_cast<std::uint32_t>(tag); }

enum class RequestKind : std::uint8_t {
  kMessage,      // a message, or (with kPersistent) the template of one
  kTransfer,     // a one-sided message, which needs no matching; its payload is unpacked when it arrives
  kCompound,     // complete when several messages are complete (matching/compound.hpp)
  kPartitioned,  // the template of partitioned messages (matching/partitioned.hpp); always kPersistent
  kSchedule,     // a nonblocking collective, or (with kPersistent) the template of one
  kPosted,       // a nonblocking collective whose call posts all messages (collectives/posted.hpp)
  kGeneralized,  // completed by the program (mpi/generalized.hpp)
  kFileAccess,   // an access to a file (io/access.hpp)
};

// The side of a message that a request represents.
enum class Role : std::uint8_t { kNone, kSend, kReceive };

// Independent properties of a request. Its state is not a single value because the owner, the engine and the network
// proceed independently: for instance a detached send is complete before it is matched.
enum RequestFlag : std::uint16_t {
  kPersistent = 1,   // a template, made by MPI_*_init; `partner` is the request of its present use, or kNone
  kNonblocking = 2,  // made by a nonblocking call
  kDetached = 4,     // the sender does not wait for this message
  kMatched = 8,
  kArrived = 16,  // the flow of an eager message has ended
  kComplete = 32,
  kCancelled = 64,
  kHeld = 128,           // the engine refers to the request: it waits to be matched, or its flow is under way
  kReleased = 256,       // the owner no longer refers to the request
  kBorrows = 512,        // the request waits to be matched and refers to its owner's memory
  kOwnsPayload = 1024,   // `payload` is freed with the request
  kAwaitedAlone = 2048,  // the owner waits for no other request; see await_alone
  kUndecided = 4096,     // its match is decided after all ready ranks have run (matching/undecided.hpp)
  kTested = 8192,        // a test has found it complete; further tests, and its receive, cost nothing
  kDelayed = 16384,      // a matched receive whose message waits until a rank is inside MPI (matching/progress.hpp)
  kListed = 32768,       // the waiter has a list of requests, with this one at `place`; see Waiter::list
};

inline constexpr std::int32_t kErrTruncate = 14, kErrOther = 15, kErrProcFailed = 101;  // error classes of MPICH's ABI

// The reason why a message does not arrive whole.
struct Fault {
  std::int32_t error = 0;     // MPI error class; 0 for none
  std::uint32_t culprit = 0;  // kErrProcFailed: the failed world rank; kErrOther: the failed link
};

// A request takes three cache lines. Completing and releasing it touch the first one only.
struct alignas(64) Request {
  RequestKind kind = RequestKind::kMessage;
  Role role = Role::kNone;
  std::uint16_t flags = 0;  // values of RequestFlag, combined with |
  SendMode mode = SendMode::kStandard;
  RankId owner = -1;  // world rank that posted the request; negative for a free request
  RankId peer = -1;   // world rank, kAnySource (until it is matched) or kProcNull
  Fault fault;        // valid once complete; the fault of a send becomes that of its receive
  FlowId flow = kNone;
  RequestId partner = kNone;           // the matched request; for a schedule, one of the messages that it waits for
  Waiter* waiter = nullptr;            // woken when the request completes
  const Datatype* datatype = nullptr;  // reference to the datatype, which the request holds
  void* payload = nullptr;             // packed bytes of a send that waits to be matched
  std::int64_t bytes = 0;              // send: size of the message; receive: size of the buffer, then of the data

  RequestId next = kNone, previous = kNone;                    // neighbours in a chain of requests with the same key
  RequestId next_in_order = kNone, previous_in_order = kNone;  // neighbours in a list of requests in order
  std::int32_t tag = 0;
  std::uint32_t context = 0;
  std::int32_t communicator = 0;  // handle
  std::int32_t source = 0;        // rank of the sender in the communicator; for a receive, valid once matched
  void* buffer = nullptr;
  std::int64_t count = 0;        // elements at `buffer`
  std::uint64_t sequence = 0;    // order of posting
  std::uint64_t call_order = 0;  // order of posting as SMPI defines it (Simulation::call_order)

  double posted = 0.0;                 // simulated time of posting, seconds
  const Reduction* combine = nullptr;  // receive: reduces the message into the buffer; null to replace the contents
  std::int64_t sent_bytes = 0;         // receive: size of the matched message
  const char* call = nullptr;          // schedule: the MPI function that began it
  std::int32_t matched_tag = 0;        // receive: tag of the matched message
  RequestId number = kNone;            // this request's own id
  std::uint32_t place = 0;             // with kListed: position in the waiter's list of requests
  std::uint64_t message = 0;           // receive, once matched: `sequence` of the message
  double message_posted = 0.0;         // receive, once matched: `posted` of the message

  bool is_send() const { return role == Role::kSend; }
  bool is_receive() const { return role == Role::kReceive; }
  bool is_transfer() const { return kind == RequestKind::kTransfer; }
  bool is_compound() const { return kind == RequestKind::kCompound; }
  bool is_partitioned() const { return kind == RequestKind::kPartitioned; }
  bool is_schedule() const { return kind == RequestKind::kSchedule || is_posted(); }
  bool is_posted() const { return kind == RequestKind::kPosted; }
  bool is_generalized() const { return kind == RequestKind::kGeneralized; }
  bool is_access() const { return kind == RequestKind::kFileAccess; }
};
static_assert(sizeof(Request) == 192);

// All requests of the simulation.
struct RequestPool : SimulationPart<RequestPool> {
  static constexpr std::uint32_t kPerChunk = 4096, kMostChunks = 64;

  RequestPool() = default;
  ~RequestPool();
  RequestId size() const { return static_cast<RequestId>(chunks.size() * kPerChunk); }  // including free ones

  void add_chunks();

  // Addresses of requests never change. Many chunks are allocated at a time, in large pages, if there are many already.
  std::vector<std::vector<Request, LargePages<Request>>> memory;
  std::vector<Request*> chunks;
  std::vector<RequestId> free;
};
extern template class SimulationPart<RequestPool>;

inline Request& request(RequestId id) {
  return RequestPool::current().chunks[id / RequestPool::kPerChunk][id % RequestPool::kPerChunk];
}
bool is_request(RequestId id);  // true for a request that its owner has not released
RequestId allocate_request();

// Return whether a call (Request::call_order) comes after another one in the same instant.
inline bool follows_in_instant(std::uint64_t call, std::uint64_t other) {
  return (call ^ other) >> 40 == 0 && call > other;  // see Simulation::call_order
}

inline bool is_complete(RequestId id) { return (request(id).flags & kComplete) != 0; }

}  // namespace pysmpi
