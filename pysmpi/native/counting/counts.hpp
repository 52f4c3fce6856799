// Counts of the floating-point operations and operands of each rank's computation, and bytes of its Python objects.
#pragma once

#include <cstdint>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "counting/c_api.h"

namespace pysmpi {

struct ComputationCounts : SimulationPart<ComputationCounts> {
  ComputationCounts() = default;

  bool on = false;      // operations are counted
  bool paused = false;  // operations of NumPy are not counted at present
  std::vector<pysmpi_counts> by_rank;

  // Note the bytes of the running rank's Python objects (counting/objects.hpp) at its 1st, 2nd, 4th, 8th … MPI call:
  // walks over all objects at each call would take too long. The end of its program notes them too.
  void call_begins(RankId rank);
  void note_objects(RankId rank);

  // The counts of the running rank, or null if its operations are not counted now.
  pysmpi_counts* of_running_rank();

  // State of the operations on matrices (of NumPy and SciPy) that a rank is executing: how many are nested, and the
  // flops of the functions of BLAS and LAPACK that the innermost one has called.
  struct OnMatrices {
    std::uint32_t depth = 0;
    double flops = 0.0;
  };
  std::vector<OnMatrices> on_matrices_by_rank;
  OnMatrices& on_matrices(RankId rank);

  // Count a call of a function of BLAS or LAPACK by the running rank. If the call belongs to an operation on matrices,
  // only its flops are added to that operation, which counts itself with the bytes of its operands.
  void count_call_of_blas(double flops, double bytes);

  struct Objects {
    std::uint64_t calls = 0;  // number of MPI calls
    std::int64_t peak = 0;    // largest number of bytes that was noted
  };
  std::vector<Objects> objects_by_rank;
  void* array_type = nullptr;  // class of NumPy's arrays
};

}  // namespace pysmpi
