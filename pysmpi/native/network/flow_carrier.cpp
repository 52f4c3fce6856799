#include "network/flow_carrier.hpp"

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

}  // namespace pysmpi
