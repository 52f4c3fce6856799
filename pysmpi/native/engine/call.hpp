// What every MPI function that may take simulated time begins and ends with.
#pragma once

#include "engine/computation.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

// Inside: MPI code; outside: the rank's own computation, which is timed.
class Call {
 public:
  Call() : stopped_(inside_rank() && is_stopped()) {}
  ~Call() {
    if (!stopped_ && inside_rank()) leave_call();
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  bool stopped() const { return stopped_; }

 private:
  static bool is_stopped() {
    if (!on_ranks_thread()) return true;
    if (running_fiber().stopping) {
      insist_on_stop();
      return true;
    }
    if (!account_computation()) return true;
    run_tasks();
    return false;
  }

  bool stopped_;
};

}  // namespace pysmpi
