// How InfiniBand slows down flows that leave or enter a host together (Vienne, "Prédiction de performances
// d'applications de calcul haute performance sur réseau Infiniband", doctoral thesis, Grenoble 2010), as SimGrid has it
// (SimGrid 3.32, src/surf/network_ib.cpp): a flow's bound is divided by the greater of two penalties.
//
// Out: n flows that leave a host share n × beta_s, times gamma_s when one of them goes to a host that more than two
// enter. In: a flow to a host that s hosts send to, k flows of its own host among them, has k × beta_e × s.
//
// A flow that starts or ends changes the penalties of those that leave its source and of those that enter its
// destination, and, when these become more than two or cease to be, of all that leave their senders: only these are
// reckoned. SimGrid reckons all that are connected to the source through flows, and a flow that has ended connects
// nothing: where it was the only connection, what enters its destination keeps its penalties until something that is
// connected to it happens. That is part of its times, so it is followed here.
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

  // A flow of this bound, in bytes/s, starts between two hosts, or ends; nothing happens when they are one host. The
  // bounds that follow for it and for others, whether they are new or not, are appended.
  void start(FlowId flow, HostId source, HostId destination, double bound, std::vector<Change>& bounds);
  void end(FlowId flow, std::vector<Change>& bounds);

 private:
  struct Flow {
    HostId source = kNone, destination = kNone;  // kNone: it has no part in this
    double bound = 0.0;                          // without penalty
  };
  struct Sender {
    HostId host;
    std::uint32_t flows;
  };
  struct Host {
    std::vector<FlowId> out, in;        // flows, in the order in which they started
    std::vector<Sender> senders;        // of those that come in, by host
    std::uint32_t to_busy = 0;          // flows that leave for hosts that more than two enter
    std::uint32_t seen = 0;             // the last search that came here, from one end,
    std::uint32_t seen_from_other = 0;  // or from the other
    bool stale = false;                 // the penalties of what enters it are to be reckoned
  };

  Host& host(HostId id);
  void reckon_flow(FlowId flow, std::vector<Change>& bounds) const;
  void reckon_out(HostId source, std::vector<Change>& bounds) const;
  void reckon_in(HostId destination, bool senders_too, std::vector<Change>& bounds) const;
  void reckon_stale(HostId from, std::vector<Change>& bounds);
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
