// Checks of collective calls: consistency with other ranks, and the memory that they use.
#include "engine/simulation.hpp"
#include "instrumentation/check/checker.hpp"
#include "instrumentation/check/signatures.hpp"

namespace pysmpi {

namespace {

// The buffers that a collective uses in the running rank. Arguments for the other buffers may have any value.
struct Used {
  bool sent = true, received = true;

  explicit Used(const CollectiveCall& call) {
    const Arguments& a = call.a;
    const bool inter = call.communicator->inter();
    const bool has_root = inter ? !a.at_root && a.root >= 0 : true;  // exchanges data with the root
    switch (call.operation) {
      case Operation::kBarrier:
        sent = received = false;
        break;
      case Operation::kBcast:
        sent = a.at_root;
        received = !a.at_root && has_root;
        break;
      case Operation::kReduce:
      case Operation::kGather:
      case Operation::kGatherv:
        sent = has_root;
        received = a.at_root;
        break;
      case Operation::kScatter:
      case Operation::kScatterv:
        sent = a.at_root;
        received = has_root;
        break;
      case Operation::kExscan:
        received = call.communicator->my_rank() > 0;
        break;
      default:
        sent = a.send_blocks > 0;
        received = a.receive_blocks > 0;
    }
    // There may be gaps between the blocks of vector collectives, so their buffers are not watched.
    sent = sent && a.send != kInPlace && !a.send_counts && !a.send_types;
    received = received && a.receive != kInPlace && !a.receive_types &&
               (!a.receive_counts || call.operation == Operation::kReduceScatter);
  }
};

// Call `visit(region, writes)` for each contiguous buffer of the running rank.
template <class Visit>
void each_buffer(const CollectiveCall& call, Visit&& visit) {
  const Arguments& a = call.a;
  const Used used(call);
  const void* from = a.send;
  std::int64_t sent = a.send_count, received = a.receive_count;
  std::int32_t send_type = a.send_type;
  switch (call.operation) {
    case Operation::kBcast:
      from = a.receive;
      [[fallthrough]];
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
      sent = a.receive_count;
      send_type = a.receive_type;
      break;
    case Operation::kReduceScatter:
      sent = a.total_receive_count();
      send_type = a.receive_type;
      received = a.receive_count_of(call.communicator->my_rank());
      break;
    case Operation::kGather:
    case Operation::kAllgather:
    case Operation::kNeighborAllgather:
      received *= a.receive_blocks;
      break;
    case Operation::kScatter:
      sent *= a.send_blocks;
      break;
    case Operation::kAlltoall:
    case Operation::kNeighborAlltoall:
      sent *= a.send_blocks;
      received *= a.receive_blocks;
      break;
    default:
      break;
  }
  const auto look = [&visit](const void* buffer, std::int64_t count, std::int32_t type, bool writes) {
    const Datatype* const datatype = count > 0 ? find_datatype(type) : nullptr;
    if (datatype) visit(MemoryRegion{static_cast<char*>(const_cast<void*>(buffer)), count, datatype}, writes);
  };
  if (used.sent) look(from, sent, send_type, false);
  if (used.received) look(a.receive, received, a.receive_type, true);
}

}  // namespace

void MistakeFinder::collective_entered(const CollectiveCall& call, std::uint32_t sequence, bool) {
  if (!inside_rank()) return;
  const Party own{simulation().running, call_site()};
  if (!running_fiber().outer_call) order_.enter(*call.communicator, call.signature.call, own);
  meetings_.enter(call, sequence, own);
}

void MistakeFinder::object_call_entered(const Communicator& communicator, const char* function) {
  order_.enter(communicator, function, {simulation().running, call_site()});
}

void MistakeFinder::collective_started(const CollectiveCall& call, std::uint32_t request) {
  if (request == kNone) {
    each_buffer(call,
                [&](const MemoryRegion& region, bool writes) { ownership_.look(call.signature.call, region, writes); });
    return;
  }
  ownership_.note_site(request);
  each_buffer(call,
              [&](const MemoryRegion& region, bool writes) { ownership_.take(request, region, writes, !writes); });
}

void MistakeFinder::collective_truncated(const char* call) {
  const Party own{simulation().running, call_site()};
  if (is_found("mismatched-count", own.site)) return;
  if (Finding* const found = note_finding("mismatched-count", own, own)) {
    found->text = "rank " + std::to_string(own.rank) + " calls " + call + at(own) +
                  " with a buffer smaller than the data from another rank";
  }
}

}  // namespace pysmpi
