// Base class of network models in which a message arrives after a delay, without routes, links or sharing. A message
// costs one or two events, whatever the size of the machine.
#pragma once

#include "base/dated_batches.hpp"
#include "network/model.hpp"

namespace pysmpi {

class DelayCarrier : public Carrier {
 public:
  bool uses_links() const override { return false; }
  void read_links(double, double*, double*) const override {}
  LinkId number_of(LinkId) const override { return kNone; }
  FlowId start(double now, const Parcel& parcel) override;
  void cancel(double now, FlowId number) override;
  double next_event(double now, double until) override;
  void settle(double now, std::vector<std::uint32_t>& arrived) override;

  // Returns the earliest time at which a message may leave its host. An eager message has been sent at `now`; for any
  // other message, the receive has been posted too.
  virtual double ready(double now, const Parcel& parcel) const = 0;

 protected:
  // Returns the time of arrival of a message that leaves at `now`.
  virtual double arrival(double now, const Parcel& parcel) = 0;

 private:
  struct Transfer {
    Parcel parcel;
    bool sent_off = false, cancelled = false;
  };
  void set(FlowId number, double time) { events_.add(time, next_sequence_++, number); }
  void send_off(double now, FlowId number);

  DatedBatches<FlowId, WithinBatch::kFirstAdded> events_;  // departures and arrivals of messages
  std::uint64_t next_sequence_ = 0;
  std::vector<Transfer> transfers_;
  std::vector<FlowId> free_;
};

// Write to `out` how many bytes the message has, when it may leave its host, and when it arrives under the carrier's
// model. The caller sets the latency (`out.delay`).
void explain_delay(DelayCarrier& carrier, const pysmpi_lone_message& message, pysmpi_lone_terms& out);

}  // namespace pysmpi
