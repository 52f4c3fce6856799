// Choice of the carrier for a network model.
#include "network/carrier.hpp"

#include "base/options.hpp"
#include "network/models/delay_carrier.hpp"
#include "network/models/flow_carrier.hpp"

namespace pysmpi {

std::unique_ptr<Carrier> make_carrier(const Platform& platform, Network& network) {
  switch (options().network_model) {
    case NetworkModel::kConstant:
      return std::make_unique<ConstantCarrier>();
    case NetworkModel::kLogGps:
      return std::make_unique<LogGpsCarrier>();
    default:
      return std::make_unique<FlowCarrier>(platform, network);
  }
}

}  // namespace pysmpi
