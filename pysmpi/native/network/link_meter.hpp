// How much of each link is used: the integral over time of its load, which is the part of its bandwidth that flows
// take. A flow is counted when it ends, or when one of its links changes.
#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"
#include "network/incidence.hpp"

namespace pysmpi {

class LinkMeter {
 public:
  void begin() { is_on_ = true; }
  bool is_on() const { return is_on_; }

  // The flow is to move so many bytes.
  void start(FlowId flow, double bytes) {
    if (flow >= uncounted_.size()) uncounted_.resize(flow + 1);
    uncounted_[flow] = bytes;
  }

  // Of the flow's bytes only so many are left. While a byte of it moves, a link of weight 1 carries 1 / `rate_factor`.
  void count(const Incidence& graph, FlowId flow, double left, double rate_factor) {
    add(graph, flow, left, rate_factor, load_seconds_);
    uncounted_[flow] = left;
  }

  // To the integrals by link is added what is not counted yet.
  void add(const Incidence& graph, FlowId flow, double left, double rate_factor,
           std::vector<double>& load_seconds) const {
    const double moved = (uncounted_[flow] - left) / rate_factor;
    if (!(moved > 0.0)) return;
    load_seconds.resize(graph.links.size());
    for (const Usage& usage : graph.usages_of(flow)) {
      load_seconds[usage.link] += moved * usage.weight / graph.links[usage.link].capacity;
    }
  }

  const std::vector<double>& load_seconds() const { return load_seconds_; }

  // A link goes off, or on again.
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
    double since = -1.0;  // s; negative while it is on
    double seconds = 0.0;
  };
  bool is_on_ = false;
  std::vector<double> uncounted_;     // bytes, by flow
  std::vector<double> load_seconds_;  // by link
  std::vector<Off> off_;              // by link, once one has gone off
};

}  // namespace pysmpi
