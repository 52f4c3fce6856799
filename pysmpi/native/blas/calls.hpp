// Calls of BLAS and LAPACK by ranks.
//
// While calls are watched, the relocation tables of all loaded libraries (base/imports.hpp) lead to entries
// (blas/entries.hpp) instead of the functions of BLAS and LAPACK. So a call is noticed whichever function of NumPy,
// SciPy or another package makes it. Only the outermost call of a rank counts: dgesv calls dgetrf, which calls dgemm,
// but a model of dgesv includes both. Calls by other threads and outside ranks are not counted.
//
// After watching has ended, the tables lead to the functions again. Entries stay valid until the process ends, because
// a program may have copied their addresses; they then lead to the function without counting anything.
#pragma once

#include <cstdint>
#include <vector>

#include "base/imports.hpp"
#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "blas/c_api.h"
#include "blas/routines.hpp"

namespace pysmpi {

namespace blas {
struct Routine;
}

struct BlasCalls : SimulationPart<BlasCalls> {
  BlasCalls() = default;
  ~BlasCalls();

  // A call that has not returned.
  struct Open {
    RankId rank;
    const blas::Arguments* arguments;  // address on the stack; calls inside this one have lower ones
    const blas::Routine* routine;
    blas::Sizes sizes;
    double excluded_since, started;
  };

  // A call by its rank, routine and sizes. Charged and Amount keep the results for the latest call, and equal calls
  // that follow reuse them.
  struct Latest {
    RankId rank;
    const blas::Routine* routine = nullptr;
    blas::Sizes sizes;
    bool operator==(const Latest&) const = default;
  };
  struct Charged {
    Latest call;
    double flops = 0.0;
    std::uint64_t repeated = 0;  // number of calls not yet passed to the Python function `repeat`
  };
  struct Amount {
    Latest call;
    double flops = 0.0, bytes = 0.0;
  };

  struct Use {
    const blas::Routine* routine;
    pysmpi_blas_use sum;
  };

  pysmpi_blas_functions functions{};
  bool on = false;
  SeenObjects watched;
  std::vector<LoadedObject> unwatched;
  std::vector<Open> open;
  Charged charged;
  Amount amount;
  std::vector<Use> without_model;
};

}  // namespace pysmpi
