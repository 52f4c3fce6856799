// Collectives in time-independent traces. The format contains only blocking collectives of all ranks.
#include <string>

#include "collectives/call.hpp"
#include "engine/simulation.hpp"
#include "instrumentation/ti_trace/ti_trace.hpp"

namespace pysmpi {

namespace {

// A datatype of the program as the trace represents it. The trace format numbers only some datatypes. If one of them
// has the same length as the program's datatype, it stands for it; otherwise bytes do.
struct Elements {
  int number;           // trace number of the datatype
  std::int64_t factor;  // elements of that datatype in one element of the program's
};

Elements elements_of(std::int32_t type) {
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
  Arguments args = call.a;
  const bool sends_in_place = args.send == kInPlace, receives_in_place = args.receive == kInPlace;
  const std::int32_t ranks = communicator.size();
  if (receives_in_place) {
    args.receive_type = args.send_type;
    args.receive_count = args.send_counts ? args.send_counts[rank] : args.send_count;
  }
  if (sends_in_place) {
    args.send_type = args.receive_type;
    args.send_count = args.receive_counts ? args.receive_counts[rank] : args.receive_count;
    args.send_counts = args.receive_counts;
  }
  const Elements in = elements_of(args.send_type), out = elements_of(args.receive_type);
  const auto number = [](std::int64_t value) { return " " + std::to_string(value); };
  const std::string sent = number(args.send_count * in.factor), received = number(args.receive_count * out.factor);
  const std::string root = number(args.root), types = number(in.number) + number(out.number);
  std::string text;
  switch (call.operation) {
    case Operation::kBarrier:
      text = "barrier";
      break;
    case Operation::kBcast:
      text = "bcast" + received + root + number(out.number);
      break;
    case Operation::kReduce:
      text = "reduce" + received + " 0" + root + number(out.number);
      break;
    case Operation::kAllreduce:
      text = "allreduce" + received + " 0" + number(out.number);
      break;
    case Operation::kScan:
      text = "scan" + received + " 0" + number(out.number);
      break;
    case Operation::kExscan:
      text = "exscan" + received + " 0" + number(out.number);
      break;
    case Operation::kReduceScatter: {
      text = "reducescatter";
      for (int i = 0; i < ranks; ++i) text += number(args.receive_count_of(i) * out.factor);
      text += " 0" + number(out.number);
      break;
    }
    case Operation::kGather:
      text = "gather" + sent + (args.at_root ? received : sent) + root + number(in.number) +
             number(args.at_root ? out.number : in.number);
      break;
    case Operation::kScatter:
      text = "scatter" + (args.at_root ? sent : received) + received + root +
             number(args.at_root ? in.number : out.number) + number(out.number);
      break;
    case Operation::kAllgather:
      text = "allgather" + sent + received + types;
      break;
    case Operation::kAlltoall:
      text = "alltoall" + sent + received + types;
      break;
    case Operation::kGatherv:
      text = "gatherv" + sent + listed(args.at_root ? args.receive_counts : Integers(), ranks, out.factor) + root +
             number(in.number) + number(args.at_root ? out.number : in.number);
      break;
    case Operation::kScatterv:
      text = "scatterv" + listed(args.at_root ? args.send_counts : Integers(), ranks, in.factor) + received + root +
             number(args.at_root ? in.number : out.number) + number(out.number);
      break;
    case Operation::kAllgatherv:
      text = "allgatherv" + sent + listed(args.receive_counts, ranks, out.factor) + types +
             prefix_sums(args.receive_counts, ranks, out.factor);
      break;
    case Operation::kAlltoallv:
      text = "alltoallv" + number(total(args.send_counts, ranks) * in.factor) +
             listed(args.send_counts, ranks, in.factor) + number(total(args.receive_counts, ranks) * out.factor) +
             listed(args.receive_counts, ranks, out.factor) + types;
      break;
    default:
      other_operation(rank, call.signature.call);
      return;
  }
  this->text(rank, text);
}

}  // namespace pysmpi
