// Metering of links: the integral over time of each link's load, which is the fraction of its bandwidth in use. On a
// shared link, the load that a flow has caused is added when the flow ends or when one of its links changes. On an
// unshared link (FATPIPE), where each flow has the whole bandwidth, the load is that of the fastest flow; it is
// integrated whenever a rate there changes.
#pragma once

#include <set>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "network/incidence.hpp"

namespace pysmpi {

class LinkMeter {
 public:
  void begin() { is_on_ = true; }
  bool is_on() const { return is_on_; }

  // Start metering a flow of `bytes` bytes.
  void start(FlowId flow, double bytes) {
    if (flow >= uncounted_.size()) uncounted_.resize(flow + 1);
    uncounted_[flow] = bytes;
  }

  // Add the load that the flow has caused since the last count; `left` bytes remain to be moved. For each byte
  // delivered, a link on the way to the receiver carries 1 / `rate_factor` bytes (weight 1), and a link on the way back
  // a fraction of this (its weight).
  void count(const Incidence& graph, FlowId flow, double left, double rate_factor) {
    add(graph, flow, left, rate_factor, load_seconds_);
    uncounted_[flow] = left;
  }

  // Add to `load_seconds`, which is indexed by link, the load that the flow has caused since the last count.
  void add(const Incidence& graph, FlowId flow, double left, double rate_factor,
           std::vector<double>& load_seconds) const {
    const double moved = (uncounted_[flow] - left) / rate_factor;
    if (!(moved > 0.0)) return;
    load_seconds.resize(graph.links.size());
    for (const Usage& usage : graph.usages_of(flow)) {
      const SharedLink& link = graph.links[usage.link];
      if (link.policy == SharingPolicy::kShared)
        load_seconds[usage.link] += moved * graph.weight(usage) / link.capacity;
    }
  }

  // Record that from now on the flow takes `rate` bytes/s from each unshared link of weight 1 on its route, and less
  // from links of lower weight.
  void set_rate(const Incidence& graph, FlowId flow, double rate, double now) {
    std::uint32_t number = graph.flows[flow].first_usage;
    for (const Usage& usage : graph.usages_of(flow)) {
      if (graph.links[usage.link].policy == SharingPolicy::kFatpipe) {
        set_fat_rate(graph, usage.link, number, rate * graph.weight(usage), now);
      }
      ++number;
    }
  }

  // Update the integral of the link's load up to `now`. To be called before the link's bandwidth changes, because the
  // load is a fraction of the bandwidth.
  void pass(const Incidence& graph, LinkId link, double now) {
    if (link < fat_.size()) fat_[link].pass(graph.links[link].capacity, now);
  }

  std::vector<double> load_seconds(const Incidence& graph, double now) const {
    std::vector<double> all = load_seconds_;
    all.resize(graph.links.size());
    for (LinkId link = 0; link < fat_.size(); ++link) {
      all[link] += fat_[link].load_seconds_at(graph.links[link].capacity, now);
    }
    return all;
  }

  // Record that a link goes off, or on again.
  void set_state(LinkId link, bool on, double date) {
    if (link >= off_.size()) off_.resize(link + 1);
    Off& off = off_[link];
    if (on && off.since >= 0.0) off.seconds += date - off.since;
    off.since = on ? -1.0 : date;
  }
  double seconds_off(LinkId link, double now) const {
    if (link >= off_.size()) return 0.0;
    return off_[link].seconds + (off_[link].since >= 0.0 ? now - off_[link].since : 0.0);
  }

 private:
  struct Off {
    double since = -1.0;  // seconds; negative while the link is on
    double seconds = 0.0;
  };
  struct Fat {
    std::multiset<double> rates;  // rates of the moving flows, in bytes/s
    double load_seconds = 0.0, since = 0.0;
    double load_seconds_at(double capacity, double now) const {
      return load_seconds + (rates.empty() ? 0.0 : *rates.rbegin() / capacity * (now - since));
    }
    void pass(double capacity, double now) {
      load_seconds = load_seconds_at(capacity, now);
      since = now;
    }
  };

  void set_fat_rate(const Incidence& graph, LinkId link, std::uint32_t usage, double rate, double now) {
    if (fat_.size() < graph.links.size()) fat_.resize(graph.links.size());
    if (rates_.size() <= usage) rates_.resize(graph.usages.size());
    if (rates_[usage] == rate) return;
    Fat& fat = fat_[link];
    fat.pass(graph.links[link].capacity, now);
    if (rates_[usage] > 0.0) fat.rates.erase(fat.rates.find(rates_[usage]));
    if (rate > 0.0) fat.rates.insert(rate);
    rates_[usage] = rate;
  }

  bool is_on_ = false;
  std::vector<double> uncounted_;     // bytes not counted yet, indexed by flow
  std::vector<double> load_seconds_;  // load integrals of shared links, indexed by link
  std::vector<Fat> fat_;              // indexed by link; empty until a flow moves over a FATPIPE link
  std::vector<double> rates_;         // bytes/s, indexed by usage of a FATPIPE link; zero while the flow does not move
  std::vector<Off> off_;              // indexed by link; empty until a link goes off
};

}  // namespace pysmpi
