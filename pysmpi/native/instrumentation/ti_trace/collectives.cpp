// Collectives in time-independent traces. The format contains only blocking collectives of all ranks.
#include <string>

#include "collectives/call.hpp"
#include "engine/simulation.hpp"
#include "instrumentation/ti_trace/ti_trace.hpp"

namespace pysmpi {

namespace {

// A datatype of the program as the trace represents it. The trace format numbers only some datatypes. If one of them
// has the same length as the program's datatype, it stands for it; otherwise bytes do.
struct TracedType {
  int number;           // trace number of the datatype
  std::int64_t factor;  // elements of that datatype in one element of the program's
};

TracedType traced_type(std::int32_t type) {
  const Datatype* const datatype = find_datatype(type);
  if (!datatype) return {6, 0};
  if (datatype->extent == datatype->size) {
    switch (datatype->size) {
      case 2:
        return {3, 1};
      case 4:
        return {1, 1};
      case 8:
        return {0, 1};
      case 16:
        return {14, 1};
      case 32:
        return {27, 1};
    }
  }
  return {6, datatype->size};
}

bool is_like_world(const Communicator& communicator) {
  const auto ranks = static_cast<std::int32_t>(simulation().fibers.size());
  if (communicator.self || communicator.inter() || communicator.size() != ranks) return false;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    if (communicator.world(rank) != rank) return false;
  }
  return true;
}

std::string listed(const Integers& counts, std::int32_t number, std::int64_t factor) {
  std::string text;
  for (std::int32_t i = 0; i < number; ++i) text += " " + std::to_string((counts ? counts[i] : 0) * factor);
  return text;
}

std::int64_t total(const Integers& counts, std::int32_t number) {
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < number; ++i) sum += counts[i];
  return sum;
}

std::string prefix_sums(const Integers& counts, std::int32_t number, std::int64_t factor) {
  std::string text;
  std::int64_t sum = 0;
  for (std::int32_t i = 0; i < number; ++i) {
    text += " " + std::to_string(sum);
    sum += counts[i] * factor;
  }
  return text;
}

// Return the arguments with the count and datatype of the other side where a side is MPI_IN_PLACE.
Arguments without_in_place(Arguments args, RankId rank) {
  const bool sends_in_place = args.send == kInPlace, receives_in_place = args.receive == kInPlace;
  if (receives_in_place) {
    args.receive_type = args.send_type;
    args.receive_count = args.send_counts ? args.send_counts[rank] : args.send_count;
  }
  if (sends_in_place) {
    args.send_type = args.receive_type;
    args.send_count = args.receive_counts ? args.receive_counts[rank] : args.receive_count;
    args.send_counts = args.receive_counts;
  }
  return args;
}

std::string number(std::int64_t value) { return " " + std::to_string(value); }

// Return the line of a gather or scatter. Where a side matters at the root only, others write what they know instead:
// their own side's size and datatype, and zeros as counts.
std::string rooted_line(Operation operation, const Arguments& args, std::int32_t ranks) {
  const TracedType in = traced_type(args.send_type), out = traced_type(args.receive_type);
  const std::string sent = number(args.send_count * in.factor), received = number(args.receive_count * out.factor);
  const std::string root = number(args.root);
  const std::string gathered = root + number(in.number) + number(args.at_root ? out.number : in.number);
  const std::string scattered = root + number(args.at_root ? in.number : out.number) + number(out.number);
  switch (operation) {
    case Operation::kGather:
      return "gather" + sent + (args.at_root ? received : sent) + gathered;
    case Operation::kGatherv:
      return "gatherv" + sent + listed(args.at_root ? args.receive_counts : Integers(), ranks, out.factor) + gathered;
    case Operation::kScatter:
      return "scatter" + (args.at_root ? sent : received) + received + scattered;
    case Operation::kScatterv:
      return "scatterv" + listed(args.at_root ? args.send_counts : Integers(), ranks, in.factor) + received + scattered;
    default:
      return {};
  }
}

// Return the action and its arguments; empty if the format does not have the operation.
std::string line_of(Operation operation, const Arguments& args, std::int32_t ranks) {
  const TracedType in = traced_type(args.send_type), out = traced_type(args.receive_type);
  const std::string sent = number(args.send_count * in.factor), received = number(args.receive_count * out.factor);
  const std::string root = number(args.root), types = number(in.number) + number(out.number);
  const std::string reduced = received + " 0" + number(out.number);
  switch (operation) {
    case Operation::kBarrier:
      return "barrier";
    case Operation::kBcast:
      return "bcast" + received + root + number(out.number);
    case Operation::kReduce:
      return "reduce" + received + " 0" + root + number(out.number);
    case Operation::kAllreduce:
      return "allreduce" + reduced;
    case Operation::kScan:
      return "scan" + reduced;
    case Operation::kExscan:
      return "exscan" + reduced;
    case Operation::kReduceScatter: {
      std::string text = "reducescatter";
      for (int i = 0; i < ranks; ++i) text += number(args.receive_count_of(i) * out.factor);
      return text + " 0" + number(out.number);
    }
    case Operation::kAllgather:
      return "allgather" + sent + received + types;
    case Operation::kAlltoall:
      return "alltoall" + sent + received + types;
    case Operation::kAllgatherv:
      return "allgatherv" + sent + listed(args.receive_counts, ranks, out.factor) + types +
             prefix_sums(args.receive_counts, ranks, out.factor);
    case Operation::kAlltoallv:
      return "alltoallv" + number(total(args.send_counts, ranks) * in.factor) +
             listed(args.send_counts, ranks, in.factor) + number(total(args.receive_counts, ranks) * out.factor) +
             listed(args.receive_counts, ranks, out.factor) + types;
    default:
      return rooted_line(operation, args, ranks);
  }
}

}  // namespace

void TiTrace::collective_started(const CollectiveCall& call, std::uint32_t request) {
  if (request != kNone) other_operation(simulation().running, call.signature.call);
}

void TiTrace::collective_entered(const CollectiveCall& call, std::uint32_t, bool blocking) {
  const RankId rank = simulation().running;
  if (!blocking) return;
  const Communicator& communicator = *call.communicator;
  if (communicator.size() == 1 && !communicator.inter() && simulation().fibers.size() > 1) return;  // takes no time
  if (!is_like_world(communicator)) {
    const std::string what = std::string(call.signature.call) + " on a communicator other than MPI_COMM_WORLD";
    other_operation(rank, what.c_str());
    return;
  }
  const std::string line = line_of(call.operation, without_in_place(call.a, rank), communicator.size());
  if (line.empty()) return other_operation(rank, call.signature.call);
  text(rank, line);
}

}  // namespace pysmpi
