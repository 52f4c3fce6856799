// Partitioned communication (MPI 4.1, section 4.2): a persistent send whose partitions leave as the program marks them
// ready. Each one is a message with the overheads and the protocol of a nonblocking send. The k-th send and the k-th
// receive created for the same communicator, ranks and tag match; their numbers of partitions may differ.
#pragma once

#include "matching/point_to_point.hpp"

namespace pysmpi {

// Create an inactive persistent request of `owner`. `kind` is kIsSend or kIsReceive; each partition has `count`
// elements.
RequestId make_partitioned(RequestFlag kind, RankId owner, Communicator& communicator, Envelope envelope, void* buffer,
                           std::int32_t partitions, std::int64_t count, const Datatype& datatype);
void start_partitioned(RequestId id);
void free_partitioned(RequestId id);

std::int32_t partitions_of(RequestId id);

// For a started send: bytes of a partition, whether a partition was marked ready, and marking it ready.
std::int64_t partition_bytes(RequestId id);
bool is_ready(RequestId id, std::int32_t partition);
void send_partition(RequestId id, std::int32_t partition);

// For a receive: return whether all data of the partition have arrived. The request may be inactive.
bool has_arrived(RequestId id, std::int32_t partition);

void end_partitioned();

}  // namespace pysmpi
