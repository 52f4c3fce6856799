// Accesses to files, in the time that they take: the file system's latency, the bytes on the disk, and where the disk
// is another host's, their way through the network (behind the disk when reading, before it when writing).
#pragma once

#include "engine/disks.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

struct Access {
  DiskId disk;
  HostId host;  // that the disk belongs to; kNone: the bytes cross no network
  Direction direction;
  double bytes;
  double latency;  // s, before all else
};

// Begins one in the name of the running rank. The request completes at its end, and its status tells `reported` bytes.
RequestId start_access(const Access& access, std::int64_t reported);

// Forgets the accesses under way. When a simulation ends.
void end_accesses();

}  // namespace pysmpi
