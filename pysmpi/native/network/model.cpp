// Registry of network models, and the C functions that depend on the model.
#include "network/model.hpp"

#include <map>
#include <string>

#include "base/options.hpp"

namespace pysmpi {
namespace {

// The table of models is a local static variable, because models may be registered before a global variable of this
// file is initialised.
std::map<std::string, NetworkModel>& registered_models() {
  static std::map<std::string, NetworkModel> models;
  return models;
}

}  // namespace

NetworkModelRegistration::NetworkModelRegistration(const NetworkModel& model) {
  registered_models().emplace(model.name, model);
}

const NetworkModel* find_network_model(const char* name) {
  const auto found = registered_models().find(name);
  return found == registered_models().end() ? nullptr : &found->second;
}

const NetworkModel& network_model() {
  const NetworkModel* const chosen = options().network_model;
  return chosen != nullptr ? *chosen : *find_network_model("flows");
}

std::unique_ptr<Carrier> make_carrier(const Platform& platform, Network& network) {
  return network_model().make_carrier(platform, network);
}

}  // namespace pysmpi

int32_t pysmpi_set_network_model(const char* name) {
  pysmpi::options().network_model = pysmpi::find_network_model(name);
  return pysmpi::options().network_model != nullptr ? 0 : -1;
}

void pysmpi_explain_message(const pysmpi_lone_message* message, pysmpi_lone_terms* out) {
  *out = {};
  pysmpi::network_model().explain(*message, *out);
}
