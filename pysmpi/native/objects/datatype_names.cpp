// Names of datatypes by rank.
#include "objects/datatype_names.hpp"

#include "datatypes/predefined.hpp"
#include "engine/c_api.h"

namespace pysmpi {
namespace {

DatatypeNames::Names names_outside_ranks;

DatatypeNames::Names& names_of_predefined() {
  return pysmpi_running_rank() >= 0 ? DatatypeNames::current().of_ranks : names_outside_ranks;
}

}  // namespace

std::string datatype_name(const Datatype& type) {
  if (!is_predefined(type)) return type.name;
  const auto& names = names_of_predefined();
  const auto given = names.find({pysmpi_running_rank(), type.handle});
  return given != names.end() ? given->second : predefined_name(type.handle);
}

void set_datatype_name(Datatype& type, const std::string& name) {
  if (is_predefined(type)) {
    names_of_predefined()[{pysmpi_running_rank(), type.handle}] = name;
  } else {
    type.name = name;
  }
}

}  // namespace pysmpi
