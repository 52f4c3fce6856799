// Critical paths. For each rank, and for each message in flight, the path is the chain of activities without a gap that
// led to the present, as seconds by call site and kind. When a message ends a rank's wait, the rank takes over the
// message's path. The seconds of a path add up to the present time, so the path of the rank that ends last explains the
// whole run.
//
// Example: rank 0 computes for 3 s, then sends to rank 1, which has computed for 1 s and waits for 2 s. When the
// message arrives after 0.5 s, the path of rank 1 becomes 3 s of rank 0's computation and 0.5 s of network; its own
// second of computation did not matter.
//
// (Böhme et al., "Identifying the root causes of wait states in large-scale parallel applications", TOPC 3(2), 2016,
// follow the same chain backwards through a trace; going forwards needs no trace.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pysmpi {

using PathId = std::uint32_t;  // reference-counted path; 0: the empty path

enum class PathKind : std::uint8_t { kComputation, kOverhead, kNetwork, kOther };
constexpr std::uint32_t kPathKinds = 4;

class Paths {
 public:
  // Number of entries for call sites in a path. Call sites that do not fit share the last entry.
  static constexpr std::uint32_t kMostSites = 128;

  Paths() { new_path(); }

  PathId share(PathId path) {
    ++references_[path];
    return path;
  }
  void release(PathId path) {
    if (path != 0 && --references_[path] == 0) free_.push_back(path);
  }

  // Add `seconds` at the call site `site` to the path, and return the longer path. The caller's reference to `path` is
  // released; the returned path carries a reference that the caller must release.
  PathId extend(PathId path, std::uint32_t site, PathKind kind, double seconds) {
    site = std::min(site, kMostSites - 1);
    if (site >= sites_) widen(site + 1);
    if (path == 0 || references_[path] > 1) {
      const PathId copy = new_path();
      std::copy_n(&seconds_[place(path)], width(), &seconds_[place(copy)]);
      release(path);
      path = copy;
    }
    seconds_[place(path) + site * kPathKinds + static_cast<std::uint32_t>(kind)] += seconds;
    return path;
  }

  std::uint32_t sites() const { return sites_; }
  double seconds(PathId path, std::uint32_t site, std::uint32_t kind) const {
    return seconds_[place(path) + site * kPathKinds + kind];
  }

 private:
  std::size_t width() const { return std::size_t{sites_} * kPathKinds; }
  std::size_t place(PathId path) const { return path * width(); }

  PathId new_path() {
    if (!free_.empty()) {
      const PathId path = free_.back();
      free_.pop_back();
      references_[path] = 1;
      return path;
    }
    references_.push_back(1);
    seconds_.resize(references_.size() * width());
    return static_cast<PathId>(references_.size() - 1);
  }

  void widen(std::uint32_t sites) {
    const std::uint32_t wider = std::min(kMostSites, std::max(sites, 2 * sites_));
    std::vector<double> seconds(references_.size() * wider * kPathKinds);
    for (std::size_t path = 0; path < references_.size(); ++path) {
      std::copy_n(&seconds_[path * width()], width(), &seconds[path * wider * kPathKinds]);
    }
    sites_ = wider;
    seconds_.swap(seconds);
  }

  std::uint32_t sites_ = 4;
  std::vector<double> seconds_;            // indexed by path, call site and kind
  std::vector<std::uint32_t> references_;  // reference count of each path
  std::vector<PathId> free_;
};

}  // namespace pysmpi
