#include "network/delay_carrier.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "network/delay_terms.hpp"

namespace pysmpi {

FlowId DelayCarrier::start(double now, const Parcel& parcel) {
  if (free_.empty()) {
    free_.push_back(static_cast<FlowId>(transfers_.size()));
    transfers_.emplace_back();
  }
  const FlowId number = free_.back();
  free_.pop_back();
  transfers_[number] = {parcel, false};
  const double at = ready(now, parcel);
  if (at > now) {
    events_.set(number, at);
  } else {
    send_off(now, number);
  }
  return number;
}

void DelayCarrier::send_off(double now, FlowId number) {
  Transfer& transfer = transfers_[number];
  transfer.sent_off = true;
  events_.set(number, arrival(now, transfer.parcel));
}

void DelayCarrier::cancel(double /*now*/, FlowId number) {
  events_.remove(number);
  free_.push_back(number);
}

double DelayCarrier::next_event(double /*now*/) { return events_.next_time(); }

void DelayCarrier::settle(double now, std::vector<std::uint32_t>& arrived) {
  const double precision = options().precision_timing;
  while (events_.next_time() - now < precision) {
    const FlowId number = events_.next_item();
    if (transfers_[number].sent_off) {
      events_.remove(number);
      free_.push_back(number);
      arrived.push_back(transfers_[number].parcel.token);
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
