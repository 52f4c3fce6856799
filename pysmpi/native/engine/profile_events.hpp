// The events of a platform's profiles, which change hosts and links. They come in order of date; events of one date
// come in the order of the profiles. Dates are computed as in SimGrid 3.32 (src/kernel/resource/profile): the interval
// between two consecutive events is that of their dates in the list. When a list repeats, its first event follows the
// last one after `loop_after` plus the first event's own date. Example: events at 1 s and 4 s with loop_after 2 s take
// place at 1, 4, 7, 10, 13, … s.
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
  // `profiles` must outlive this object, which refers to them.
  explicit ProfileEvents(const std::vector<Profile>& profiles);

  bool empty() const { return heap_.empty(); }
  double next() const { return heap_.empty() ? kNever : heap_.top().date; }

  // Remove and return the next event, and schedule the one that follows it in its profile.
  ProfileEvent take();

  // Return whether a profile will raise the speed of this host, which is zero at present.
  bool will_speed_up(HostId host) const;

 private:
  struct Coming {
    double date;
    std::uint32_t profile, event;                // indices
    bool operator<(const Coming& other) const {  // std::priority_queue keeps the greatest entry on top
      return date > other.date || (date == other.date && profile > other.profile);
    }
  };
  static bool loops(const Profile& profile);

  const std::vector<Profile>* profiles_;
  // Index of each profile's next event; past the end if there is none.
  std::vector<std::uint32_t> next_events_;
  std::priority_queue<Coming> heap_;
};

}  // namespace pysmpi
