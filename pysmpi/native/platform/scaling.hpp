// What if the machine were another one: factors on what its description says.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace pysmpi {

// One for all, and others for some of them.
class Factors {
 public:
  double of(std::uint32_t item) const {
    if (own_.empty()) return all_;
    const auto found = own_.find(item);
    return found == own_.end() ? all_ : found->second;
  }
  void multiply_all(double by) {
    all_ *= by;
    for (auto& [item, factor] : own_) factor *= by;
  }
  void multiply(std::uint32_t item, double by) { own_.try_emplace(item, all_).first->second *= by; }

 private:
  double all_ = 1.0;
  std::unordered_map<std::uint32_t, double> own_;  // looked up; its order decides nothing
};

struct Scaling {
  Factors bandwidths;  // of links
  Factors speeds;      // of hosts: of all that is computed there, times that are given in seconds among it
  double latencies = 1.0;
};

}  // namespace pysmpi
