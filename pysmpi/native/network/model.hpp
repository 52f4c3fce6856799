// Registry of network models: each source file of network/models registers one.
//
// Values of network/model that differ only in the defaults of options (SMPI, LV08, CM02, raw) share one native model;
// pysmpi/settings/network_models says which.
#pragma once

#include <memory>

#include "network/c_api.h"
#include "network/carrier.hpp"

namespace pysmpi {

struct NetworkModel {
  const char* name;  // as pysmpi/settings/network_models names it
  std::unique_ptr<Carrier> (*make_carrier)(const Platform& platform, Network& network);
  void (*explain)(const pysmpi_lone_message& message, pysmpi_lone_terms& out);  // `out` is zero before
  bool infiniband_penalties = false;  // flows that leave or enter a host together slow each other down
};

// A constant of this type in a model's source file registers the model when the library is loaded.
class NetworkModelRegistration {
 public:
  explicit NetworkModelRegistration(const NetworkModel& model);
};

// Null if no model has registered the name.
const NetworkModel* find_network_model(const char* name);

// The model that the options name; flows if they name none.
const NetworkModel& network_model();

// Carries a message that is alone on a network, and returns when it arrives; kNever if it cannot arrive. Calls
// `at_event` at each event before that.
template <typename Carrying, typename AtEvent>
double carry_alone(Carrying& carrying, double now, AtEvent at_event) {
  std::vector<std::uint32_t> arrived;
  while (arrived.empty()) {
    const double next = carrying.next_event(now);
    if (next == kNever) return kNever;
    if (next > now) now = next;
    at_event();
    carrying.settle(now, arrived);
  }
  return now;
}

}  // namespace pysmpi
