// Simulated time of file accesses: the file system's latency, the disk's transfer of the bytes and, if the disk belongs
// to another host, their transfer over the network. A read uses the network after the disk, a write before it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/disks.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

struct FileAccess {
  DiskId disk;
  HostId host;  // host of the disk, or kNone if the bytes cross no network
  Direction direction;
  double bytes;
  double latency;  // seconds, before all other steps
};

// Starts an access for the running rank. The request completes at the end of the access. The program then finds
// `reported` in the status as the number of bytes transferred.
RequestId start_access(const FileAccess& access, std::int64_t reported);

class RunningAccess;

struct Accesses : SimulationPart<Accesses> {
  Accesses();
  ~Accesses();

  std::vector<std::unique_ptr<RunningAccess>> all;
  std::vector<RunningAccess*> unused;
  std::uint64_t next_message = 0;  // number of the next message over the network, for random routing
};

}  // namespace pysmpi
