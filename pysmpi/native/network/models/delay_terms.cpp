#include "network/models/delay_terms.hpp"

#include <algorithm>

#include "base/options.hpp"

namespace pysmpi {

double constant_delay(double bytes) { return step_value(options().latency_factor, bytes, 1.0); }

LogGpsTerms loggps_terms(double bytes) {
  const Options& settings = options();
  const double following = std::max(bytes - 1, 0.0) * settings.loggps_gap_per_byte;
  return {.latency = settings.loggps_latency, .bytes = following, .gap = settings.loggps_gap + following};
}

}  // namespace pysmpi
