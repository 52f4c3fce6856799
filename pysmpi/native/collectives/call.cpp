// Executes collective calls: resolves MPI_IN_PLACE, copies buffers on the C stack, and starts the schedule of the
// chosen algorithm.
#include "collectives/call.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/observer.hpp"
#include "collectives/catalogue.hpp"
#include "collectives/elements.hpp"
#include "collectives/nodes.hpp"
#include "collectives/posted.hpp"
#include "datatypes/layout.hpp"
#include "datatypes/stack_memory.hpp"
#include "engine/fiber.hpp"
#include "engine/library_variables.hpp"
#include "engine/refusal.hpp"
#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "objects/errors.hpp"
#include "rank_memory/folded.hpp"
#include "schedule/running.hpp"

namespace pysmpi {

namespace {

// The bytes that a call touches in a buffer, from the first to the last, relative to the buffer's address.
struct Extent {
  std::int64_t begin = 0, end = 0;
  void cover(std::int64_t offset, std::int64_t count, std::int32_t type) {
    if (count <= 0) return;
    const Span span = span_of(count, type);
    if (begin == end) {
      begin = offset + span.begin;
      end = begin + span.length;
    } else {
      begin = std::min(begin, offset + span.begin);
      end = std::max(end, offset + span.begin + span.length);
    }
  }
  Span span() const { return {begin, end - begin}; }
};

// Returns whether a buffer may lie on the C stack, or partly in variables of a library; memory_of then checks exactly.
// MPI_BOTTOM (null) may, because displacements can be absolute addresses.
bool may_be_overwritten(const void* buffer) { return !buffer || has_library_variables || on_c_stack(buffer); }

void cover_blocks(Extent& extent, int blocks, const Integers& counts, const Integers& displacements,
                  std::int32_t type) {
  if (blocks == 0) return;  // the datatype may be invalid
  const std::int64_t step = find_datatype(type)->extent;
  for (int i = 0; i < blocks; ++i) extent.cover(displacements[i] * step, counts[i], type);
}

// Elements that a rank sends or receives in a collective.
enum class Part : std::uint8_t {
  kNothing,
  kVector,    // the elements of a broadcast or reduction, or the rank's part of a scatter
  kOwn,       // the rank's part of a vector that is divided among the ranks
  kAllParts,  // the vector that is divided among the ranks
  kBlock,     // one block of the send side
  kBlocks,    // equal blocks
  kCounted,   // blocks with counts and displacements
  kTyped,     // blocks with counts, displacements and datatypes
};

enum class Who : std::uint8_t { kAll, kRootSends, kRootReceives };

struct Parts {
  Part sent, received;
  Who who = Who::kAll;
};

// Data that ranks send and receive in each collective, in the order of the enumeration Operation.
constexpr Parts kParts[] = {
    {Part::kNothing, Part::kNothing},                    // barrier
    {Part::kNothing, Part::kVector},                     // bcast
    {Part::kVector, Part::kVector, Who::kRootReceives},  // reduce
    {Part::kVector, Part::kVector},                      // allreduce
    {Part::kVector, Part::kVector},                      // scan
    {Part::kVector, Part::kVector},                      // exscan
    {Part::kAllParts, Part::kOwn},                       // reduce_scatter
    {Part::kBlock, Part::kBlocks, Who::kRootReceives},   // gather
    {Part::kBlock, Part::kCounted, Who::kRootReceives},  // gatherv
    {Part::kBlocks, Part::kVector, Who::kRootSends},     // scatter
    {Part::kCounted, Part::kVector, Who::kRootSends},    // scatterv
    {Part::kBlock, Part::kBlocks},                       // allgather
    {Part::kBlock, Part::kCounted},                      // allgatherv
    {Part::kBlocks, Part::kBlocks},                      // alltoall
    {Part::kCounted, Part::kCounted},                    // alltoallv
    {Part::kTyped, Part::kTyped},                        // alltoallw
    {Part::kBlock, Part::kBlocks},                       // neighbor_allgather
    {Part::kBlock, Part::kCounted},                      // neighbor_allgatherv
    {Part::kBlocks, Part::kBlocks},                      // neighbor_alltoall
    {Part::kCounted, Part::kCounted},                    // neighbor_alltoallv
    {Part::kTyped, Part::kTyped},                        // neighbor_alltoallw
};
static_assert(std::size(kParts) == kOperations);

// A side of a call: the blocks that it sends or receives.
struct Side {
  std::int64_t count;
  std::int32_t type, blocks;
  const Integers &counts, &displacements, &types;
};

Extent extent_of(Part part, const Side& side, const Arguments& a, int rank) {
  Extent extent;
  switch (part) {
    case Part::kNothing:
      break;
    case Part::kVector:
      extent.cover(0, a.receive_count, a.receive_type);
      break;
    case Part::kOwn:
      extent.cover(0, a.receive_count_of(rank), a.receive_type);
      break;
    case Part::kAllParts:
      extent.cover(0, a.total_receive_count(), a.receive_type);
      break;
    case Part::kBlock:
      extent.cover(0, side.count, side.type);
      break;
    case Part::kBlocks:
      extent.cover(0, side.blocks * side.count, side.type);
      break;
    case Part::kCounted:
      cover_blocks(extent, side.blocks, side.counts, side.displacements, side.type);
      break;
    case Part::kTyped:
      for (int i = 0; i < side.blocks; ++i) {
        extent.cover(side.displacements[i], side.counts[i], static_cast<std::int32_t>(side.types[i]));
      }
      break;
  }
  return extent;
}

Extent sent(Operation operation, const Arguments& a) {
  const Parts& parts = kParts[static_cast<std::size_t>(operation)];
  if (parts.who == Who::kRootSends && !a.at_root) return {};
  const Side side{a.send_count, a.send_type, a.send_blocks, a.send_counts, a.send_displacements, a.send_types};
  return extent_of(parts.sent, side, a, 0);
}

Extent received(Operation operation, const Arguments& a, int rank) {
  const Parts& parts = kParts[static_cast<std::size_t>(operation)];
  if (parts.who == Who::kRootReceives && !a.at_root) return {};
  const Side side{a.receive_count,  a.receive_type,          a.receive_blocks,
                  a.receive_counts, a.receive_displacements, a.receive_types};
  return extent_of(parts.received, side, a, rank);
}

// Returns a pointer into a copy of the bytes that `extent` covers, such that offsets of the original buffer remain
// valid. The runner owns the copy.
char* copied(Runner& runner, const void* buffer, Extent extent) {
  const std::int64_t bytes = extent.end - extent.begin;
  if (bytes == 0) return static_cast<char*>(const_cast<void*>(buffer));
  char* copy_of_it = runner.keep(Scratch(bytes, kByte, buffer));
  copy(shifted(buffer, extent.begin), bytes, kByte, copy_of_it, bytes, kByte);
  return shifted(copy_of_it, -extent.begin);
}

// Sets the address, count and datatype of a side that is MPI_IN_PLACE. If the data stay where they are, both sides get
// the same address; otherwise the send side is a copy.
void resolve_in_place(Operation operation, Arguments& a, Runner& runner) {
  a.in_place = a.send == kInPlace || a.receive == kInPlace;
  if (a.receive == kInPlace) {  // scatters, at the root
    a.receive_type = a.send_type;
    a.receive_count = operation == Operation::kScatter ? a.send_count : a.send_counts[runner.rank];
    const std::int64_t mine =
        operation == Operation::kScatter ? runner.rank * a.send_count : a.send_displacements[runner.rank];
    a.receive = const_cast<char*>(a.send_at(mine));
  }
  if (a.send != kInPlace) return;
  switch (operation) {
    case Operation::kGather:
    case Operation::kAllgather:
    case Operation::kNeighborAllgather:
      a.send = a.receive_at(runner.rank * a.receive_count);
      a.send_count = a.receive_count;
      break;
    case Operation::kGatherv:
    case Operation::kAllgatherv:
    case Operation::kNeighborAllgatherv:
      a.send = a.receive_at(a.receive_displacements[runner.rank]);
      a.send_count = a.receive_counts[runner.rank];
      break;
    case Operation::kReduceScatter: {
      Extent whole;
      whole.cover(0, a.total_receive_count(), a.receive_type);
      a.send = copied(runner, a.receive, whole);
      break;
    }
    default:
      a.send = copied(runner, a.receive, received(operation, a, runner.rank));
      a.send_count = a.receive_count;
      a.send_counts = a.receive_counts;
      a.send_displacements = a.receive_displacements;
      a.send_types = a.receive_types;
  }
  a.send_type = a.receive_type;
}

// Lifetime of the caller's count vectors. Programs such as mpi4py's Ireduce_scatter release their counts as soon as a
// nonblocking call returns, although MPI forbids it. Vectors of other calls are copied only if they lie where other
// ranks overwrite them: on the C stack, for a blocking call, or in variables of which each rank has its own.
enum class Vectors : std::uint8_t { kStay, kStayDuringCall, kGo };

void keep(Runner& runner, Integers& vector, std::int32_t count, Vectors vectors) {
  const bool stays = vectors == Vectors::kStay || (vectors == Vectors::kStayDuringCall && !on_c_stack(vector.data()));
  if (stays && permanent(vector.data()) == vector.data()) return;
  runner.keep(vector.move_to_copy(count));
}

int enter(const CollectiveCall& call, std::uint32_t NextCollectives::* kind, Entry& entry) {
  Communicator& communicator = *call.communicator;
  const std::int32_t rank = communicator.my_rank();
  std::uint32_t& next = communicator.next_collectives[rank].*kind;
  const std::uint32_t sequence = entry.sequence = std::exchange(next, next + 2);
  if (observers) notify(&Observer::collective_entered, call, sequence, kind == &NextCollectives::blocking);
  CollectiveSignature signature = call.signature;
  note_elements(call.operation, call.a, signature);
  signature.nodes_known = have_looked_for_nodes(communicator);
  const CollectiveMismatch mismatch = enter_collective(communicator, rank, sequence, signature);
  entry.sent = signature.sent;
  entry.received = signature.received;
  entry.nodes_known = signature.nodes_known;
  if (mismatch.error_class == 0) return 0;
  return fail(communicator.handle, mismatch.error_class, call.signature.call, "%s", mismatch.text.c_str());
}

bool is_empty(std::int64_t type) {
  const Datatype* const datatype = find_datatype(static_cast<std::int32_t>(type));
  return datatype && datatype->size == 0;
}

// Sets the counts of elements of zero bytes to 0. A count of 5 such elements on one rank may correspond to a count of 0
// on another rank, but the algorithms need equal counts.
void count_nothing(Runner& runner, Integers& counts, const Integers& types, std::int32_t type, std::int32_t blocks) {
  if (!types && !is_empty(type)) return;
  const auto is_nothing = [&](std::int32_t i) { return counts[i] > 0 && is_empty(types ? types[i] : type); };
  std::int32_t first = 0;
  while (first < blocks && !is_nothing(first)) ++first;
  if (first == blocks) return;
  std::vector<std::int64_t> all(blocks);
  for (std::int32_t i = 0; i < blocks; ++i) all[i] = is_nothing(i) ? 0 : counts[i];
  counts = Integers(all.data());
  runner.keep(counts.move_to_copy(blocks));
}

void count_nothing(Runner& runner, Arguments& a) {
  if (is_empty(a.send_type)) a.send_count = 0;
  if (a.send_counts) count_nothing(runner, a.send_counts, a.send_types, a.send_type, a.send_blocks);
  if (a.reduction.name) return;
  if (is_empty(a.receive_type)) a.receive_count = 0;
  if (a.receive_counts) count_nothing(runner, a.receive_counts, a.receive_types, a.receive_type, a.receive_blocks);
}

// Returns the bytes that the rank sends, or the bytes that it receives if it sends nothing.
std::int64_t own_bytes(const Arguments& a) {
  const auto total = [](const Integers& counts, const Integers& types, std::int32_t type, std::int32_t blocks) {
    std::int64_t bytes = 0;
    for (std::int32_t i = 0; i < blocks; ++i) {
      const Datatype* const each = find_datatype(types ? static_cast<std::int32_t>(types[i]) : type);
      if (each) bytes += counts[i] * each->size;
    }
    return bytes;
  };
  if (a.send_counts) return total(a.send_counts, a.send_types, a.send_type, a.send_blocks);
  if (a.send_count > 0) return a.send_bytes();
  if (a.receive_counts) return total(a.receive_counts, a.receive_types, a.receive_type, a.receive_blocks);
  return a.receive_bytes();
}

void notify_subject(const CollectiveCall& call) {
  const Fiber& thread = running_fiber();
  if (thread.outer_call) return;
  const std::int32_t root = call.signature.root >= 0 ? call.signature.root : CallSubject::kNobody;
  notify(&Observer::call_concerns, thread,
         CallSubject{call.communicator->handle, root, CallSubject::kNobody, own_bytes(call.a)});
  notify(&Observer::algorithm_chosen, thread, chosen_algorithm(call.operation));
}

// Returns the bytes of the buffers that the rank touches: what it sends and receives, and for a reduction another
// operand.
double touched_bytes(Operation operation, const Arguments& a, int rank) {
  const Extent out = sent(operation, a), in = received(operation, a, rank);
  const bool same = a.in_place || a.is_one_block(a.send, a.receive);
  std::int64_t bytes = in.end - in.begin + (same ? 0 : out.end - out.begin);
  if (a.reduction.name) bytes += std::max(in.end - in.begin, out.end - out.begin);
  return static_cast<double>(bytes);
}

// Returns the arguments for the schedule: MPI_IN_PLACE is resolved, and memory that may change during the call is
// copied.
Arguments prepare(Runner& runner, const CollectiveCall& call, Vectors vectors) {
  if (observers && inside_rank()) notify_subject(call);
  Arguments a = call.a;
  a.send = permanent(a.send);
  a.receive = permanent(a.receive);
  a.each_vector([&](Integers& vector, std::int32_t count) { keep(runner, vector, count, vectors); });
  resolve_in_place(call.operation, a, runner);
  count_nothing(runner, a);
  if (LocalWork::current().takes_time()) runner.touches(touched_bytes(call.operation, a, runner.rank));
  if (may_be_overwritten(a.send)) {
    const Extent extent = sent(call.operation, a);
    if (memory_of(a.send, extent.span()) == Memory::kStack) a.send = copied(runner, a.send, extent);
  }
  return a;
}

Schedule schedule(Runner& runner, const CollectiveCall& call, const Arguments& a, const Entry& entry) {
  runner.knows_nodes = entry.nodes_known;
  if (call.algorithm) return call.algorithm(runner, a);
  return collective_in_elements(call.operation, runner, a, entry.sent, entry.received);
}

// Returns the schedule of a nonblocking or persistent call, by the library's own algorithm for such calls if it has
// one.
Schedule nonblocking_schedule(Runner& runner, const CollectiveCall& call, const Arguments& a, const Entry& entry) {
  const Algorithm own = call.algorithm ? nullptr : nonblocking_algorithm(call.operation, call.communicator->inter());
  if (!own) return schedule(runner, call, a, entry);
  runner.continue_in_calls();
  return collective_in_elements(call.operation, runner, a, entry.sent, entry.received, own);
}

// Buffers to which a call refers after its return: none; the receive buffer, for a nonblocking call, which copies sent
// data from the stack; or both, for a persistent call.
enum class Lent : std::uint8_t { kDuringCall, kReceiveBuffer, kBoth };

// Refuses buffers on the C stack to which the call would refer after its return, and buffers of which only a part is on
// the stack, for which no copy can be made. Returns true when the rank is being stopped.
bool refuse_on_stack(const CollectiveCall& call, Lent lent) {
  const Arguments& a = call.a;
  const auto refused = [&](const void* buffer, bool is_lent, const char* name, const auto& extent) {
    if (buffer == kInPlace || !may_be_overwritten(buffer)) return false;  // other arguments are ignored then
    const Span span = extent().span();
    const Memory memory = memory_of(buffer, span);
    if (memory == Memory::kHeap || (memory == Memory::kStack && !is_lent)) return false;
    return refuse_memory(call.signature.call, name, buffer, span);
  };
  return inside_rank() &&
         (refused(a.receive, lent != Lent::kDuringCall, "the receive buffer",
                  [&] { return received(call.operation, a, call.communicator->my_rank()); }) ||
          refused(a.send, lent == Lent::kBoth, "the send buffer", [&] { return sent(call.operation, a); }));
}

int begin(const CollectiveCall& call, const Entry& entry, Vectors vectors, bool posts, RequestId& id) {
  Runner& runner = take_runner(*call.communicator, entry.sequence);
  Arguments a = prepare(runner, call, vectors);
  a.persistent = vectors == Vectors::kStay;
  a.each_type([&](std::int32_t type) { runner.hold(type); });
  if (posts) {
    id = add_posted(std::make_unique<PostedCollective>(call, a, runner, entry.sequence));
    if (observers) notify(&Observer::collective_started, call, id);
    // From now on, `call` may hold the arguments of another rank: all ranks share this object.
    return post_messages(id) ? 0 : kErrorStopped;
  }
  id = run_nonblocking(runner, nonblocking_schedule(runner, call, a, entry), call.signature.call);
  if (observers) notify(&Observer::collective_started, call, id);
  return 0;
}

// A receive buffer on the C stack, and the copy that receives the data instead. At the end, the data are copied to the
// buffer.
struct Bounce {
  void* to = nullptr;  // null if the receive buffer is not on the C stack
  const char* from = nullptr;
  std::size_t bytes = 0;
};

// Replaces a receive buffer on the C stack by a copy.
Bounce receive_elsewhere(Runner& runner, Operation operation, Arguments& a) {
  const Extent extent = received(operation, a, runner.rank);
  if (memory_of(a.receive, extent.span()) != Memory::kStack) return {};
  char* const on_stack = shifted(a.receive, extent.begin);
  a.receive = copied(runner, a.receive, extent);
  return {on_stack, shifted(a.receive, extent.begin), static_cast<std::size_t>(extent.end - extent.begin)};
}

// Performs everything before the rank blocks. It is not inlined so that its variables do not occupy the stack of the
// blocked rank.
[[gnu::noinline]] int set_out(const CollectiveCall& call, Runner*& runner, Schedule& ready, Bounce& bounce) {
  Entry entry;
  const bool may_be_mixed = !call.a.send || !call.a.receive;  // MPI_BOTTOM
  if (may_be_mixed && refuse_on_stack(call, Lent::kDuringCall)) return kErrorStopped;
  if (const int error = enter(call, &NextCollectives::blocking, entry)) return error;
  if (observers) notify(&Observer::collective_started, call, kNone);
  runner = &take_runner(*call.communicator, entry.sequence);
  Arguments a = prepare(*runner, call, Vectors::kStayDuringCall);
  if (may_be_overwritten(a.receive)) bounce = receive_elsewhere(*runner, call.operation, a);
  ready = schedule(*runner, call, a, entry);
  return 0;
}

}  // namespace

int run_collective(const CollectiveCall& call) {
  const char* const function = call.signature.call;
  const std::int32_t communicator = call.communicator->handle;
  Runner* runner = nullptr;
  Schedule ready;
  Bounce bounce;
  if (const int error = set_out(call, runner, ready, bounce)) return error;
  const Fault fault = run_blocking(*runner, std::move(ready), function);
  if (fault.error == kErrorStopped) return kErrorStopped;
  if (bounce.bytes > 0) std::memcpy(bounce.to, bounce.from, bounce.bytes);
  give_runner(*runner);
  if (fault.error == 0) return 0;
  if (observers && fault.error == kErrTruncate) notify(&Observer::collective_truncated, function);
  return fail(communicator, fault.error, function, "%s", describe_in_collective(fault).c_str());
}

int enter_persistent(const CollectiveCall& call, Entry& entry) {
  if (refuse_on_stack(call, Lent::kBoth)) return kErrorStopped;
  return enter(call, &NextCollectives::nonblocking, entry);
}

int start_collective(const CollectiveCall& call, RequestId& id) {
  Entry entry;
  if (refuse_on_stack(call, Lent::kReceiveBuffer)) return kErrorStopped;
  if (const int error = enter(call, &NextCollectives::nonblocking, entry)) return error;
  return begin(call, entry, Vectors::kGo, posts_messages(call), id);
}

int start_again(const CollectiveCall& call, const Entry& entry, RequestId& id) {
  return begin(call, entry, Vectors::kStay, false, id);
}

std::string describe_in_collective(const Fault& fault) {
  return fault.error == kErrTruncate ? "a message was longer than the receiving rank's buffer: the ranks' counts or "
                                       "datatypes do not match"
                                     : describe(fault);
}

}  // namespace pysmpi
