// Names of datatypes, as set by MPI_Type_set_name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/simulation_part.hpp"
#include "datatypes/datatype.hpp"

namespace pysmpi {

// Returns the name that the program has set. If it has set none, returns the name of MPI's constant for a predefined
// type, and an empty string for a derived type. Names of predefined types belong to the running rank.
std::string datatype_name(const Datatype& type);
void set_datatype_name(Datatype& type, const std::string& name);

// Names that ranks have given to predefined datatypes; they are dropped at the simulation's end. Names given while no
// rank was running are kept.
struct DatatypeNames : SimulationPart<DatatypeNames> {
  using Names = std::map<std::pair<std::int32_t, std::int32_t>, std::string>;  // key: running rank and handle
  Names of_ranks;
};

}  // namespace pysmpi
