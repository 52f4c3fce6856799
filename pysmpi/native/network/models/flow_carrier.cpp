#include "network/models/flow_carrier.hpp"

#include "base/options.hpp"

namespace pysmpi {

FlowId FlowCarrier::start(double now, const Parcel& parcel) {
  route_.message = back_route_.message = parcel.message;
  route_.loads = back_route_.loads = &link_numbers_;
  if (!platform_.route(parcel.source, parcel.destination, route_)) return kNone;
  back_route_.clear();
  if (options().crosstraffic && !platform_.route(parcel.destination, parcel.source, back_route_)) return kNone;
  link_numbers_.translate(route_.links);
  link_numbers_.translate(back_route_.links);
  return network_.start(now, route_.links, back_route_.links, route_.latency, parcel.bytes + kEnvelopeBytes,
                        parcel.token, parcel.order, {parcel.source, parcel.destination});
}

void FlowCarrier::read_links(double now, double* load_seconds, double* seconds_off) const {
  const std::vector<double> loads = network_.load_seconds(now);
  for (LinkId link = 0; link < platform_.link_count(); ++link) {
    const LinkId number = link_numbers_.number(link);
    load_seconds[link] = number < loads.size() ? loads[number] : 0.0;
    seconds_off[link] = number == kNone ? 0.0 : network_.seconds_off(number, now);
  }
}

}  // namespace pysmpi
