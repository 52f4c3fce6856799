// Checks of collective calls: consistency with other ranks, and the memory that they use.
#include "engine/simulation.hpp"
#include "instrumentation/check/checker.hpp"
#include "instrumentation/check/signatures.hpp"

namespace pysmpi {

namespace {

// Call `visit(elements, writes)` for each contiguous buffer of the running rank. Buffers of vector collectives are left
// out, because there may be gaps between their blocks.
template <class Visit>
void each_buffer(const CollectiveCall& call, Visit&& visit) {
  const Arguments& a = call.a;
  std::int64_t sent = a.send_count, received = a.receive_count;
  bool sends = a.send != kInPlace && !a.send_counts && !a.send_types;
  bool receives = a.receive != kInPlace && !a.receive_counts && !a.receive_types;
  std::int32_t send_type = a.send_type;
  const bool reduces = a.reduction.name != nullptr;
  if (reduces) {
    sent = call.operation == Operation::kReduceScatter ? a.total_receive_count() : a.receive_count;
    send_type = a.receive_type;
    receives = receives && (call.operation != Operation::kReduce || a.at_root);
  }
  switch (call.operation) {
    case Operation::kBcast:
      if (a.at_root) visit(Elements{static_cast<char*>(a.receive), received, find_datatype(a.receive_type)}, false);
      if (!a.at_root) visit(Elements{static_cast<char*>(a.receive), received, find_datatype(a.receive_type)}, true);
      return;
    case Operation::kGather:
      received *= a.receive_blocks;
      break;
    case Operation::kScatter:
      sent *= a.send_blocks;
      break;
    case Operation::kAllgather:
    case Operation::kNeighborAllgather:
      received *= a.receive_blocks;
      break;
    case Operation::kAlltoall:
    case Operation::kNeighborAlltoall:
      sent *= a.send_blocks;
      received *= a.receive_blocks;
      break;
    default:
      break;
  }
  const Datatype *const out = find_datatype(send_type), *const in = find_datatype(a.receive_type);
  if (sends && out && sent > 0) visit(Elements{static_cast<char*>(const_cast<void*>(a.send)), sent, out}, false);
  if (receives && in && received > 0) visit(Elements{static_cast<char*>(a.receive), received, in}, true);
}

}  // namespace

void MistakeFinder::collective_entered(const CollectiveCall& call, std::uint32_t sequence, bool) {
  if (!inside_rank()) return;
  meetings_.enter(call, sequence, {simulation().running, call_site()});
}

void MistakeFinder::collective_started(const CollectiveCall& call, std::uint32_t request) {
  if (request == kNone) {
    each_buffer(call, [&](const Elements& elements, bool writes) {
      if (elements.type) ownership_.look(call.signature.call, elements, writes);
    });
    return;
  }
  ownership_.note_site(request);
  each_buffer(call, [&](const Elements& elements, bool writes) {
    if (elements.type) ownership_.take(request, elements, writes, !writes);
  });
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
