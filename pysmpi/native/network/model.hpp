// Registry of network models: each source file of network/models registers one.
//
// Values of network/model that differ only in the defaults of options (SMPI, LV08, CM02, raw) share one native model;
// pysmpi/simulation/settings/network_models lists these values.
#pragma once

#include <memory>
#include <type_traits>

#include "network/c_api.h"
#include "network/carrier.hpp"

namespace pysmpi {

struct NetworkModel {
  const char* name;  // name of the model in pysmpi/simulation/settings/network_models
  std::unique_ptr<Carrier> (*make_carrier)(const Platform& platform, Network& network);
  void (*explain)(const pysmpi_lone_message& message, pysmpi_lone_terms& out);  // `out` is zero before the call
  bool infiniband_penalties = false;  // true if flows that leave or enter a host together slow each other down
};

// A constant of this type in a model's source file registers the model when the library is loaded.
class NetworkModelRegistration {
 public:
  explicit NetworkModelRegistration(const NetworkModel& model);
};

// Return the model with this name, or null if no model has registered it.
const NetworkModel* find_network_model(const char* name);

// Return the model that the options select; by default, the model of flows.
const NetworkModel& network_model();

// Carries a message that is alone on a network. Returns its time of arrival, or kNever if it cannot arrive. Calls
// `at_event` at each event, the arrival included, before the event is processed.
template <typename Carrying, typename AtEvent>
double carry_alone(Carrying& carrying, double now, AtEvent at_event) {
  std::vector<std::uint32_t> arrived;
  while (arrived.empty()) {
    double next;
    if constexpr (std::is_base_of_v<Carrier, Carrying>) {
      next = carrying.next_event(now, kNever);
    } else {
      next = carrying.next_event(now);
    }
    if (next == kNever) return kNever;
    if (next > now) now = next;
    at_event();
    carrying.settle(now, arrived);
  }
  return now;
}

}  // namespace pysmpi
