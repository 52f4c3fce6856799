#include "matching/protocol.hpp"

#include "base/options.hpp"

namespace pysmpi {

bool is_eager(std::int64_t bytes, SendMode mode) {
  return mode != SendMode::kSynchronous && bytes < options().async_small_threshold;
}

bool is_detached(std::int64_t bytes, SendMode mode) {
  if (mode == SendMode::kSynchronous) return false;
  return mode == SendMode::kBuffered || bytes < options().detached_threshold;
}

double send_overhead(std::int64_t bytes, bool nonblocking, SendMode mode) {
  const Options& o = options();
  const bool counts = nonblocking || mode == SendMode::kSynchronous || is_detached(bytes, mode) || o.overhead_always;
  return counts ? overhead(nonblocking ? o.isend_overhead : o.send_overhead, static_cast<double>(bytes)) : 0.0;
}

double receive_overhead(std::int64_t bytes, bool detached) {
  const Options& o = options();
  return detached || o.overhead_always ? overhead(o.receive_overhead, static_cast<double>(bytes)) : 0.0;
}

}  // namespace pysmpi
