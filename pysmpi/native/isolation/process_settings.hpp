// Settings that exist once in a process, and that each rank can change for itself: file mode mask, recursion limit,
// standard streams.
#pragma once

#include <array>
#include <unordered_map>

#include "base/types.hpp"

namespace pysmpi {

class ProcessSettings {
 public:
  // Note that the running rank has changed the file mode mask or the recursion limit from `before` to `now`.
  void note_mask(RankId rank, int before, int now);
  void note_recursion_limit(RankId rank, int before, int now);

  // Replace the settings of rank `from` by those of rank `to` (-1: the main greenlet). The GIL must be held.
  void exchange(RankId from, RankId to) {
    if (!of_rank_.empty()) put(values_of(from), values_of(to));
  }

  // Note that the running rank has redirected a standard stream (descriptor 0, 1 or 2). `before` is a copy of the
  // descriptor as it was before, which this object closes.
  void note_stream(RankId rank, int descriptor, int before);

  void forget(RankId rank);
  void end();  // outside ranks, after all ranks have been forgotten

 private:
  struct Values {
    int mask = kShared;
    int recursion_limit = kShared;
    std::array<int, 3> streams = {kShared, kShared, kShared};  // copies of the descriptors, which belong to this object
  };
  static constexpr int kShared = -1;  // the rank has not changed the setting

  Values values_of(RankId rank) const;
  static void put(const Values& leaving, const Values& entering);

  std::unordered_map<RankId, Values> of_rank_;  // ranks that have changed a setting; looked up, never iterated
  Values shared_;                               // values of all other ranks, once a rank has changed them
};

}  // namespace pysmpi
