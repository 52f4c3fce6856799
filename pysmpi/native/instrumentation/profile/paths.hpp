// Critical paths: for each rank, and for each message on its way, the chain of what led there without a gap, as seconds
// by call site and kind. When a message ends a rank's wait, the rank's path becomes the message's. The seconds of a
// path add up to the present time, so that of the rank that ends last explains the whole run (Böhme et al.,
// "Identifying the root causes of wait states in large-scale parallel applications", TOPC 3(2), 2016, follow the same
// chain backwards through a trace; forwards, it takes no trace).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace pysmpi {

using PathId = std::uint32_t;  // a reference to a path; 0: the empty one

enum class PathKind : std::uint8_t { kComputation, kOverhead, kNetwork, kOther };
constexpr std::uint32_t kPathKinds = 4;

class Paths {
 public:
  // Sites from this number on share the last one's place.
  static constexpr std::uint32_t kMostSites = 128;

  Paths() { new_path(); }

  PathId share(PathId path) {
    ++references_[path];
    return path;
  }
  void let_go(PathId path) {
    if (path != 0 && --references_[path] == 0) free_.push_back(path);
  }

  // Seconds are added to the path, of which the reference is given up for one to the longer path.
  PathId extend(PathId path, std::uint32_t site, PathKind kind, double seconds) {
    site = std::min(site, kMostSites - 1);
    if (site >= sites_) widen(site + 1);
    if (path == 0 || references_[path] > 1) {
      const PathId copy = new_path();
      std::copy_n(&seconds_[place(path)], width(), &seconds_[place(copy)]);
      let_go(path);
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
  std::vector<double> seconds_;            // by path, site and kind
  std::vector<std::uint32_t> references_;  // by path
  std::vector<PathId> free_;
};

}  // namespace pysmpi
