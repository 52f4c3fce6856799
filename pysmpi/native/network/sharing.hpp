// Weighted max-min fair sharing of links among flows, re-solved only where something changes.
//
// Water rises in all links at once: a flow's rate is level / penalty until its bound, or a link that is full, holds it
// (Casanova and Marchal, RR-LIP-2002-40; Bertsekas and Gallager, Data Networks, section 6.5.2). Two facts keep the work
// where the change is (Ros-Giralt et al., "Designing data center networks using bottleneck structures", SIGCOMM 2021):
// a link that is not full couples nothing, and what was held below the level at which a link changes stays as it is.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/types.hpp"
#include "network/incidence.hpp"
#include "network/level_queue.hpp"
#include "network/network.hpp"
#include "network/selective_update.hpp"

namespace pysmpi {

class Sharing {
 public:
  // SMPI's precision/work-amount: a link with less than this part of its capacity left holds nobody any more, and
  // bounds whose levels (bytes) differ by less are reached together. Part of the physics where flows of very unlike
  // rates meet.
  double precision = 1e-5;

  const Incidence& incidence() const { return graph_; }
  void count_crossings() { graph_.count_crossings(); }
  const NetworkCounters& counters() const { return counters_; }

  LinkId add_link(double capacity, SharingPolicy policy) {
    selective_update_.add_link();
    return graph_.add_link(capacity, policy);
  }
  FlowId add_flow(double bound, double penalty, std::span<const LinkId> route, std::span<const LinkId> back_route);

  // The flow takes part from now on; it leaves, and its number may be given to another one.
  void enter(FlowId flow);
  void leave(FlowId flow);

  // The link carries so many bytes/s from now on; the flow has another bound (bytes/s) and penalty (s).
  void set_capacity(LinkId link, double capacity);
  void set_terms(FlowId flow, double bound, double penalty);
  bool set_state(LinkId link, bool on);  // false when it is in that state

  // Something has happened to a flow that may not take part yet: it starts, or has other terms.
  void touch(FlowId flow);

  // Finds the rates after all that entered, left and changed, and appends the flows to be dated anew: those whose rate
  // is new, and what else SMPI looks at again.
  void solve(std::vector<FlowId>& changed);

  double rate(FlowId flow) const { return graph_.flows[flow].rate; }
  bool takes_part(FlowId flow) const { return graph_.flows[flow].takes_part; }

 private:
  // A link in the present solve. Flows that are open share what the others leave.
  struct Filling {
    LinkId link;
    std::uint32_t open = 0;   // open flows
    double remaining = 0.0;   // bytes/s left by flows that are not open
    double usage = 0.0;       // open flows' weights over penalties: their sum, or the greatest one (FATPIPE)
    double key = kNever;      // the level under which it is in the queue
    double checked = kNever;  // every flow that was held above this level is open
    bool suspect = false;     // it may be overloaded even without open flows
    bool moved = false;       // its level may have fallen below its key
    bool stale = false;       // FATPIPE: usage is to be found anew
    bool closed = false;      // it holds nobody any more
  };
  struct Outsider {
    FlowId flow;
    double level, load, usage;
  };

  Filling& join(LinkId link);
  void open(FlowId flow);
  void open_from(LinkId link, double level);
  bool open_above(Filling& filling, double level);
  void hold(FlowId flow, double rate, double level, LinkId by);
  void hold_flows(std::uint32_t filling, double level);
  double level_of(Filling& filling);
  double full_level(const Usage& usage) const;
  double lowest_full_level(LinkId link) const;
  void find_usage(Filling& filling);
  void fill(std::uint32_t filling);
  void rise();
  bool hold_left_over();
  void queue_moved();
  void find_rates();
  void list_met(std::vector<FlowId>& changed);
  void list_marked(std::vector<FlowId>& changed);
  void list_fresh(std::vector<FlowId>& changed);

  Incidence graph_;
  SelectiveUpdate selective_update_;
  std::vector<double> held_at_;  // by flow: its level before the present solve; below zero once that opens it
  NetworkCounters counters_;
  std::vector<FlowId> fresh_;     // entered since the last solve, in that order
  std::vector<FlowId> retuned_;   // have had other terms since then
  std::vector<LinkId> suspects_;  // may hold too much
  std::vector<LinkId> loosened_;  // were full when a flow left or something changed
  double water_ = 0.0;            // level up to which the present solve has come
  std::uint32_t open_flows_ = 0;
  std::uint32_t suspects_left_ = 0;
  std::vector<Filling> fillings_;
  std::vector<std::uint32_t> moved_;
  LevelQueue levels_;
  std::vector<FlowId> opened_;
  std::size_t left_over_ = 0;  // opened flows before this one are held
  std::vector<Outsider> outsiders_;
  std::vector<FlowId> held_;
};

}  // namespace pysmpi
