// LogGPS: a message takes a time that depends on its size only (Culler et al., LogP, PPoPP 1993; Alexandrov et al.,
// LogGP, SPAA 1995; Ino et al., LogGPS, PPoPP 2001; O: Hoefler et al., LogGOPSim, HPDC 2010).
//
// L is the latency, g the gap between two messages that leave a host, G the gap between two bytes. The overheads o and
// O are time of the ranks at both ends (Options::send_overhead and receive_overhead). A message of k bytes that leaves
// at t arrives at t + (k - 1) G + L, and the next message leaves its host at t + g + (k - 1) G at the earliest.
//
// A message of more than S bytes is sent by rendezvous: a request and a reply take L each. Its data leaves when the
// request has arrived, the receive is posted, and the reply has come back.
//
// Nothing is shared: messages that meet in a switch, or at their receiver, do not slow each other down.
#include <algorithm>

#include "base/options.hpp"
#include "network/models/delay_carrier.hpp"

namespace pysmpi {
namespace {

// Parts of a message's time, in seconds.
struct LogGpsTerms {
  double latency;  // L
  double bytes;    // (k - 1) G, from the departure of the first byte to that of the last one
  double gap;      // g + (k - 1) G, from the departure to the earliest departure of the host's next message
};

LogGpsTerms loggps_terms(double bytes) {
  const Options& settings = options();
  const double following = std::max(bytes - 1, 0.0) * settings.loggps_gap_per_byte;
  return {.latency = settings.loggps_latency, .bytes = following, .gap = settings.loggps_gap + following};
}

class LogGpsCarrier final : public DelayCarrier {
 public:
  double ready(double now, const Parcel& parcel) const override;

 protected:
  double arrival(double now, const Parcel& parcel) override;

 private:
  std::vector<double> next_departure_;  // earliest next departure (s), indexed by host
};

double LogGpsCarrier::ready(double now, const Parcel& parcel) const {
  if (parcel.eager) return now;
  const double latency = options().loggps_latency;
  return std::max(now, parcel.sent + latency) + latency;
}

double LogGpsCarrier::arrival(double now, const Parcel& parcel) {
  if (parcel.source >= next_departure_.size()) next_departure_.resize(parcel.source + 1, 0.0);
  double& next = next_departure_[parcel.source];
  const LogGpsTerms terms = loggps_terms(parcel.bytes);
  const double departure = std::max(now, next);
  next = departure + terms.gap;
  return departure + terms.bytes + terms.latency;
}

std::unique_ptr<Carrier> make_loggps_carrier(const Platform&, Network&) { return std::make_unique<LogGpsCarrier>(); }

void explain_loggps(const pysmpi_lone_message& message, pysmpi_lone_terms& out) {
  LogGpsCarrier carrier;
  explain_delay(carrier, message, out);
  const LogGpsTerms terms = loggps_terms(message.bytes);
  out.delay = terms.latency;
  out.transfer = terms.bytes;
}

const NetworkModelRegistration loggps_registration({"LogGPS", make_loggps_carrier, explain_loggps});

}  // namespace
}  // namespace pysmpi
