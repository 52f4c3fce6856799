// Reduction operations: MPI's own on arrays of basic types, and those that programs make (MPI_Op_create).
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
  const char* name = nullptr;  // "MPI_SUM"; "user operation"
  // A program's own, in either form: it may run Python code, hence only in its rank's greenlet.
  ReductionFunction function = nullptr;
  LargeReductionFunction large_function = nullptr;
};

// Nothing when the handle names no operation.
std::optional<Reduction> find_reduction(std::int32_t handle);

// MPI allows the operation on the datatype (MPI 4.1 section 6.9.2): predefined operations on predefined types of the
// right kind. MPI_REPLACE and MPI_NO_OP are for one-sided communication only, and not asked for here.
bool is_reducible(const Reduction& reduction, const Datatype& type);

// inout[i] = in[i] op inout[i] for count elements. Nothing when either is folded memory. A user's function is called
// with at most INT_MAX elements at a time; `type` is a handle.
void reduce(const Reduction& reduction, std::int32_t type, const void* in, void* inout, std::int64_t count);

}  // namespace pysmpi
