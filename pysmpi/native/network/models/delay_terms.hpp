// What a message takes under the models without sharing, by its size.
#pragma once

namespace pysmpi {

// Seconds under Constant.
double constant_delay(double bytes);

// Under LogGPS, in seconds.
struct LogGpsTerms {
  double latency;  // L
  double bytes;    // (k - 1) G: from its first byte's departure to its last one's
  double gap;      // g + (k - 1) G: from its departure to that of the next message of its host, at least
};
LogGpsTerms loggps_terms(double bytes);

}  // namespace pysmpi
