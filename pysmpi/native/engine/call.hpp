// Class Call, which begins and ends every MPI function that may take simulated time.
#pragma once

#include "base/observer.hpp"
#include "engine/computation.hpp"
#include "engine/foreign_call.hpp"
#include "engine/isolation.hpp"
#include "engine/simulation.hpp"
#include "engine/single_libraries.hpp"

namespace pysmpi {

// While a Call object exists, the rank is inside MPI. At other times, the rank's own computation is measured.
class Call {
 public:
  // `function` is the name of the MPI function, such as "MPI_Recv". It must be a string literal, because only its
  // address is kept.
  explicit Call(const char* function)
      : stopped_((inside_rank() || Simulation::in_child_process) && is_stopped(function)) {
    if (observers && !stopped_ && inside_rank()) begin(function);
  }
  ~Call() {
    if (observed_) end();
    if (!stopped_ && inside_rank()) leave_call();
    if (inside_rank() && running_fiber().stopping) [[unlikely]]
      leave_stopped_program(running_fiber());
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  bool stopped() const { return stopped_; }

 private:
  static bool is_stopped(const char* function) {
    if (!on_ranks_thread()) return true;
    if (running_fiber().stopping) {
      leave_foreign_call(running_fiber());
      insist_on_stop();
      return true;
    }
    if (importing_shared) [[unlikely]] {
      report_call_while_importing(function);
      if (importing_shared) return false;  // no other rank may run before the import ends
    }
    if (single_library_loaded && refuse_second_rank(function)) [[unlikely]]
      return true;
    if (!account_computation(function)) return true;
    run_tasks();
    return false;
  }

  // Notify observers that an MPI function begins, but only if the program itself calls it: calls that MPI functions
  // make among themselves are not reported.
  void begin(const char* function) {
    Fiber& fiber = running_fiber();
    if (fiber.in_observed_call) return;
    fiber.in_observed_call = observed_ = true;
    notify(&Observer::call_begins, simulation().now, fiber, function);
  }
  static void end() {
    Fiber& fiber = running_fiber();
    fiber.in_observed_call = false;
    if (observers) notify(&Observer::call_ends, simulation().now, fiber);
  }

  bool stopped_;
  bool observed_ = false;
};

}  // namespace pysmpi
