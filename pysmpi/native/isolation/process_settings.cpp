// Settings that exist once in a process, and that each rank can change for itself.
#include "isolation/process_settings.hpp"

#include <Python.h>
#include <sys/stat.h>

namespace pysmpi {

void ProcessSettings::note_mask(RankId rank, int before, int now) {
  if (values_of(rank).mask == kShared && shared_.mask == kShared) shared_.mask = before;
  of_rank_[rank].mask = now;
}

void ProcessSettings::note_recursion_limit(RankId rank, int before, int now) {
  if (values_of(rank).recursion_limit == kShared && shared_.recursion_limit == kShared) {
    shared_.recursion_limit = before;
  }
  of_rank_[rank].recursion_limit = now;
}

ProcessSettings::Values ProcessSettings::values_of(RankId rank) const {
  const auto found = of_rank_.find(rank);
  Values values = found == of_rank_.end() ? Values{} : found->second;
  if (values.mask == kShared) values.mask = shared_.mask;
  if (values.recursion_limit == kShared) values.recursion_limit = shared_.recursion_limit;
  return values;
}

void ProcessSettings::put(const Values& leaving, const Values& entering) {
  if (leaving.mask != entering.mask) umask(static_cast<mode_t>(entering.mask));
  if (leaving.recursion_limit != entering.recursion_limit) Py_SetRecursionLimit(entering.recursion_limit);
}

}  // namespace pysmpi
