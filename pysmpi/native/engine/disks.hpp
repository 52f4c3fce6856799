// Disks: reads share a disk's read bandwidth fairly, writes its write bandwidth, and all of them together the greater
// of the two (SimGrid 3.32's model of disks, src/surf/disk_s19.cpp, with DiskImpl's default for the sum). All reads of
// a disk go at one rate and all writes at another, so a disk keeps one clock of the bytes moved for each access of
// either kind, as a host does of its work (engine/processor.hpp). Behind the disks of the platform stands one more: the
// file system that holds whatever lies on none of them.
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

using DiskId = std::uint32_t;  // in the order of the description

enum class Direction : std::uint8_t { kRead, kWrite };

class Disks {
 public:
  // Bandwidths of the file system in bytes/s.
  void reset(const Platform& platform, double read_bandwidth, double write_bandwidth);
  DiskId file_system() const { return static_cast<DiskId>(disks_.size() - 1); }

  // Starts moving bytes at `now`; the waiter's pending count is to include it.
  void access(double now, DiskId disk, Direction direction, double bytes, Waiter* waiter);

  double next() const { return ends_.next_time(); }
  bool is_worn_out() const { return ends_.is_worn_out(); }

  // Completes the accesses due at `now` (within `precision` seconds), disk by disk; returns how many.
  std::size_t settle(double now, double precision);

 private:
  struct Access {
    double ends_at;  // on the clock of bytes
    std::uint64_t sequence;
    Waiter* waiter;
    bool operator<(const Access& other) const {  // std::priority_queue keeps the greatest on top
      return ends_at > other.ends_at || (ends_at == other.ends_at && sequence > other.sequence);
    }
  };
  struct Channel {
    double bandwidth = 0.0;
    double moved = 0.0;  // for each access since the channel was last idle, bytes
    double rate = 0.0;   // of each access, bytes/s
    std::priority_queue<Access> accesses;
  };
  struct Disk {
    std::array<Channel, 2> channels;  // by direction
    double last_update = 0.0;
  };
  void add(double read_bandwidth, double write_bandwidth);
  static void go_on(Disk& disk, double now);
  static void share(Disk& disk);
  void reschedule(DiskId id, double now);

  std::vector<Disk> disks_;
  DatedHeap ends_;  // the next one on each busy disk
  std::uint64_t next_sequence_ = 0;
};

}  // namespace pysmpi
