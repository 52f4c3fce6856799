// When hosts and links change: the events of a platform's profiles in the order of their dates, those of one date in
// the order of the profiles. The dates are SimGrid 3.32's (src/kernel/resource/profile): each event lies as far behind
// the one before it as the list has it, and a list that begins again has its first event `loop_after` and that event's
// own date behind its last one.
#pragma once

#include <cstdint>
#include <queue>
#include <vector>

#include "base/types.hpp"
#include "platform/profile.hpp"

namespace pysmpi {

struct ProfileEvent {
  ProfileKind kind;
  std::uint32_t target;  // host or link
  double value;
};

class ProfileEvents {
 public:
  // The profiles live as long as this.
  explicit ProfileEvents(const std::vector<Profile>& profiles);

  bool empty() const { return heap_.empty(); }
  double next() const { return heap_.empty() ? kNever : heap_.top().date; }

  // Takes the next event out; the one that follows it in its profile is then to come.
  ProfileEvent take();

  // The host will run again at some time, if its speed is zero now.
  bool will_speed_up(HostId host) const;

 private:
  struct Coming {
    double date;
    std::uint32_t profile, event;                // indices
    bool operator<(const Coming& other) const {  // std::priority_queue keeps the greatest on top
      return date > other.date || (date == other.date && profile > other.profile);
    }
  };
  static bool loops(const Profile& profile);

  const std::vector<Profile>* profiles_;
  std::vector<std::uint32_t> next_events_;  // by profile; past the end when there is none
  std::priority_queue<Coming> heap_;
};

}  // namespace pysmpi
