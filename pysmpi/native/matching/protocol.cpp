// SMPI's protocol of a message, computed from the options.
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
  const Options& settings = options();
  const bool counts =
      nonblocking || mode == SendMode::kSynchronous || is_detached(bytes, mode) || settings.overhead_always;
  return counts ? overhead(nonblocking ? settings.isend_overhead : settings.send_overhead, static_cast<double>(bytes))
                : 0.0;
}

double receive_overhead(std::int64_t bytes, bool detached) {
  const Options& settings = options();
  return detached || settings.overhead_always ? overhead(settings.receive_overhead, static_cast<double>(bytes)) : 0.0;
}

}  // namespace pysmpi
