// Weighted max-min fair sharing of links among flows, solved again only where something changes.
//
// The algorithm is water-filling. A water level rises in all links at once, and the rate of a flow is level / penalty
// until its bound or a full link holds it (Casanova and Marchal, RR-LIP-2002-40; Bertsekas and Gallager, Data Networks,
// section 6.5.2). Example with penalties of 1 s and no bounds: link A carries 10 bytes/s and link B 4 bytes/s; flow f
// crosses A, g crosses A and B, h crosses B.
//
//     round   level at which A, B are full    result
//     1       A: 10 / 2 = 5    B: 4 / 2 = 2   B is full first: it holds g and h at 2 bytes/s
//     2       A: (10 - 2) / 1 = 8             A holds f at 8 bytes/s
//
// Now h ends. B is not full any more, so g, which B limited, gets a new rate: g is opened. A can give g only 10 - 8 =
// 2, so f, which is held above that level, is opened too. Then B holds g at 4 bytes/s, and A holds f at 6 bytes/s.
//
// Two facts limit the work to where the change is (Ros-Giralt et al., "Designing data center networks using bottleneck
// structures", SIGCOMM 2021): a link that is not full does not couple its flows, and flows held below the level at
// which a link changes keep their rates. In the example, a third flow on A that its bound holds at 1 byte/s would not
// be opened.
//
// There are two modes. The exact mode (network/optim:Full) is the default, unless SMPI's defaults are chosen (--smpi or
// --mpi smpi). SMPI's mode (network/optim:Lazy) follows SMPI in every detail. It overlooks the same links
// (network/selective_update.hpp), and a link limits no further flows when the same small part of its capacity is left
// (precision/work-amount). A link of policy FATPIPE holds all its flows at the level of the first flow that fills it.
// In the exact mode, no link is overlooked, links are filled completely, and a FATPIPE link bounds each flow by itself.
// The exact mode looks only at watched links, which are those that would be full if each of their flows had its bound.
// In an incast, the links of the senders are not watched: one flow crosses them, and its bound is at most their
// capacity.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "base/types.hpp"
#include "network/incidence.hpp"
#include "network/level_queue.hpp"
#include "network/network.hpp"
#include "network/selective_update.hpp"

namespace pysmpi {

class Sharing {
 public:
  explicit Sharing(bool is_exact) : is_exact_(is_exact), selective_update_(!is_exact) {}

  // SMPI's precision/work-amount, which the exact mode (network/optim:Full) does not use. A link limits no further
  // flows when less than this fraction of its capacity is left. Bounds whose levels (bytes) differ by less than this
  // value are reached together. This precision influences results where flows of very different rates meet.
  double precision = 1e-5;

  const Incidence& incidence() const { return graph_; }
  Incidence& incidence() { return graph_; }
  void count_crossings() { graph_.count_crossings(); }
  const NetworkCounters& counters() const { return counters_; }
  NetworkCounters& counters() { return counters_; }

  LinkId add_link(double capacity, SharingPolicy policy);
  // Add a flow that takes no bandwidth from its links before enter() is called. `bound` is in bytes/s and `penalty` in
  // seconds (see SharedFlow). `memories` are links that the flow crosses with `memory_weight` (Incidence::add_flow).
  FlowId add_flow(double bound, double penalty, std::span<const LinkId> route, std::span<const LinkId> back_route,
                  std::span<const LinkId> memories = {}, double memory_weight = 1.0);

  // Let the flow take bandwidth from its links from now on. leave() removes the flow, and its number may be reused.
  void enter(FlowId flow);
  void leave(FlowId flow);

  // set_capacity changes the capacity of a link (bytes/s), set_terms the bound (bytes/s) and penalty (s) of a flow. The
  // next solve computes the rates that this changes.
  void set_capacity(LinkId link, double capacity);
  void set_terms(FlowId flow, double bound, double penalty);
  // Return the flow's bound (bytes/s) as add_flow or set_terms set it. In the exact mode (network/optim:Full), the
  // bound that the solver uses may be lower, because of unshared links (lower_bound).
  double bound_of(FlowId flow) const { return is_exact_ ? own_bounds_[flow] : graph_.flows[flow].bound; }
  bool set_state(LinkId link, bool on);  // returns false if the link already has this state

