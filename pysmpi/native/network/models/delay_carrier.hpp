// Messages that arrive after a delay of their own: no routes, no links, no sharing. Each costs one or two events,
// whatever the size of the machine.
#pragma once

#include "base/dated_batches.hpp"
#include "network/carrier.hpp"

namespace pysmpi {

class DelayCarrier : public Carrier {
 public:
  bool uses_links() const override { return false; }
  void read_links(double, double*, double*) const override {}
  LinkId number_of(LinkId) const override { return kNone; }
  FlowId start(double now, const Parcel& parcel) override;
  void cancel(double now, FlowId number) override;
  double next_event(double now) override;
  void settle(double now, std::vector<std::uint32_t>& arrived) override;

  // When a message that both ends have posted by `now` may be sent off.
  virtual double ready(double now, const Parcel& parcel) const = 0;

 protected:
  // When a message that is sent off at `now` has arrived.
  virtual double arrival(double now, const Parcel& parcel) = 0;

 private:
  struct Transfer {
    Parcel parcel;
    bool sent_off = false, cancelled = false;
  };
  void set(FlowId number, double time) { events_.add(time, next_sequence_++, number); }
  void send_off(double now, FlowId number);

  DatedBatches<FlowId, WithinBatch::kFirstAdded> events_;  // it can be sent off, or has arrived
  std::uint64_t next_sequence_ = 0;
  std::vector<Transfer> transfers_;
  std::vector<FlowId> free_;
};

// SimGrid's Constant: every message takes network/latency-factor seconds (SimGrid 3.32 src/surf/network_constant.cpp).
class ConstantCarrier final : public DelayCarrier {
 public:
  double ready(double now, const Parcel&) const override { return now; }

 protected:
  double arrival(double now, const Parcel& parcel) override;
};

// LogGPS: latency L, overhead o and O a byte at either end (the ranks' time: Options::send_overhead and
// receive_overhead), gap g between messages and G between bytes that leave a host, and rendezvous above S bytes (Culler
// et al., LogP, PPoPP 1993; Alexandrov et al., LogGP, SPAA 1995; Ino et al., LogGPS, PPoPP 2001; O: Hoefler et al.,
// LogGOPSim, HPDC 2010). A message of k bytes that leaves at t has arrived at t + (k - 1) G + L; the next one leaves
// its host at t + g + (k - 1) G at the earliest. Rendezvous costs a request and a reply of one L each: the data leaves
// when the request has arrived, the receive is posted, and the reply is back. Nothing is shared: messages that meet in
// a switch, or at their receiver, do not slow each other down.
class LogGpsCarrier final : public DelayCarrier {
 public:
  double ready(double now, const Parcel& parcel) const override;

 protected:
  double arrival(double now, const Parcel& parcel) override;

 private:
  std::vector<double> next_departure_;  // by host
};

}  // namespace pysmpi
