// The time that a rank's core takes for MPI's own work on data: combining the operands of a reduction, and copying data
// between buffers of the rank.
//
// A core works faster on data in its caches than on data in memory. So the time for a byte depends on the bytes that
// the call touches: it is level up to the first point of a curve, changes linearly between points, and is level after
// the last one.
//
// Example: combining with the points (16 MB, 50 ps) and (48 MB, 110 ps). A call that touches 1 MB takes 50 ps for each
// byte of an operand, one that touches 32 MB takes 80 ps.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "base/simulation_part.hpp"
#include "base/types.hpp"

namespace pysmpi {

struct WorkPoint {
  double touched;           // bytes that the call touches
  double seconds_per_byte;  // of one operand, or of the copied data
  bool operator==(const WorkPoint&) const = default;
};
using WorkCurve = std::vector<WorkPoint>;  // ascending; empty: the work takes no time

// The core of a rank.
struct WorkingCore {
  WorkCurve combining, copying;
  // Received data of more bytes than this lie in memory, smaller ones in a cache.
  double received_in_cache = std::numeric_limits<double>::infinity();
  bool operator==(const WorkingCore&) const = default;
};

class LocalWork : public SimulationPart<LocalWork> {
 public:
  // Let ranks without a core of their own have this core. Without a call, work takes no time.
  void set_core_of_all(WorkingCore core) { cores_.assign(1, std::move(core)); }
  void set_core_of_host(HostId host, WorkingCore core);

  bool takes_time() const { return !cores_.empty() || options().new_buffers > 0.0; }

  // Return the seconds of combining two operands of `bytes` bytes, of which one has been received, in a call that
  // touches `touched` bytes.
  double combining(RankId rank, double bytes, double touched) const;

  // Note that the schedule that runs now has made a temporary buffer, or would make it in the library. If its memory is
  // new in each call, the kernel clears each page when a core or the network card first writes it.
  //
  // The memory is that of glibc's malloc. Each buffer of at least smpi/new-buffers (32 MiB) has its own memory, which
  // is new. Smaller ones are at the end of the heap. All but 128 KiB of the heap's free end is given back when it
  // reaches twice the largest buffer (M_TRIM_THRESHOLD). So two equal buffers are new in each call, and one alone is
  // not.
  void note_buffer(std::int64_t bytes, std::int64_t written, bool filled_by_core);

  // Note that the schedule that runs now has copied this many bytes, or would copy them in the library.
  void note_copied(std::int64_t bytes) { copied_ += bytes; }

  // Return the seconds that copies and new memory have taken since the last call, in a call of this rank that touches
  // `touched` bytes.
  double take_seconds(RankId rank, double touched);

 private:
  const WorkingCore& core_of(RankId rank) const;

  std::vector<WorkingCore> cores_;             // the first one is that of all other hosts
  std::vector<std::uint32_t> core_of_host_{};  // index in `cores_`; hosts beyond the end have the first one
  std::int64_t copied_ = 0;

  // Bytes of new memory that cores and cards have filled.
  struct Filled {
    std::int64_t by_core = 0, by_card = 0;
  };
  Filled new_, on_heap_;  // on_heap_: new memory only if glibc gave the free end of the heap back
  std::int64_t heap_bytes_ = 0, heap_largest_ = 0;  // of the buffers on the heap
};
extern template class SimulationPart<LocalWork>;

// Copy as copy() in datatypes/copy.hpp does; the schedule that runs now takes the time. Algorithms of collectives copy
// by this function only.
void local_copy(const void* source, std::int64_t source_count, std::int32_t source_type, void* destination,
                std::int64_t destination_count, std::int32_t destination_type);

// Let the running rank take the time that the core of `rank` needs for combining two operands of `bytes` bytes. Returns
// false if the rank is being stopped.
bool spend_combining(RankId rank, std::int64_t bytes, const char* call);

}  // namespace pysmpi
