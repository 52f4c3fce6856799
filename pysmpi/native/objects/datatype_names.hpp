// Names of datatypes.
#pragma once

#include <string>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// That of MPI's constant for a predefined type, unless the running rank has given it another one; what a derived type
// was given, or nothing.
std::string datatype_name(const Datatype& type);
void set_datatype_name(Datatype& type, const std::string& name);

void reset_datatype_names();  // forgets what ranks have named

}  // namespace pysmpi
