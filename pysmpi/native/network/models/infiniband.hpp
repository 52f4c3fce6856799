// InfiniBand's penalties for flows that leave or enter a host together (Vienne, "Prédiction de performances
// d'applications de calcul haute performance sur réseau Infiniband", doctoral thesis, Grenoble 2010; SimGrid
// 3.32, src/surf/network_ib.cpp). A flow's bound is divided by the greater of two penalties.
//
// Out: each of n flows that leave a host has n × beta_s, times gamma_s if one of them goes to a host that more than two
// flows enter. In: if s hosts send to a host, a flow to it has k × beta_e × s, where k is the number of flows from its
// own source. Example: of 3 flows from 3 hosts into one, each has 1 × beta_e × 3.
//
// A flow that starts or ends changes the penalties of the flows that leave its source or enter its destination. If the
// number of flows into the destination rises above two or falls to two, the penalties of all flows that leave the
// sources of these flows change too. Only these penalties are computed. SimGrid computes the penalties of all flows
// that are connected to the source through other flows. A flow that has just ended no longer connects anything. If it
// was the only connection, the flows into its destination keep their penalties until a connected flow starts or ends.
// SimGrid's times contain this effect, so it is reproduced here.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class InfinibandPenalties {
 public:
  struct Change {
    FlowId flow;
    double bound;  // bytes/s
  };

  // start() adds a flow whose bound is `bound` bytes/s without penalties, end() removes it; flows of a host to itself
  // have no effect. Both append to `bounds` each flow whose bound they have computed again, even if the bound did not
  // change.
  void start(FlowId flow, HostId source, HostId destination, double bound, std::vector<Change>& bounds);
  void end(FlowId flow, std::vector<Change>& bounds);

 private:
  struct Flow {
    HostId source = kNone, destination = kNone;  // kNone for flows of a host to itself
    double bound = 0.0;                          // rate bound without penalty, in bytes/s
  };
  struct Sender {
    HostId host;
    std::uint32_t flows;
  };
  struct Host {
    std::vector<FlowId> out, in;        // flows, in the order in which they started
    std::vector<Sender> senders;        // number of incoming flows from each sending host
    std::uint32_t to_busy = 0;          // number of outgoing flows to hosts that more than two flows enter
    std::uint32_t seen = 0;             // number of the last search that visited the host from one end
    std::uint32_t seen_from_other = 0;  // number of the last search that visited the host from the other end
    bool stale = false;                 // the penalties of incoming flows are out of date
  };

  Host& host(HostId id);
  void update_flow(FlowId flow, std::vector<Change>& bounds) const;
  void update_out(HostId source, std::vector<Change>& bounds) const;
  void update_in(HostId destination, bool senders_too, std::vector<Change>& bounds) const;
  void update_stale(HostId from, std::vector<Change>& bounds);
  bool connected(HostId one, HostId other);
  template <typename Visit>
  void neighbours(HostId id, Visit visit) const;

  std::vector<Flow> flows_;
  std::vector<Host> hosts_;
  std::vector<HostId> stale_;
  std::uint32_t search_ = 0;
  std::vector<HostId> frontier_, other_frontier_;
};

}  // namespace pysmpi
