// Links that the large messages of a pair of ranks share in both directions (fabric/opposite-bandwidth).
#pragma once

#include <unordered_map>
#include <utility>

#include "base/options.hpp"
#include "network/carrier.hpp"
#include "network/network.hpp"

namespace pysmpi {

// With some network cards and libraries, two large messages that a pair of ranks exchanges move hardly faster together
// than one alone. Example: 1.1 times the bandwidth of one direction, 22 GB/s, gives each of the two 12 GB/s.
class PairLinks {
 public:
  struct Link {
    LinkId id = kNone;
    double capacity = 0.0;  // bytes/s
  };

  explicit PairLinks(Network& network) : network_(network) {}

  bool any() const { return !options().opposite_bandwidth.empty(); }

  // Return the link that a message crosses, or one with the number kNone. `bandwidth` is that of one direction
  // (bytes/s).
  Link link_of(const Parcel& parcel, double bandwidth) {
    constexpr double kBoth = 2.0;
    const double factor = step_value(options().opposite_bandwidth, parcel.bytes, kBoth);
    if (factor >= kBoth || parcel.source == parcel.destination) return {};
    std::uint64_t one = key(parcel.source, parcel.source_core),
                  other = key(parcel.destination, parcel.destination_core);
    if (one > other) std::swap(one, other);
    auto [found, is_new] = links_[one].try_emplace(other);
    Link& link = found->second;
    if (is_new) link = {network_.add_link(factor * bandwidth, SharingPolicy::kShared), factor * bandwidth};
    return link;
  }

 private:
  static std::uint64_t key(HostId host, std::uint32_t core) { return std::uint64_t{host} << 32 | core; }

  Network& network_;
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint64_t, Link>>
      links_;  // by the lower end, then the other
};

}  // namespace pysmpi
