// Partitioned communication (MPI 4.1, section 4.2): a persistent send whose parts leave as the program declares them
// ready, each as a message of its own with the overheads and the protocol of a nonblocking send. The k-th send and the
// k-th receive that are made for the same communicator, ranks and tag belong together; their numbers of partitions may
// differ.
#pragma once

#include "matching/point_to_point.hpp"

namespace pysmpi {

// An inactive persistent request of `owner`. `kind`: kIsSend or kIsReceive; `count` elements a partition.
RequestId make_partitioned(RequestFlag kind, RankId owner, Communicator& communicator, Envelope envelope, void* buffer,
                           std::int32_t partitions, std::int64_t count, const Datatype& datatype);
void start_partitioned(RequestId id);
void free_partitioned(RequestId id);

std::int32_t partitions_of(RequestId id);

// Of a send that has been started: its bytes; whether it is on its way; and: now it is.
std::int64_t partition_bytes(RequestId id);
bool is_ready(RequestId id, std::int32_t partition);
void send_partition(RequestId id, std::int32_t partition);

// Of a receive: all that belongs to the partition is there. Also while the request is inactive.
bool has_arrived(RequestId id, std::int32_t partition);

void end_partitioned();

}  // namespace pysmpi
