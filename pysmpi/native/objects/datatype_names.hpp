// Names of datatypes, as set by MPI_Type_set_name.
#pragma once

#include <string>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// Returns the name that was set. Without one it is the name of MPI's constant for a predefined type, and empty for a
// derived type. Names of predefined types belong to the running rank.
std::string datatype_name(const Datatype& type);
void set_datatype_name(Datatype& type, const std::string& name);

void reset_datatype_names();  // drops all names that ranks have set

}  // namespace pysmpi
