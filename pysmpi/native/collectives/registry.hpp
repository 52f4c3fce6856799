// The algorithms by SMPI's names, of which options choose (--cfg=smpi/allreduce:rdb).
#pragma once

#include "collectives/arguments.hpp"

namespace pysmpi {

// Null where no algorithm is chosen by an option, or the one chosen does not fit the call.
Algorithm chosen_algorithm(Operation operation, const Arguments& a, std::int32_t size);

}  // namespace pysmpi
