#include "network/models/delay_carrier.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "network/models/delay_terms.hpp"

namespace pysmpi {

FlowId DelayCarrier::start(double now, const Parcel& parcel) {
  if (free_.empty()) {
    free_.push_back(static_cast<FlowId>(transfers_.size()));
    transfers_.emplace_back();
  }
  const FlowId number = free_.back();
  free_.pop_back();
  transfers_[number] = {parcel};
  const double at = ready(now, parcel);
  if (at > now) {
    set(number, at);
  } else {
    send_off(now, number);
  }
  return number;
}

void DelayCarrier::send_off(double now, FlowId number) {
  Transfer& transfer = transfers_[number];
  transfer.sent_off = true;
  set(number, arrival(now, transfer.parcel));
}

// Its event goes when it is the next one.
void DelayCarrier::cancel(double /*now*/, FlowId number) { transfers_[number].cancelled = true; }

double DelayCarrier::next_event(double /*now*/) {
  while (!events_.empty() && transfers_[events_.next()].cancelled) free_.push_back(events_.take());
  return events_.next_time();
}

void DelayCarrier::settle(double now, std::vector<std::uint32_t>& arrived) {
  const double precision = options().precision_timing;
  while (events_.next_time() - now < precision) {
    const FlowId number = events_.take();
    const Transfer& transfer = transfers_[number];
    if (transfer.sent_off || transfer.cancelled) {
      if (!transfer.cancelled) arrived.push_back(transfer.parcel.token);
      free_.push_back(number);
    } else {
      send_off(now, number);
    }
  }
}

double ConstantCarrier::arrival(double now, const Parcel& parcel) { return now + constant_delay(parcel.bytes); }

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

}  // namespace pysmpi
