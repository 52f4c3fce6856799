// A topological order that is updated with each new edge: D. J. Pearce, P. H. J. Kelly, "A dynamic topological sort
// algorithm for directed acyclic graphs", ACM Journal of Experimental Algorithmics 11, 2006. An edge that fits the
// order costs nothing; otherwise the search is limited to the buffers between its ends.
#include "network/packets/dependencies.hpp"

#include <algorithm>

namespace pysmpi {

bool Dependencies::add_way(std::span<const std::uint32_t> links, std::vector<std::uint32_t>& channels) {
  channels.assign(links.size(), 0);
  std::uint32_t channel = 0;
  for (std::size_t i = 0; i + 2 < links.size(); ++i) {
    const std::uint32_t from = links[i] * channels_ + channel;
    while (!add_edge(from, links[i + 1] * channels_ + channel)) {
      if (++channel == channels_) {
        keep_cycle(from, links[i + 1] * channels_ + channel - 1);
        return false;
      }
    }
    channels[i + 1] = channel;
  }
  return true;
}

bool Dependencies::add_edge(std::uint32_t from, std::uint32_t to) {
  const std::size_t needed = std::max(from, to) + std::size_t{1};
  while (order_.size() < needed) order_.push_back(static_cast<std::uint32_t>(order_.size()));
  if (next_.size() < needed) {
    next_.resize(needed);
    before_.resize(needed);
    found_from_.resize(needed);
    mark_.resize(needed, 0);
  }
  if (from == to) return false;
  const std::uint64_t edge = std::uint64_t{from} << 32 | to;
  if (edges_.contains(edge)) return true;
  if (order_[from] > order_[to]) {
    const std::uint32_t low = order_[to];
    const std::uint32_t high = order_[from];
    const auto by_order = [this](std::uint32_t a, std::uint32_t b) { return order_[a] < order_[b]; };
    ++latest_mark_;
    std::vector<std::uint32_t> after{to};
    mark_[to] = latest_mark_;
    for (std::size_t i = 0; i < after.size(); ++i) {
      for (const std::uint32_t each : next_[after[i]]) {
        if (mark_[each] == latest_mark_ || order_[each] > high) continue;
        found_from_[each] = after[i];
        if (each == from) return false;
        mark_[each] = latest_mark_;
        after.push_back(each);
      }
    }
    std::vector<std::uint32_t> moved{from};
    mark_[from] = latest_mark_;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      for (const std::uint32_t each : before_[moved[i]]) {
        if (mark_[each] == latest_mark_ || order_[each] < low) continue;
        mark_[each] = latest_mark_;
        moved.push_back(each);
      }
    }
    // The buffers that lead to `from` get the lowest of all these numbers, those that follow `to` the highest.
    std::sort(moved.begin(), moved.end(), by_order);
    std::sort(after.begin(), after.end(), by_order);
    moved.insert(moved.end(), after.begin(), after.end());
    std::vector<std::uint32_t> numbers;
    for (const std::uint32_t each : moved) numbers.push_back(order_[each]);
    std::sort(numbers.begin(), numbers.end());
    for (std::size_t i = 0; i < moved.size(); ++i) order_[moved[i]] = numbers[i];
  }
  edges_.insert(edge);
  next_[from].push_back(to);
  before_[to].push_back(from);
  return true;
}

// The search of add_edge has stopped at `from`, which it found from the buffers behind it.
void Dependencies::keep_cycle(std::uint32_t from, std::uint32_t to) {
  cycle_.assign(1, from / channels_);
  if (from == to) return;
  for (std::uint32_t at = found_from_[from]; at != to; at = found_from_[at]) cycle_.push_back(at / channels_);
  cycle_.push_back(to / channels_);
  std::reverse(cycle_.begin() + 1, cycle_.end());
}

}  // namespace pysmpi
