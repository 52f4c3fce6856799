// Delays messages and schedules until their rank is inside MPI again.
#include "matching/progress.hpp"

#include <utility>

#include "engine/listener.hpp"
#include "matching/point_to_point.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

template class SimulationPart<Progress>;

void Progress::delay(RankId away, RequestId receive) {
  request(receive).flags |= kDelayed;
  waiting_[away].receives.push_back(receive);
}

void Progress::forget(RequestId receive) {
  request(receive).flags &= ~kDelayed;
  for (const RankId end : {request(receive).owner, request(receive).peer}) {
    if (const auto found = waiting_.find(end); found != waiting_.end()) std::erase(found->second.receives, receive);
  }
}

void Progress::go_on(RankId entered) {
  if (waiting_.empty()) return;
  const auto found = waiting_.find(entered);
  if (found == waiting_.end()) return;
  const auto [receives, schedules] = std::move(found->second);
  waiting_.erase(found);
  for (const RequestId receive : receives) {
    request(receive).flags &= ~kDelayed;
    start_matched(receive, simulation().next_order());
  }
  for (Waiter* const schedule : schedules) simulation().ready.push_back(schedule);
}

void rank_enters(RankId rank) {
  if (options().rounds_by_calls) Progress::current().go_on(rank);
}

}  // namespace pysmpi
