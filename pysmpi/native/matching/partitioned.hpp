// Partitioned communication (MPI 4.1, section 4.2): a persistent send whose partitions leave as the program marks them
// ready. Each partition is a message with the overheads and the protocol of a nonblocking send. The k-th send and the
// k-th receive created for the same communicator, ranks and tag match; their numbers of partitions may differ.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "matching/point_to_point.hpp"

namespace pysmpi {

// Create an inactive persistent request of `owner`. Each partition has `count` elements.
RequestId make_partitioned(Role role, RankId owner, Communicator& communicator, Envelope envelope, void* buffer,
                           std::int32_t partitions, std::int64_t count, const Datatype& datatype);
void start_partitioned(RequestId id);
void free_partitioned(RequestId id);

std::int32_t partitions_of(RequestId id);

// Functions for a started send: return the size of a partition in bytes, return whether a partition was marked ready,
// and mark a partition ready.
std::int64_t partition_bytes(RequestId id);
bool is_ready(RequestId id, std::int32_t partition);
void send_partition(RequestId id, std::int32_t partition);

// A started partitioned send or receive, for reports.
struct PartitionedState {
  std::int64_t bytes;      // size of all partitions together
  std::int32_t not_ready;  // number of partitions that are not marked ready; 0 for a receive
  std::int32_t first;      // the first partition that is not marked ready
};

// Return the state of the partitioned send or receive that the request belongs to, or nothing if it belongs to none.
std::optional<PartitionedState> find_partitioned(RequestId id);

// For a receive: return whether all data of the partition have arrived. The request may be inactive.
bool has_arrived(RequestId id, std::int32_t partition);

// The partitioned sends and receives of a simulation, and the channels that connect them.
struct PartitionedMessages : SimulationPart<PartitionedMessages> {
  struct Channel;

  // One side of a channel: a partitioned send or receive.
  struct End {
    RequestId id;
    Communicator* communicator;  // the side holds a reference to the communicator
    Envelope envelope;
    std::int32_t partitions;
    std::shared_ptr<Channel> channel;
    // Messages posted since the last MPI_Start, indexed by the send's partition; kNone if not posted.
    std::vector<RequestId> messages;
  };
  // A partitioned send and its matching receive. The send may be complete and freed before the receive is created.
  struct Channel {
    std::uint32_t context;  // context that only this channel uses; the tag of a message is the partition of the send
    std::int32_t sent_partitions = 0;  // 0: the send does not exist yet
    std::int64_t sent_bytes = 0;       // bytes in each partition
    bool has_receive = false;
    End* receive = nullptr;  // null after the receive is freed
  };
  using Key = std::tuple<std::uint32_t, RankId, RankId, std::int32_t>;  // context, sender, receiver, tag

  std::unordered_map<RequestId, std::unique_ptr<End>> ends;    // only looked up, so its order does not matter
  std::map<Key, std::deque<std::shared_ptr<Channel>>> halves;  // channels with only one side
};

}  // namespace pysmpi
