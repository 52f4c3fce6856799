// Reduction operations: MPI's own on arrays of basic types, and those of programs (MPI_Op_create).
#pragma once

#include <cstdint>
#include <optional>

#include "datatypes/datatype.hpp"
#include "datatypes/operation.hpp"

namespace pysmpi {

enum class ReductionKind : std::uint8_t {
  kMax,
  kMin,
  kSum,
  kProd,
  kLand,
  kBand,
  kLor,
  kBor,
  kLxor,
  kBxor,
  kMinloc,
  kMaxloc,
  kReplace,
  kNoOp,
  kUser,
};

struct Reduction {
  ReductionKind kind = ReductionKind::kUser;
  bool commutative = true;
  const char* name = nullptr;  // "MPI_SUM", or "user operation"
  // The program's function in one of its three forms; the other pointers are null. It may run Python code and therefore
  // runs only in its rank's greenlet.
  ReductionFunction function = nullptr;
  LargeReductionFunction large_function = nullptr;
  StatefulReductionFunction stateful_function = nullptr;
  void* state = nullptr;  // argument of stateful_function
};

// Returns the reduction operation with this handle, or no value if the handle is invalid.
std::optional<Reduction> find_reduction(std::int32_t handle);

// Returns whether the library allows the operation on the datatype: predefined operations need predefined types of the
// right kind (datatypes/operands.hpp). False for MPI_REPLACE and MPI_NO_OP, which only one-sided communication uses.
bool is_reducible(const Reduction& reduction, const Datatype& type);

// Computes inout[i] = in[i] op inout[i] for `count` elements. Does nothing if either array is folded memory
// (rank_memory/folded.hpp), whose contents do not matter. A program's function is called with at most INT_MAX elements
// at a time. `type` is a handle.
void reduce(const Reduction& reduction, std::int32_t type, const void* in, void* inout, std::int64_t count);

}  // namespace pysmpi