  // In the exact mode (network/optim:Full): lower the flow's bound to the highest rate that the flow can have on its
  // unshared links (FATPIPE), where each flow may use the whole bandwidth. enter() does the same.
  void lower_bound(FlowId flow);

  // Continue with this solver after ClockGroups has solved the sharing and has written SharedFlow::rate of all flows
  // and SharedLink::saturation of all links. If `is_solved` is false, these values are not valid, and the next solve
  // finds all rates again.
  void take_back(bool is_solved);

  // Mark the links of a flow as modified (network/selective_update.hpp), because the flow starts, or changes before it
  // takes bandwidth from them.
  void touch(FlowId flow);

  // Find the rates after all changes since the last call. Appends the flows whose end must be computed again: the flows
  // with a new rate, and the flows whose end SMPI computes again anyway.
  void solve(std::vector<FlowId>& changed);

  double rate(FlowId flow) const { return graph_.flows[flow].rate; }
  bool takes_part(FlowId flow) const { return graph_.flows[flow].takes_part; }

 private:
  // State of a link during a solve. Its open flows, whose rates are not found yet, share the bandwidth that its other
  // flows leave.
  struct alignas(64) Filling {
    LinkId link;
    std::uint32_t open = 0;   // number of open flows
    double remaining = 0.0;   // bytes/s not taken by flows that are held
    double usage = 0.0;       // weight / penalty of the open flows: the sum, or the greatest value on FATPIPE links
    double key = kNever;      // level under which the link is in the queue
    double checked = kNever;  // all flows held above this level have been opened
    bool suspect = false;     // may be overloaded even without open flows
    bool moved = false;       // its level may have fallen below its key
    bool stale = false;       // FATPIPE: `usage` must be computed again
    bool closed = false;      // the link holds no further flows in this solve
  };
  struct Outsider {
    FlowId flow;
    double level, load, usage;
  };

  void demand(LinkId link, double more);
  // Return the state of a link during the present solve, which includes the link from now on.
  Filling& join(LinkId link) {
    if (graph_.links[link].slot == kNone) begin_filling(link);
    return fillings_[graph_.links[link].slot];
  }
  void begin_filling(LinkId link);
  void open(FlowId flow);
  void open_listed();
  void fetch_ahead(const std::vector<FlowId>& flows, std::size_t at) const;
  void open_from(LinkId link, double level);
  bool open_above(Filling& filling, double level);
  void hold(FlowId flow, double rate, double level, LinkId by);
  void hold_flows(std::uint32_t filling, double level);
  double level_of(Filling& filling);
  double room_below(const Filling& filling, double level) const;
  double full_level(FlowId flow, const Usage& usage) const;
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

  const bool is_exact_;
  Incidence graph_;
  std::vector<double, LargePages<double>> own_bounds_;  // bytes/s, indexed by flow; exact mode only
  SelectiveUpdate selective_update_;
  // Level that each flow had before the present solve; negative once the solve looks for a new rate of the flow.
  std::vector<double, LargePages<double>> held_at_;
  NetworkCounters counters_;
  std::vector<FlowId> fresh_;     // flows that have entered since the last solve, in order
  std::vector<FlowId> retuned_;   // flows whose bound or penalty has changed since the last solve
  std::vector<LinkId> suspects_;  // links that may be overloaded
  std::vector<LinkId> loosened_;  // links that were full when a flow left or something changed
  double water_ = 0.0;            // water level that the present solve has reached
  std::uint32_t open_flows_ = 0;
  std::uint32_t suspects_left_ = 0;
  std::vector<Filling, LargePages<Filling>> fillings_;
  std::vector<std::uint32_t> moved_;
  LevelQueue levels_;
  std::vector<FlowId> opened_;
  std::size_t left_over_ = 0;  // all opened flows before this one are held
  std::vector<Outsider> outsiders_;
  std::vector<FlowId> held_;
  std::vector<FlowId> to_open_;  // flows that open_listed() opens
};

}  // namespace pysmpi
