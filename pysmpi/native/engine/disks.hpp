// Disks. Reads share a disk's read bandwidth fairly, writes share its write bandwidth, and all accesses together share
// the greater of the two (SimGrid 3.32's disk model, src/surf/disk_s19.cpp, with DiskImpl's default for the sum). All
// reads of a disk have the same rate, and so have all writes. Therefore a disk only keeps, for each direction, the
// bytes moved per access since it was idle, as a host does for computation (engine/processor.hpp). One additional disk
// represents the file system, which stores everything that is on no disk of the platform.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

#include "base/dated_heap.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"

namespace pysmpi {

class Platform;

using DiskId = std::uint32_t;  // in the order of the platform description

enum class Direction : std::uint8_t { kRead, kWrite };

class Disks {
 public:
  // `read_bandwidth` and `write_bandwidth` are the bandwidths of the file system, in bytes/s.
  void reset(const Platform& platform, double read_bandwidth, double write_bandwidth);
  DiskId file_system() const { return static_cast<DiskId>(disks_.size() - 1); }

  // Start an access of `bytes` bytes at `now`. When the access ends, one completion of the waiter is counted, so the
  // caller must have included the access in Waiter::pending.
  void access(double now, DiskId disk, Direction direction, double bytes, Waiter* waiter);

  double next() const { return ends_.next_time(); }
  bool is_worn_out() const { return ends_.is_worn_out(); }

  // Complete the accesses due at `now` (within `precision` seconds), disk by disk. Returns their number.
  std::size_t settle(double now, double precision);

 private:
  struct Access {
    double ends_at;  // value of Channel::moved at which the access ends
    std::uint64_t sequence;
    Waiter* waiter;
    bool operator<(const Access& other) const {  // std::priority_queue keeps the greatest entry on top
      return ends_at > other.ends_at || (ends_at == other.ends_at && sequence > other.sequence);
    }
  };
  struct Channel {
    double bandwidth = 0.0;
    double moved = 0.0;  // bytes moved per access since the channel was last idle
    double rate = 0.0;   // rate of each access, in bytes/s
    std::priority_queue<Access> accesses;
  };
  struct Disk {
    std::array<Channel, 2> channels;  // indexed by Direction
    double last_update = 0.0;
  };
  void add(double read_bandwidth, double write_bandwidth);
  static void go_on(Disk& disk, double now);
  static void share(Disk& disk);
  void reschedule(DiskId id, double now);

  std::vector<Disk> disks_;
  DatedHeap ends_;  // next end on each busy disk
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
