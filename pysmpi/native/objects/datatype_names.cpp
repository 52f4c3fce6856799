// Names of datatypes by rank.
#include "objects/datatype_names.hpp"

#include <map>
#include <utility>

#include "datatypes/predefined.hpp"
#include "engine/c_api.h"

namespace pysmpi {
namespace {

std::map<std::pair<std::int32_t, std::int32_t>, std::string> of_predefined;  // by running rank and handle

}  // namespace

std::string datatype_name(const Datatype& type) {
  if (!is_predefined(type)) return type.name;
  const auto given = of_predefined.find({pysmpi_running_rank(), type.handle});
  return given != of_predefined.end() ? given->second : predefined_name(type.handle);
}

void set_datatype_name(Datatype& type, const std::string& name) {
  if (is_predefined(type)) {
    of_predefined[{pysmpi_running_rank(), type.handle}] = name;
  } else {
    type.name = name;
  }
}

void reset_datatype_names() {
  std::erase_if(of_predefined, [](const auto& entry) { return entry.first.first >= 0; });
}

}  // namespace pysmpi
