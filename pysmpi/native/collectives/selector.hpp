// Which algorithm carries out a collective.
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

// By operation, number of ranks, message size, datatype and operation. Never null.
Algorithm select_algorithm(Operation operation, const Arguments& a, std::int32_t size);

}  // namespace pysmpi
