// SimGrid's model Constant: every message takes network/latency-factor seconds (SimGrid 3.32,
// src/surf/network_constant.cpp).
#include "base/options.hpp"
#include "network/models/delay_carrier.hpp"

namespace pysmpi {
namespace {

double constant_delay(double bytes) { return step_value(options().latency_factor, bytes, 1.0); }

class ConstantCarrier final : public DelayCarrier {
 public:
  double ready(double now, const Parcel&) const override { return now; }

 protected:
  double arrival(double now, const Parcel& parcel) override { return now + constant_delay(parcel.bytes); }
};

std::unique_ptr<Carrier> make_constant_carrier(const Platform&, Network&) {
  return std::make_unique<ConstantCarrier>();
}

void explain_constant(const pysmpi_lone_message& message, pysmpi_lone_terms& out) {
  ConstantCarrier carrier;
  explain_delay(carrier, message, out);
  out.delay = constant_delay(message.bytes);
  out.transfer = out.arrives - (out.leaves + out.delay);
}

const NetworkModelRegistration constant_registration({"constant", make_constant_carrier, explain_constant});

}  // namespace
}  // namespace pysmpi
