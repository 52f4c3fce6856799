#include "value_flow/owners.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace pysmpi {

namespace {

constexpr std::int32_t kNobody = -1;
constexpr double kUnits = 1e9;  // votes are compared in units of 1e-9, since sums of 1/3 depend on their order

class Vote {
 public:
  explicit Vote(std::int32_t nodes) : votes_(static_cast<std::size_t>(nodes), 0.0) {}

  void add(std::int32_t node, double weight) {
    if (votes_[node] == 0) voted_.push_back(node);
    votes_[node] += weight;
  }
  // Returns the node with most votes, and forgets all votes; kNobody if there was none.
  std::int32_t close() {
    std::int32_t best = kNobody;
    double most = 0;
    for (const std::int32_t node : voted_) {
      const double votes = std::nearbyint(votes_[node] * kUnits);
      if (best == kNobody || votes > most || (votes == most && node < best)) best = node, most = votes;
      votes_[node] = 0;
    }
    voted_.clear();
    return best;
  }

 private:
  std::vector<double> votes_;
  std::vector<std::int32_t> voted_;
};

class Rounds {
 public:
  Rounds(const VertexGraph& graph, std::int32_t nodes, std::span<const std::uint8_t> by_sources,
         std::span<std::int32_t> owner)
      : graph_(graph), by_sources_(by_sources), owner_(owner), vote_(nodes), waits_(owner.size(), 0) {}

  void run() {
    std::vector<std::int32_t> all(owner_.size());
    for (std::size_t vertex = 0; vertex < all.size(); ++vertex) all[vertex] = static_cast<std::int32_t>(vertex);
    std::erase_if(all, [&](std::int32_t vertex) { return owner_[vertex] != kNobody; });
    candidates_ = all;
    for (;;) {
      if (round([&](std::int32_t vertex) { return by_sources_[vertex] != 0; })) continue;
      std::erase_if(all, [&](std::int32_t vertex) { return owner_[vertex] != kNobody; });
      candidates_ = all;
      if (round([](std::int32_t) { return false; })) continue;
      candidates_ = all;
      if (!round([](std::int32_t) { return true; })) break;
    }
    for (const std::int32_t vertex : all) owner_[vertex] = 0;
  }

 private:
  // Gives owners to those candidates that have neighbours with owners, and makes the neighbours of these vertices the
  // next candidates. Returns whether any vertex got an owner.
  template <typename Follows>
  bool round(Follows follows_sources) {
    chosen_.clear();
    for (const std::int32_t vertex : candidates_) {
      waits_[vertex] = 0;
      if (const std::int32_t node = elect(vertex, follows_sources(vertex)); node != kNobody) {
        chosen_.push_back({vertex, node});
      }
    }
    candidates_.clear();
    for (const Chosen& each : chosen_) owner_[each.vertex] = each.node;
    for (const Chosen& each : chosen_) {
      for (const std::int32_t source : graph_.sources(each.vertex)) wait(source, false);
      for (const std::int32_t sink : graph_.sinks(each.vertex)) wait(sink, true);
    }
    return !chosen_.empty();
  }

  void wait(std::int32_t vertex, bool by_sources) {
    if (owner_[vertex] != kNobody || waits_[vertex] != 0 || (by_sources_[vertex] != 0) != by_sources) return;
    waits_[vertex] = 1;
    candidates_.push_back(vertex);
  }

  std::int32_t elect(std::int32_t vertex, bool by_sources) {
    for (const std::int32_t other : by_sources ? graph_.sources(vertex) : graph_.sinks(vertex)) {
      if (owner_[other] == kNobody) continue;
      vote_.add(owner_[other], by_sources ? 1.0 / static_cast<double>(graph_.sinks(other).size()) : 1.0);
    }
    return vote_.close();
  }

  struct Chosen {
    std::int32_t vertex, node;
  };

  const VertexGraph& graph_;
  std::span<const std::uint8_t> by_sources_;
  std::span<std::int32_t> owner_;
  Vote vote_;
  std::vector<std::uint8_t> waits_;  // indexed by vertex: 1 if it is among the candidates
  std::vector<std::int32_t> candidates_;
  std::vector<Chosen> chosen_;
};

}  // namespace

VertexGraph::VertexGraph(std::int32_t vertices, std::span<const std::int32_t> source,
                         std::span<const std::int32_t> sink)
    : sinks_(static_cast<std::size_t>(vertices), source, [&](std::size_t edge) { return sink[edge]; }),
      sources_(static_cast<std::size_t>(vertices), sink, [&](std::size_t edge) { return source[edge]; }) {}

void own_like_neighbours(const VertexGraph& graph, std::int32_t nodes, std::span<const std::uint8_t> by_sources,
                         std::span<std::int32_t> owner) {
  Rounds(graph, nodes, by_sources, owner).run();
}

}  // namespace pysmpi
