// What every MPI function that may take simulated time begins and ends with.
#pragma once

#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "mpi/mpi.h"
#include "objects/errors.hpp"

namespace pysmpi {

// Inside: MPI code; outside: the rank's own computation, which is timed.
class Call {
 public:
  Call() : stopped_(inside_rank() && (!account_computation() || running_fiber().stopping)) {}
  ~Call() {
    if (inside_rank()) leave_call();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  bool stopped() const { return stopped_; }

 private:
  bool stopped_;
};

}  // namespace pysmpi
