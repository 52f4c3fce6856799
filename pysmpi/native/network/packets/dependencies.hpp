// Graph of the buffers that wait for each other: dependencies between virtual channels of links (W. J. Dally, C. L.
// Seitz, "Deadlock-free message routing in multiprocessor interconnection networks", IEEE Transactions on Computers
// C-36(5), 1987). A packet in the buffer of one link waits for room in the buffer of the next. Without a cycle, no
// packets wait for each other for ever.
//
// This class serves platforms whose routing does not assign channels. Ways, which are the sequences of links that
// packets take, are added one by one. Each link of a way gets the lowest channel that closes no cycle, but never a
// lower one than the link before it. Example with two channels: four routers in a ring, and ways of two links each,
// clockwise. The first three ways stay in channel 0: a-b, b-c, c-d. The fourth, d-a, would close the cycle a-b-c-d-a,
// so its second link takes channel 1.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_set>
#include <vector>

namespace pysmpi {

class Dependencies {
 public:
  explicit Dependencies(std::uint32_t channels) : channels_(channels) {}

  // Sets `channels` to the channel of each link of a way. The last link may use any channel, because hosts accept
  // everything. Returns false if every choice closes a cycle; cycle() then has the links of one.
  bool add_way(std::span<const std::uint32_t> links, std::vector<std::uint32_t>& channels);
  const std::vector<std::uint32_t>& cycle() const { return cycle_; }

 private:
  // Adds an edge between two buffers. Returns false, and adds nothing, if it would close a cycle.
  bool add_edge(std::uint32_t from, std::uint32_t to);
  void keep_cycle(std::uint32_t from, std::uint32_t to);

  std::uint32_t channels_;
  std::unordered_set<std::uint64_t> edges_;
  // Indexed by the number of a buffer, which is link * channels + channel.
  std::vector<std::vector<std::uint32_t>> next_, before_;
  std::vector<std::uint32_t> order_;  // topological: an edge leads from a lower to a higher number
  std::vector<std::uint32_t> found_from_, mark_;
  std::uint32_t latest_mark_ = 0;
  std::vector<std::uint32_t> cycle_;
};

}  // namespace pysmpi
