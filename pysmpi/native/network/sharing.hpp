// Weighted max-min sharing of links among flows, re-solved for whole connected components as SimGrid does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/types.hpp"
#include "network/network.hpp"

namespace pysmpi {

class Sharing {
 public:
  LinkId add_link(double capacity, SharingPolicy policy);
  double capacity(LinkId link) const { return links_[link].capacity; }

  FlowId add(double bound, double penalty, std::span<const LinkId> route, std::span<const LinkId> back_route);
  void enable(FlowId flow);
  void remove(FlowId flow);

  bool stale() const { return modified_any_; }
  void solve(std::vector<FlowId>& changed);
  double value(FlowId flow) const { return flows_[flow].value; }
  bool enabled(FlowId flow) const { return flows_[flow].enabled; }

  NetworkCounters counters;
  double precision = 1e-5;

 private:
  struct Usage {
    double weight;
    LinkId link;
    FlowId flow;
    std::uint32_t newer, older;
  };
  struct Link {
    double capacity;
    double remaining, usage, level;
    SharingPolicy policy;
    bool modified = false;
    bool open = false;   // still in the heap of the solve
    bool dirty = false;  // FATPIPE: usage to be recomputed
    std::uint32_t newest = kNone;
    std::uint32_t stamp = 0, slot = 0;  // merging of routes
  };
  struct Flow {
    double bound, penalty, value;
    std::uint32_t first_usage, usage_count;
    std::uint32_t visited = 0;
    bool enabled = false, fixed = false, listed = false;
  };
  void push(LinkId link);
  void spread(LinkId link);
  void fix(FlowId flow, double value);

  std::vector<Link> links_;
  std::vector<Flow> flows_;
  std::vector<FlowId> free_flows_;
  std::vector<Usage> usages_;
  std::vector<std::vector<std::uint32_t>> free_blocks_;
  std::vector<LinkId> modified_;
  bool modified_any_ = false;
  std::uint32_t round_ = 1, merge_ = 0;
  struct Frame {
    std::uint32_t usage, slot;
    LinkId link;
  };
  std::vector<Frame> stack_;
  struct Level {
    double level;
    LinkId link;
    bool operator<(const Level& o) const { return level > o.level || (level == o.level && link > o.link); }
  };
  std::vector<Level> heap_;
  std::vector<LinkId> group_;
  std::vector<FlowId> candidates_;
  std::vector<Usage> merged_;
};

}  // namespace pysmpi
