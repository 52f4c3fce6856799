// Settings that exist once in a process, and that each rank can change for itself.
#include "isolation/process_settings.hpp"

#include <Python.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace pysmpi {

namespace {

bool same_file(int left, int right) {
  struct stat first{};
  struct stat second{};
  return fstat(left, &first) == 0 && fstat(right, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

}  // namespace

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

void ProcessSettings::note_stream(RankId rank, int descriptor, int before) {
  int& shared = shared_.streams[static_cast<std::size_t>(descriptor)];
  if (shared == kShared) {
    shared = before;
  } else {
    close(before);
  }
  int& own = of_rank_[rank].streams[static_cast<std::size_t>(descriptor)];
  if (own != kShared) close(std::exchange(own, kShared));
  if (!same_file(descriptor, shared)) own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
}

void ProcessSettings::forget(RankId rank) {
  const auto found = of_rank_.find(rank);
  if (found == of_rank_.end()) return;
  for (const int stream : found->second.streams) {
    if (stream != kShared) close(stream);
  }
  of_rank_.erase(found);
}

void ProcessSettings::end() {
  for (const int stream : shared_.streams) {
    if (stream != kShared) close(stream);
  }
  shared_ = {};
}

ProcessSettings::Values ProcessSettings::values_of(RankId rank) const {
  const auto found = of_rank_.find(rank);
  Values values = found == of_rank_.end() ? Values{} : found->second;
  if (values.mask == kShared) values.mask = shared_.mask;
  if (values.recursion_limit == kShared) values.recursion_limit = shared_.recursion_limit;
  for (std::size_t i = 0; i < values.streams.size(); ++i) {
    if (values.streams[i] == kShared) values.streams[i] = shared_.streams[i];
  }
  return values;
}

void ProcessSettings::put(const Values& leaving, const Values& entering) {
  if (leaving.mask != entering.mask) umask(static_cast<mode_t>(entering.mask));
  if (leaving.recursion_limit != entering.recursion_limit) Py_SetRecursionLimit(entering.recursion_limit);
  for (std::size_t i = 0; i < leaving.streams.size(); ++i) {
    if (leaving.streams[i] != entering.streams[i]) dup2(entering.streams[i], static_cast<int>(i));
  }
}

}  // namespace pysmpi
