// Messages as flows over the links of their routes.
#pragma once

#include "network/carrier.hpp"
#include "network/link_numbers.hpp"
#include "network/network.hpp"
#include "platform/platform.hpp"

namespace pysmpi {

class FlowCarrier final : public Carrier {
 public:
  FlowCarrier(const Platform& platform, Network& network)
      : platform_(platform), network_(network), link_numbers_(platform, network) {
    if (platform.routes_by_load()) network.measure_loads();
  }

  bool uses_links() const override { return true; }
  void read_links(double now, double* load_seconds, double* seconds_off) const override;
  LinkId number_of(LinkId link) const override { return link_numbers_.number(link); }
  FlowId start(double now, const Parcel& parcel) override;
  void cancel(double now, FlowId number) override { network_.cancel(now, number); }
  double next_event(double now) override { return network_.next_event(now); }
  void settle(double now, std::vector<std::uint32_t>& arrived) override { network_.settle(now, arrived); }

 private:
  const Platform& platform_;
  Network& network_;
  LinkNumbers link_numbers_;
  Route route_, back_route_;  // of the message being started
};

}  // namespace pysmpi
