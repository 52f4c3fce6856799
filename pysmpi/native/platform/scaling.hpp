// Factors on bandwidths, speeds and latencies of a platform, for what-if runs.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace pysmpi {

// Factors on the items of a platform, such as hosts: one for all items, and other factors for some of them.
class Factors {
 public:
  double of(std::uint32_t item) const {
    if (own_.empty()) return all_;
    const auto found = own_.find(item);
    return found == own_.end() ? all_ : found->second;
  }
  double of_others() const { return all_; }  // the factor of items without their own
  void multiply_all(double by) {
    all_ *= by;
    for (auto& [item, factor] : own_) factor *= by;
  }
  void multiply(std::uint32_t item, double by) { own_.try_emplace(item, all_).first->second *= by; }

 private:
  double all_ = 1.0;
  std::unordered_map<std::uint32_t, double> own_;  // only looked up, so its order does not matter
};

struct Scaling {
  Factors bandwidths;  // factors of links
  Factors speeds;      // factors of hosts, which also scale computation that is given in seconds
  Factors memories;    // factors of hosts, on the bandwidth that messages and computations share (NodeGroup::memory)
  double latencies = 1.0;
};

}  // namespace pysmpi
