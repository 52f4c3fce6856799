// Reduction operations that programs create.
#pragma once

#include <cstdint>

namespace pysmpi {

using ReductionFunction = void (*)(void* in, void* inout, int* count, int* datatype);
using LargeReductionFunction = void (*)(void* in, void* inout, long long* count, int* datatype);

struct UserOperation {
  // One of them, to be called in the greenlet of the rank that created it, and in no other.
  ReductionFunction function = nullptr;
  LargeReductionFunction large_function = nullptr;
  bool commutative = false;
  std::int32_t creator = -1;  // running rank; -1: the main greenlet
};

std::int32_t add_user_operation(ReductionFunction function, bool commutative);
std::int32_t add_user_operation(LargeReductionFunction function, bool commutative);

// Null when the handle names none; predefined operations are not among these.
const UserOperation* find_user_operation(std::int32_t handle);
void remove_user_operation(std::int32_t handle);
void reset_user_operations();  // forgets what ranks have created

}  // namespace pysmpi
