// Progress by calls (smpi/progress): many MPI libraries continue a message only while its ranks are inside MPI. With
// the value "calls", a rendezvous message that is matched while its peer computes starts when the peer calls MPI again,
// and the schedule of a nonblocking collective waits in the same way. With "rounds", only the schedules of Open MPI's
// libnbc wait.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/options.hpp"
#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "base/waiter.hpp"
#include "engine/simulation.hpp"
#include "matching/request.hpp"

namespace pysmpi {

// Messages and schedules that wait until a rank is inside MPI again.
class Progress : public SimulationPart<Progress> {
 public:
  // Let a matched message start when the rank is inside MPI again. `receive` is its receive.
  void delay(RankId away, RequestId receive);
  // Let a schedule of the rank continue when the rank is inside MPI again.
  void delay(RankId away, Waiter& schedule) { waiting_[away].schedules.push_back(&schedule); }
  void forget(RequestId receive);  // the delayed message has failed
  void go_on(RankId entered);      // the rank is inside MPI, or has ended

 private:
  struct Waiting {
    std::vector<RequestId> receives;
    std::vector<Waiter*> schedules;
  };
  std::unordered_map<RankId, Waiting> waiting_;  // looked up, never iterated
};
extern template class SimulationPart<Progress>;

// Return whether messages and schedules of the rank must wait, because it is outside MPI: it computes, sleeps, waits
// for another of its threads or reads a clock.
inline bool must_wait_for(RankId rank) {
  return options().progress_by_calls && simulation_active() && simulation().is_away(rank);
}

}  // namespace pysmpi
