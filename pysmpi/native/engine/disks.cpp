// Computes the rates of disk accesses and the times of their ends.
#include "engine/disks.hpp"

#include <algorithm>

#include "platform/platform.hpp"

namespace pysmpi {

void Disks::reset(const Platform& platform, double read_bandwidth, double write_bandwidth) {
  disks_.clear();
  for (const DiskSettings& disk : platform.disks()) add(disk.read_bandwidth, disk.write_bandwidth);
  add(read_bandwidth, write_bandwidth);
}

void Disks::add(double read_bandwidth, double write_bandwidth) {
  Disk& disk = disks_.emplace_back();
  disk.channels[0].bandwidth = read_bandwidth;
  disk.channels[1].bandwidth = write_bandwidth;
}

void Disks::go_on(Disk& disk, double now) {
  for (Channel& channel : disk.channels) channel.moved += channel.rate * (now - disk.last_update);
  disk.last_update = now;
}

// Share the disk by max-min fairness. The rates of all accesses rise together until the whole disk or one direction is
// full; then the other direction gets the rest. Example: a disk reads 100 and writes 60 bytes/s, so 100 in total. With
// one read and one write, both rise to 50. With one read and three writes, the writes stop at 20 each (60), and the
// read gets the remaining 40.
void Disks::share(Disk& disk) {
  auto& [reads, writes] = disk.channels;
  const double total = std::max(reads.bandwidth, writes.bandwidth);
  const auto readers = static_cast<double>(reads.accesses.size());
  const auto writers = static_cast<double>(writes.accesses.size());
  const double level = readers + writers > 0.0 ? total / (readers + writers) : 0.0;
  const auto rise = [&](Channel& first, double of_first, Channel& second, double of_second) {
    first.rate = std::min(first.bandwidth / of_first, level);
    second.rate = std::min(second.bandwidth, total - first.rate * of_first) / of_second;
  };
  if (writers == 0.0) {
    reads.rate = readers > 0.0 ? reads.bandwidth / readers : 0.0;
    writes.rate = 0.0;
  } else if (readers == 0.0) {
    writes.rate = writes.bandwidth / writers;
    reads.rate = 0.0;
  } else if (reads.bandwidth / readers <= writes.bandwidth / writers) {
    rise(reads, readers, writes, writers);
  } else {
    rise(writes, writers, reads, readers);
  }
}

// Compute the rates of the disk's accesses and the time at which the next one ends, after accesses have begun or ended.
void Disks::reschedule(DiskId id, double now) {
  Disk& disk = disks_[id];
  share(disk);
  double soonest = kNever;
  for (Channel& channel : disk.channels) {
    if (channel.accesses.empty()) {
      channel.moved = 0.0;
    } else {
      const double left = std::max(0.0, channel.accesses.top().ends_at - channel.moved);
      soonest = std::min(soonest, now + left / channel.rate);
    }
  }
  if (soonest == kNever) {
    ends_.remove(id);
  } else {
    ends_.set(id, soonest);
  }
}

void Disks::access(double now, DiskId id, Direction direction, double bytes, Waiter* waiter) {
  Disk& disk = disks_[id];
  go_on(disk, now);
  Channel& channel = disk.channels[static_cast<std::size_t>(direction)];
  channel.accesses.push({channel.moved + bytes, next_sequence_++, waiter});
  reschedule(id, now);
}

std::size_t Disks::settle(double now, double precision) {
  std::size_t settled = 0;
  while (ends_.next_time() - now < precision) {
    const DiskId id = ends_.next_item();
    Disk& disk = disks_[id];
    go_on(disk, now);
    const std::size_t before = settled;
    for (Channel& channel : disk.channels) {
      const double due = channel.moved + channel.rate * precision;
      while (!channel.accesses.empty() && channel.accesses.top().ends_at <= due) {
        Waiter* waiter = channel.accesses.top().waiter;
        channel.accesses.pop();
        waiter->completed_one();
        ++settled;
      }
    }
    // Rounding may have the effect that no access is exactly due. Then end the access that is nearest to its end.
    if (settled == before) {
      Channel* nearest = nullptr;
      for (Channel& channel : disk.channels) {
        if (channel.accesses.empty()) continue;
        const auto left = [](const Channel& c) { return (c.accesses.top().ends_at - c.moved) / c.rate; };
        if (nearest == nullptr || left(channel) < left(*nearest)) nearest = &channel;
      }
      nearest->accesses.top().waiter->completed_one();
      nearest->accesses.pop();
      ++settled;
    }
    reschedule(id, now);
  }
  return settled;
}

}  // namespace pysmpi
