// Returns the events of all profiles in order of time.
#include "engine/profile_events.hpp"

#include <algorithm>

namespace pysmpi {

ProfileEvents::ProfileEvents(const std::vector<Profile>& profiles) : profiles_(&profiles) {
  for (std::uint32_t i = 0; i < profiles.size(); ++i) {
    next_events_.push_back(0);
    heap_.push({profiles[i].events.front().date, i, 0});
  }
}

bool ProfileEvents::loops(const Profile& profile) {
  // A list of events is repeated only if one pass through it takes time; otherwise it would be repeated forever without
  // any time passing.
  return profile.loop_after >= 0.0 && profile.events.back().date + profile.loop_after > 0.0;
}

ProfileEvent ProfileEvents::take() {
  const Coming coming = heap_.top();
  heap_.pop();
  const Profile& profile = (*profiles_)[coming.profile];
  const Profile::Event& event = profile.events[coming.event];
  std::uint32_t& next = next_events_[coming.profile];
  next = coming.event + 1;
  if (next < profile.events.size()) {
    heap_.push({coming.date + (profile.events[next].date - event.date), coming.profile, next});
  } else if (loops(profile)) {
    next = 0;
    heap_.push({coming.date + (profile.events.front().date + profile.loop_after), coming.profile, next});
  }
  return {profile.kind, profile.target, event.value};
}

bool ProfileEvents::will_speed_up(HostId host) const {
  for (std::size_t i = 0; i < profiles_->size(); ++i) {
    const Profile& profile = (*profiles_)[i];
    if (profile.kind != ProfileKind::kSpeed || profile.target != host) continue;
    const auto first = profile.events.begin() + (loops(profile) ? 0 : next_events_[i]);
    if (std::any_of(first, profile.events.end(), [](const Profile::Event& event) { return event.value > 0.0; })) {
      return true;
    }
  }
  return false;
}

}  // namespace pysmpi
