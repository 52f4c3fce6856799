// Queue of messages that arrive after a delay.
#include "network/models/delay_carrier.hpp"

#include "base/options.hpp"

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

// The event of a cancelled message stays in the queue until it is the next one.
void DelayCarrier::cancel(double /*now*/, FlowId number) { transfers_[number].cancelled = true; }

double DelayCarrier::next_event(double /*now*/, double /*until*/) {
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

void explain_delay(DelayCarrier& carrier, const pysmpi_lone_message& message, pysmpi_lone_terms& out) {
  const Parcel parcel{.source = 0,
                      .destination = 0,
                      .bytes = message.bytes,
                      .sent = message.sent,
                      .eager = message.eager != 0,
                      .message = 0,
                      .token = 0,
                      .order = 0};
  out.wire_bytes = message.bytes;
  out.leaves = carrier.ready(message.sent, parcel);
  carrier.start(message.sent, parcel);
  out.arrives = carry_alone(carrier, message.sent, [] {});
}

}  // namespace pysmpi
