#include "collectives/call.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/selector.hpp"
#include "engine/fiber.hpp"
#include "matching/failures.hpp"
#include "objects/errors.hpp"

namespace pysmpi {

namespace {

// The elements that a rank's buffers hold, or bytes from the first to the last one touched.
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
};

void cover_blocks(Extent& extent, int blocks, const int* counts, const int* displacements, std::int32_t type) {
  const std::int64_t step = find_datatype(type)->extent;
  for (int i = 0; i < blocks; ++i) extent.cover(displacements[i] * step, counts[i], type);
}

std::int64_t total_count(const Arguments& a, int size) {
  std::int64_t total = 0;
  for (int i = 0; i < size; ++i) total += a.receive_count_of(i);
  return total;
}

Extent sent(Operation operation, const Arguments& a, int rank, int size) {
  Extent extent;
  const bool at_root = rank == a.root;
  switch (operation) {
    case Operation::kBarrier:
    case Operation::kBcast:
      break;
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
      extent.cover(0, a.receive_count, a.receive_type);
      break;
    case Operation::kReduceScatter:
      extent.cover(0, total_count(a, size), a.receive_type);
      break;
    case Operation::kGather:
    case Operation::kGatherv:
    case Operation::kAllgather:
    case Operation::kAllgatherv:
      extent.cover(0, a.send_count, a.send_type);
      break;
    case Operation::kScatter:
      extent.cover(0, at_root ? size * a.send_count : 0, a.send_type);
      break;
    case Operation::kAlltoall:
      extent.cover(0, size * a.send_count, a.send_type);
      break;
    case Operation::kScatterv:
      if (at_root) cover_blocks(extent, size, a.send_counts, a.send_displacements, a.send_type);
      break;
    case Operation::kAlltoallv:
      cover_blocks(extent, size, a.send_counts, a.send_displacements, a.send_type);
      break;
    case Operation::kAlltoallw:
      for (int i = 0; i < size; ++i) extent.cover(a.send_displacements[i], a.send_counts[i], a.send_types[i]);
      break;
  }
  return extent;
}

Extent received(Operation operation, const Arguments& a, int rank, int size) {
  Extent extent;
  const bool at_root = rank == a.root;
  switch (operation) {
    case Operation::kBarrier:
      break;
    case Operation::kBcast:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
    case Operation::kScatter:
    case Operation::kScatterv:
      extent.cover(0, a.receive_count, a.receive_type);
      break;
    case Operation::kReduce:
      extent.cover(0, at_root ? a.receive_count : 0, a.receive_type);
      break;
    case Operation::kReduceScatter:
      extent.cover(0, a.receive_count_of(rank), a.receive_type);
      break;
    case Operation::kGather:
      extent.cover(0, at_root ? size * a.receive_count : 0, a.receive_type);
      break;
    case Operation::kAllgather:
    case Operation::kAlltoall:
      extent.cover(0, size * a.receive_count, a.receive_type);
      break;
    case Operation::kGatherv:
      if (!at_root) break;
      [[fallthrough]];
    case Operation::kAllgatherv:
    case Operation::kAlltoallv:
      cover_blocks(extent, size, a.receive_counts, a.receive_displacements, a.receive_type);
      break;
    case Operation::kAlltoallw:
      for (int i = 0; i < size; ++i) extent.cover(a.receive_displacements[i], a.receive_counts[i], a.receive_types[i]);
      break;
  }
  return extent;
}

// A copy of what `extent` covers, kept with the runner. The buffer's address in it.
char* copied(Runner& runner, const void* buffer, Extent extent) {
  const std::int64_t bytes = extent.end - extent.begin;
  if (bytes == 0) return static_cast<char*>(const_cast<void*>(buffer));
  char* copy_of_it = runner.keep(Scratch(bytes, kByte, buffer));
  copy(static_cast<const char*>(buffer) + extent.begin, bytes, kByte, copy_of_it, bytes, kByte);
  return copy_of_it - extent.begin;
}

// Says where the data of a side that is MPI_IN_PLACE come from: the same address when they only stay where they are,
// else a copy.
void resolve_in_place(Operation operation, Arguments& a, Runner& runner) {
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
      a.send = a.receive_at(runner.rank * a.receive_count);
      a.send_count = a.receive_count;
      break;
    case Operation::kGatherv:
    case Operation::kAllgatherv:
      a.send = a.receive_at(a.receive_displacements[runner.rank]);
      a.send_count = a.receive_counts[runner.rank];
      break;
    case Operation::kReduceScatter: {
      Extent whole;
      whole.cover(0, total_count(a, runner.size), a.receive_type);
      a.send = copied(runner, a.receive, whole);
      break;
    }
    default:
      a.send = copied(runner, a.receive, received(operation, a, runner.rank, runner.size));
      a.send_count = a.receive_count;
      a.send_counts = a.receive_counts;
      a.send_displacements = a.receive_displacements;
      a.send_types = a.receive_types;
  }
  a.send_type = a.receive_type;
}

template <class T>
void move_off_stack(Runner& runner, const T*& vector, int size) {
  if (!vector || !on_c_stack(vector)) return;
  char* copy_of_it = runner.keep(Scratch(static_cast<std::int64_t>(size * sizeof(T))));
  std::memcpy(copy_of_it, vector, size * sizeof(T));
  vector = reinterpret_cast<const T*>(copy_of_it);
}

}  // namespace

int call_collective(Operation operation, Communicator& communicator, Arguments a,
                    const CollectiveSignature& signature) {
  const std::int32_t rank = communicator.my_rank(), size = communicator.size();
  const std::uint32_t sequence = size > 1 ? communicator.collectives_entered[rank]++ : 0;
  const CollectiveMismatch mismatch = enter_collective(communicator, rank, sequence, signature);
  if (mismatch.error_class != 0) {
    return fail(communicator.handle, mismatch.error_class, signature.call, "%s", mismatch.text.c_str());
  }
  Runner& runner = take_runner(communicator, sequence);
  for (const int** vector : {&a.send_counts, &a.send_displacements, &a.send_types, &a.receive_counts,
                             &a.receive_displacements, &a.receive_types}) {
    move_off_stack(runner, *vector, size);
  }
  resolve_in_place(operation, a, runner);
  if (a.send && on_c_stack(a.send)) a.send = copied(runner, a.send, sent(operation, a, rank, size));
  void* const on_stack = a.receive && on_c_stack(a.receive) ? a.receive : nullptr;
  const Extent bounced = on_stack ? received(operation, a, rank, size) : Extent{};
  if (on_stack) a.receive = copied(runner, a.receive, bounced);

  const Fault fault = run_blocking(runner, select_algorithm(operation, a, size)(runner, a), signature.call);
  if (fault.error == kErrorStopped) return kErrorStopped;
  if (on_stack) {
    std::memcpy(static_cast<char*>(on_stack) + bounced.begin, static_cast<char*>(a.receive) + bounced.begin,
                bounced.end - bounced.begin);
  }
  give_runner(runner);
  if (fault.error == 0) return 0;
  const std::string text =
      fault.error == kErrTruncate
          ? "a message was longer than the room that another rank's call leaves for it: the ranks' "
            "counts or datatypes do not match"
          : describe(fault);
  return fail(communicator.handle, fault.error, signature.call, "%s", text.c_str());
}

}  // namespace pysmpi
