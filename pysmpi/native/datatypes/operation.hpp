// Reduction operations created by programs.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/simulation_part.hpp"

namespace pysmpi {

using ReductionFunction = void (*)(void* in, void* inout, int* count, int* datatype);
using LargeReductionFunction = void (*)(void* in, void* inout, long long* count, int* datatype);
using StatefulReductionFunction = void (*)(void* in, void* inout, long long count, int datatype, void* state);
using Destructor = void (*)(void* state);

struct UserOperation {
  // One of the three functions is set. It may be called only in the greenlet of the rank that created the operation.
  ReductionFunction function = nullptr;
  LargeReductionFunction large_function = nullptr;
  StatefulReductionFunction stateful_function = nullptr;
  void* state = nullptr;            // argument of stateful_function
  Destructor destructor = nullptr;  // called with `state` after the operation is removed; may be null
  bool commutative = false;
  std::int32_t creator = -1;  // rank that created it, or -1 for the main greenlet
};

std::int32_t add_user_operation(ReductionFunction function, bool commutative);
std::int32_t add_user_operation(LargeReductionFunction function, bool commutative);
std::int32_t add_user_operation(StatefulReductionFunction function, bool commutative, void* state,
                                Destructor destructor);

// Returns the operation with this handle, or null if the handle is invalid or predefined.
const UserOperation* find_user_operation(std::int32_t handle);
void remove_user_operation(std::int32_t handle);

// When a simulation ends, drops the operations that its ranks have created. Operations created outside ranks are kept.
struct OperationsOfRanks : SimulationPart<OperationsOfRanks> {
  OperationsOfRanks() = default;
  ~OperationsOfRanks();

  // States of removed operations. Collectives under way may still need them; they are destroyed with this object.
  std::vector<std::pair<Destructor, void*>> removed;
};

}  // namespace pysmpi
