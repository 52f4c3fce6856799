// Counts the communication of each rank by kind.
#include "instrumentation/requirements/requirements.hpp"

#include <algorithm>
#include <cstring>

#include "collectives/call.hpp"
#include "counting/counts.hpp"
#include "engine/call_site.hpp"
#include "engine/simulation.hpp"
#include "engine/time_sources.hpp"

namespace pysmpi {

namespace {

// Returns the bytes of all blocks on one side of a call.
std::int64_t bytes_of_blocks(const Integers& counts, const Integers& types, std::int64_t count, std::int32_t type,
                             std::int32_t blocks) {
  std::int64_t bytes = 0;
  for (std::int32_t i = 0; i < blocks; ++i) {
    const Datatype* const each = find_datatype(types ? static_cast<std::int32_t>(types[i]) : type);
    if (each) bytes += (counts ? counts[i] : count) * each->size;
  }
  return bytes;
}

// Returns the bytes that the arguments of the call name: the data that the rank contributes, or the data that it gets
// if it contributes none.
std::int64_t asked_bytes(const CollectiveCall& call) {
  const Arguments& a = call.a;
  const bool in_place = a.send == kInPlace;
  switch (call.operation) {
    case Operation::kBarrier:
      return 0;
    case Operation::kBcast:
    case Operation::kReduce:
    case Operation::kAllreduce:
    case Operation::kScan:
    case Operation::kExscan:
      return a.receive_bytes();
    case Operation::kReduceScatter:
      return a.total_receive_bytes();
    case Operation::kGather:
    case Operation::kGatherv:
    case Operation::kAllgather:
    case Operation::kAllgatherv:
    case Operation::kNeighborAllgather:
    case Operation::kNeighborAllgatherv:
      if (!in_place) return a.send_bytes();
      return a.receive_count_of(call.communicator->my_rank()) * find_datatype(a.receive_type)->size;
    case Operation::kScatter:
    case Operation::kScatterv:
      if (!a.at_root) return a.receive_bytes();
      [[fallthrough]];
    default:
      if (in_place) {
        return bytes_of_blocks(a.receive_counts, a.receive_types, a.receive_count, a.receive_type, a.receive_blocks);
      }
      return bytes_of_blocks(a.send_counts, a.send_types, a.send_count, a.send_type, a.send_blocks);
  }
}

}  // namespace

Requirements::Row& Requirements::row_of(std::uint32_t kind, RankId rank) {
  const std::uint32_t row = pairs_.row(kind, static_cast<std::uint32_t>(rank));
  if (row == rows_.size()) rows_.emplace_back();
  return rows_[row];
}

std::uint32_t Requirements::kind_of(const char* function) {
  const auto found = std::find_if(functions_.begin(), functions_.end(), [&](const char* each) {
    return each == function || std::strcmp(each, function) == 0;
  });
  const auto place = static_cast<std::uint32_t>(found - functions_.begin());
  if (found == functions_.end()) functions_.push_back(function);
  return kFirstFunction + place;
}

void Requirements::call_begins(double /*now*/, const Fiber& thread, const char* /*function*/) {
  ComputationCounts::current().call_begins(thread.rank);
  const auto rank = static_cast<std::size_t>(thread.rank);
  if (site_of_.size() <= rank) site_of_.resize(simulation().fibers.size());
  site_of_[rank] = call_site();
}

void Requirements::computation_begins(double /*now*/, const Fiber& thread, const BySource& flops) {
  const auto rank = static_cast<std::size_t>(thread.rank);
  const auto& counts = ComputationCounts::current().by_rank;
  if (operations_.size() <= rank) operations_.resize(simulation().fibers.size());
  const std::uint64_t now = rank < counts.size() ? counts[rank].operations : 0;
  const double measured = flops.amounts[static_cast<std::size_t>(TimeSource::kMeasured)];
  measured_ += measured;
  if (now == operations_[rank]) unseen_ += measured;
  operations_[rank] = now;
}

void Requirements::message_sent(double /*now*/, const Request& send) {
  const std::uint32_t kind = send.is_transfer() ? kOneSided : function_ ? kind_of(function_) : kPointToPoint;
  Row& row = row_of(kind, send.owner);
  row.sent_bytes += send.bytes;
  ++row.sent_messages;
  const auto owner = static_cast<std::uint32_t>(send.owner);
  const std::uint32_t place = places_.row(owner < site_of_.size() ? site_of_[owner] : 0, owner);
  if (place == place_rows_.size()) place_rows_.emplace_back();
  place_rows_[place].sent_bytes += send.bytes;
  ++place_rows_[place].sent_messages;
  if (send.is_transfer()) {  // it needs no receive
    Row& received = row_of(kind, send.peer);
    received.received_bytes += send.bytes;
    ++received.received_messages;
    return;
  }
  if (kind_of_send_.size() <= send.number) kind_of_send_.resize(send.number + 1);
  kind_of_send_[send.number] = kind;
}

void Requirements::message_matched(double /*now*/, const Request& send, const Request& receive) {
  Row& row = row_of(kind_of_send_[send.number], receive.owner);
  row.received_bytes += send.bytes;
  ++row.received_messages;
}

void Requirements::algorithm_selected(const char* operation, const char* name) {
  const auto is_known = [&](const Choice& each) {
    return std::strcmp(each.operation, operation) == 0 && std::strcmp(each.algorithm, name) == 0;
  };
  if (!std::any_of(choices_.begin(), choices_.end(), is_known)) choices_.push_back({operation, name});
}

void Requirements::collective_started(const CollectiveCall& call, std::uint32_t /*request*/) {
  if (!inside_rank() || running_fiber().outer_call) return;  // an MPI function makes the call for its own purposes
  row_of(kind_of(call.signature.call), simulation().running).asked_bytes += asked_bytes(call);
}

void Requirements::file_accessed(RankId rank, bool writes, std::int64_t bytes) {
  if (bytes == 0) return;  // the file is opened, closed or flushed
  Row& row = row_of(kFiles, rank);
  (writes ? row.sent_bytes : row.received_bytes) += bytes;
  ++(writes ? row.sent_messages : row.received_messages);
}

}  // namespace pysmpi
