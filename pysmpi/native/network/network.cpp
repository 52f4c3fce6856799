// The fluid network: computes the times of the flows' events and applies changes of links to flows.
#include "network/network.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/dated_heap.hpp"
#include "base/observer.hpp"
#include "base/options.hpp"
#include "network/capacity_steps.hpp"
#include "network/clock_groups.hpp"
#include "network/date_rounding.hpp"
#include "network/group_choice.hpp"
#include "network/link_meter.hpp"
#include "network/model.hpp"
#include "network/models/infiniband.hpp"
#include "network/sharing.hpp"
#include "network/transfer_terms.hpp"

namespace pysmpi {

namespace {
// A flow that is under way.
struct Transfer {
  double remaining;    // bytes left at last_update
  double last_update;  // seconds
  double started;      // seconds
  double rate;         // bytes/s delivered since last_update
  double rate_factor;
  std::uint32_t token;
  bool has_links;
  bool under_way;
};

// Changes of latency and penalty since the start of the simulation, either of one link or summed over the links of a
// flow's route.
struct Shift {
  double latency = 0.0;  // s
  double penalty = 0.0;  // s
};

// Values of a flow from which its bound and penalty are computed again when one of its links changes.
struct Basis {
  double latency;  // latency of the route, in seconds
  double width;    // bandwidth of the narrowest link at the flow's start, in bytes/s
  double penalty;  // s
  Shift at_start;
};
}  // namespace

struct Network::Impl {
  struct Start {
    std::uint64_t order;
    double due;  // time at which the latency has passed
    FlowId flow;
    bool at_once;  // true without latency: the flow participates at once
    bool operator<(const Start& other) const { return order < other.order; }
  };
  const bool is_exact = options().exact_sharing;
  Sharing sharing{is_exact};
  DatedHeap events;  // for each flow, the time at which its latency is paid or its last byte arrives
  std::vector<Transfer, LargePages<Transfer>> transfers;
  std::vector<Start> starts;  // starts since the last next_event()
  std::vector<FlowId> changed, ended;
  std::unique_ptr<InfinibandPenalties> penalties;  // only under network/model:IB
  std::vector<InfinibandPenalties::Change> penalised;

  // With network/optim:Full (the exact mode), flows may be in groups that have one rate for all
  // (network/clock_groups.hpp). Then `transfers` contains no rates. Null if flows are not in groups.
  std::unique_ptr<ClockGroups> groups;
  GroupChoice choice;
  std::vector<std::pair<double, FlowId>> due;  // ends of flows, with their dates
  std::vector<FlowId> entering;

  CapacitySteps capacity_steps;
  LinkMeter meter;
  DateRounding date_rounding{is_exact ? options().precision_rounding : 0.0};

  bool expects_changes = false;
  std::uint32_t links_off = 0;
  std::vector<Shift> shifts;  // indexed by link; empty until a link changes
  std::vector<Basis> bases;   // indexed by flow; only if changes are expected
  // Number of flows under way that cross each link, including flows that have not begun to move because they still pay
  // their latency. Empty unless expect_changes() was called.
  std::vector<std::uint32_t> users;
  struct Failure {
    FlowId flow;
    LinkId link;
  };
  std::vector<Failure> failed;  // failures that take_failed() has not returned yet

  // Return the changes of latency and penalty since the start of the simulation, summed over the flow's links.
  Shift shift_of(FlowId flow) const {
    Shift sum;
    if (shifts.empty()) return sum;
    for (const Usage& usage : sharing.incidence().usages_of(flow)) {
      sum.latency += shifts[usage.link].latency;
      sum.penalty += shifts[usage.link].penalty;
    }
    return sum;
  }

  // Add changes of latency and penalty, both in seconds, to a flow's values, and compute its bound and penalty again.
  void shift(FlowId flow, double latency, double penalty) {
    Basis& basis = bases[flow];
    basis.latency += latency;
    basis.penalty += penalty;
    // The sum may be zero or negative because of rounding, or because both the latency and network/weight-S are zero.
    // The flow then gets the penalty of flows without latency, which is 1.
    const double weight = basis.penalty > 0 ? basis.penalty : 1.0;
    double bound = sharing.bound_of(flow);  // changes only with the latency
    if (latency != 0.0) bound = std::min(basis.width, tcp_bound(basis.latency));
    sharing.set_terms(flow, bound, weight);
  }

  // Record the changes of the link's latency and penalty, and apply them to all flows that move over the link.
  void shift_all(LinkId link, double latency, double penalty) {
    const Incidence& graph = sharing.incidence();
    if (shifts.empty()) shifts.resize(graph.links.size());
    shifts[link].latency += latency;
    shifts[link].penalty += penalty;
    if (latency == 0.0 && penalty == 0.0) return;
    for (const Crossing& crossing : graph.newest_first(link)) shift(crossing.flow, latency, penalty);
  }

  // Mark links as modified: those of the flows on this link that still pay their latency. SimGrid changes the bounds of
  // these flows at once, so their links are solved again.
  void touch_waiting(LinkId link) {
    for (FlowId flow = 0; waiting_on(link) > 0 && flow < transfers.size(); ++flow) {
      if (waits(flow) && sharing.incidence().crosses(flow, link)) sharing.touch(flow);
    }
  }

  std::uint32_t waiting_on(LinkId link) const { return users[link] - sharing.incidence().links[link].flows; }

  void count(FlowId flow, std::uint32_t change) {
    for (const Usage& usage : sharing.incidence().usages_of(flow)) users[usage.link] += change;
  }

  bool waits(FlowId flow) const { return transfers[flow].under_way && !sharing.takes_part(flow); }

  // At the end of a flow's latency, apply the changes that its links have had since the flow started.
  void catch_up(FlowId flow) {
    if (shifts.empty()) return;
    const Shift now = shift_of(flow);
    const Shift& before = bases[flow].at_start;
    if (now.latency == before.latency && now.penalty == before.penalty) return;
    shift(flow, now.latency - before.latency, now.penalty - before.penalty);
  }

  // Return the first link of the route that is off, or kNone.
  LinkId broken_link(std::span<const LinkId> route) const {
    if (links_off == 0) return kNone;
    const auto& links = sharing.incidence().links;
    const auto broken = std::find_if(route.begin(), route.end(), [&](LinkId link) { return !links[link].on; });
    return broken == route.end() ? kNone : *broken;
  }

  double remaining(double now, FlowId flow) const {
    if (groups && sharing.takes_part(flow)) return groups->left(flow, now);
    const Transfer& transfer = transfers[flow];
    return std::max(0.0, transfer.remaining - transfer.rate * (now - transfer.last_update));
  }

  // Notify observers of the bytes moved at the present rate, which ends now.
  void notify_moved(double now, FlowId flow) const {
    const Transfer& transfer = transfers[flow];
    if (!(transfer.rate > 0.0 && now > transfer.last_update)) return;
    if (date_rounding.rounds()) now = std::min(now, transfer.last_update + transfer.remaining / transfer.rate);
    const double rate = transfer.rate / transfer.rate_factor;
    notify(&Observer::flow_moved, sharing.incidence(), flow, transfer.last_update, now, rate);
  }

  // If links are metered, record the load that the flow has caused up to `date`, where it stops with `left` bytes
  // remaining.
  void stop_carrying(FlowId flow, double left, double date) {
    if (!meter.is_on()) return;
    meter.count(sharing.incidence(), flow, left, transfers[flow].rate_factor);
    meter.set_rate(sharing.incidence(), flow, 0.0, date);
  }

  // Fail the flows on a link: first those that move, the latest first, then those that still pay their latency.
  void fail_flows_on(LinkId link, double date) {
    const Incidence& graph = sharing.incidence();
    for (const auto [flow, usage] : graph.newest_first(link)) {
      if (remaining(date, flow) <= transfers[flow].rate * options().precision_timing) continue;
      stop_carrying(flow, remaining(date, flow), date);
      if (observers) notify_moved(date, flow);
      fail(flow, link);
    }
    for (FlowId flow = 0; waiting_on(link) > 0 && flow < transfers.size(); ++flow) {
      if (waits(flow) && graph.crosses(flow, link)) fail(flow, link);
    }
  }

  void fail(FlowId flow, LinkId link) {
    if (!transfers[flow].under_way) return;
    transfers[flow].under_way = false;
    withdraw(flow);
    failed.push_back({flow, link});
  }

  // Remove a flow from the list of new flows and from the events. If the flow was new, its links count as modified all
  // the same: in SimGrid, a flow that fails or is cancelled in the instant of its start has already marked them, so
  // their other flows are solved again.
  void withdraw(FlowId flow) {
    if (std::erase_if(starts, [&](const Start& start) { return start.flow == flow; }) > 0) sharing.touch(flow);
    events.remove(flow);
  }

  // Set the bounds that the InfiniBand model has computed again for some flows. As in SimGrid, bounds that differ from
  // the present ones by less than precision/timing are not set.
  void apply_penalties() {
    for (const auto& [flow, bound] : penalised) {
      if (std::fabs(sharing.bound_of(flow) - bound) < options().precision_timing) continue;
      sharing.set_terms(flow, bound, sharing.incidence().flows[flow].penalty);
    }
    penalised.clear();
  }

  void count_moving(int change) {
    choice.count(change);
    date_rounding.count(change);
  }

  void forget(FlowId flow, double now) {
    if (expects_changes) count(flow, ~std::uint32_t{0});
    transfers[flow].under_way = false;
    if (penalties) {
      penalties->end(flow, penalised);
      apply_penalties();
    }
    if (sharing.takes_part(flow)) {
      count_moving(-1);
      if (groups) groups->leave(flow, now);
      if (capacity_steps.any()) capacity_steps.touch(sharing.incidence().usages_of(flow));
    }
    sharing.leave(flow);
  }

  void enter(FlowId flow, double now) {
    count_moving(1);
    if (groups) {
      sharing.lower_bound(flow);
      groups->enter(flow, transfers[flow].remaining, transfers[flow].rate_factor, now);
    } else {
      sharing.enter(flow);
      if (capacity_steps.any()) capacity_steps.touch(sharing.incidence().usages_of(flow));
    }
  }

  void set_capacity(LinkId link, double capacity, double date) {
    if (meter.is_on()) {
      const Incidence& graph = sharing.incidence();
      for (const auto [flow, usage] : graph.newest_first(link)) {
        meter.count(graph, flow, remaining(date, flow), transfers[flow].rate_factor);
      }
      meter.pass(graph, link, date);
    }
    sharing.set_capacity(link, capacity);
  }

  // Return whether flows may be in groups. Observers and meters need the rates of single flows, which groups do not
  // keep. InfiniBand's penalties and failures of links change single flows, which groups do not support. Links whose
  // capacity changes in steps would dissolve groups often.
  bool may_group() const {
    return is_exact && !observers && !meter.is_on() && !penalties && failed.empty() && !capacity_steps.any();
  }

  // Put all moving flows into groups by the full links that limit them. Requires that the rates at `now` are solved.
  void group(double now) {
    groups = std::make_unique<ClockGroups>(sharing.incidence(), events, sharing.counters());
    groups->begin();
    for (FlowId flow = 0; flow < transfers.size(); ++flow) {
      if (!sharing.takes_part(flow)) continue;
      Transfer& transfer = transfers[flow];
      const double left = std::max(0.0, transfer.remaining - transfer.rate * (now - transfer.last_update));
      events.remove(flow);
      transfer.rate = 0.0;
      groups->take_over(flow, left, transfer.rate_factor, now);
    }
    choice.paid(groups->take_work());
  }

  // Dissolve the groups: compute the rate and the end of each flow from the level (rate times penalty) of its group. If
  // `is_solved` is false, the levels are not valid, and the next solve computes the rates.
  void ungroup(bool is_solved = true) {
    if (!groups) return;
    const double now = groups->now();
    if (groups->solve(now) < 0.0) is_solved = false;
    std::vector<FlowId> moving;
    for (FlowId flow = 0; flow < transfers.size(); ++flow) {
      if (sharing.takes_part(flow)) moving.push_back(flow);
    }
    std::sort(moving.begin(), moving.end(), [&](FlowId a, FlowId b) { return groups->order(a) > groups->order(b); });
    Incidence& graph = sharing.incidence();
    for (const FlowId flow : moving) {
      Transfer& transfer = transfers[flow];
      transfer.remaining = groups->left(flow, now);
      transfer.last_update = now;
      graph.flows[flow].rate = groups->rate(flow);
      transfer.rate = graph.flows[flow].rate * transfer.rate_factor;
      events.set(flow, now + transfer.remaining / transfer.rate);
    }
    for (LinkId link = 0; link < graph.links.size(); ++link) {
      graph.links[link].saturation = is_solved ? groups->level_of_full(link) : kNever;
    }
    groups.reset();
    sharing.take_back(is_solved);
    choice.restart(sharing.counters().flows_touched);
  }

  // Compute the levels of the groups, and return the time of the next event. Returns -1 if the groups were dissolved:
  // because the rates of single flows are needed (may_group), because rounding prevented a solution, or because groups
  // took more work than single flows would.
  double next_group_event(double now) {
    if (!may_group()) {
      ungroup();
      return -1.0;
    }
    const double date = groups->solve(now);
    if (date < 0.0) {
      choice.reject();
      ungroup(false);
    } else if (choice.is_rejected_at(groups->take_work())) {
      ungroup();
    } else {
      return std::min(events.next_time(), date);
    }
    return -1.0;
  }

  // Return the date at which the flow's latency has passed. While many flows move, the date is rounded in proportion to
  // the flow's expected duration (network/date_rounding.hpp). This duration is that of the latency and of all bytes if
  // the flow and the flows that are on its links now shared each link evenly.
  double rounded_start(const Start& start, double now) const {
    if (!date_rounding.is_active()) return start.due;
    const Incidence& graph = sharing.incidence();
    double seconds = 0.0;  // seconds that each byte takes
    for (const Usage& usage : graph.usages_of(start.flow)) {
      const SharedLink& link = graph.links[usage.link];
      seconds = std::max(seconds, graph.weight(usage) * (link.flows + 1) / link.capacity);
    }
    const double duration = start.due - now + seconds * transfers[start.flow].remaining;
    return std::max(now, DateRounding::nearest(start.due, date_rounding.precision() * duration));
  }

  void begin_starts(double now) {
    if (!std::is_sorted(starts.begin(), starts.end())) std::stable_sort(starts.begin(), starts.end());
    for (const Start& start : starts) {
      if (start.at_once) {
        enter(start.flow, now);
      } else {
        events.set(start.flow, rounded_start(start, now));
      }
      sharing.touch(start.flow);
    }
    starts.clear();
  }

  // Compute the flow's remaining bytes and the time of its end. As in SimGrid's lazy update, this happens only when the
  // flow's rate changes.
  void update(double now, FlowId flow) {
    const double cut_off = is_exact ? 0.0 : options().precision_timing * options().precision_work_amount;
    if (observers) notify_moved(now, flow);
    Transfer& transfer = transfers[flow];
    transfer.remaining -= transfer.rate * (now - transfer.last_update);
    if (transfer.remaining < cut_off) transfer.remaining = 0.0;
    transfer.last_update = now;
    transfer.rate = sharing.rate(flow) * transfer.rate_factor;
    events.set(flow, std::max(now, date_rounding.rounded(now + transfer.remaining / transfer.rate, transfer.started)));
    if (observers) notify(&Observer::flow_moves, now, sharing.incidence(), flow);
  }

  // Report the rates of the updated flows to the meter.
  void meter_rates(double now) {
    for (const FlowId flow : changed) meter.set_rate(sharing.incidence(), flow, sharing.rate(flow), now);
  }
};

Network::Network() : impl_(std::make_unique<Impl>()) {
  if (network_model().infiniband_penalties) impl_->penalties = std::make_unique<InfinibandPenalties>();
}
Network::~Network() = default;

LinkId Network::add_link(double bandwidth, SharingPolicy policy) {
  if (impl_->expects_changes) impl_->users.push_back(0);
  return impl_->sharing.add_link(bandwidth, policy);
}

void Network::set_capacity_steps(LinkId link, std::span<const CapacityStep> steps) {
  impl_->capacity_steps.add(link, steps);
  impl_->sharing.set_capacity(link, steps.front().capacity);
}

double Network::bandwidth(LinkId link) const { return impl_->sharing.incidence().links[link].capacity; }

FlowId Network::start(double now, std::span<const LinkId> route, std::span<const LinkId> back_route, double latency,
                      double size, std::uint32_t token, std::uint64_t order, FlowEnds ends, const NodeTerms& node) {
  Sharing& sharing = impl_->sharing;
  sharing.precision = options().precision_work_amount;
  if (!impl_->shifts.empty()) {
    for (const LinkId link : route) latency += impl_->shifts[link].latency;
  }
  TransferTerms terms = transfer_terms(sharing.incidence(), route, latency, size, ends.inside());
  if (!node.links.empty() || node.bandwidth > 0 || node.wait > 0 || node.slowdown != 1 || node.cards > 1)
    add_node(node, terms);
  const auto crosstraffic = options().crosstraffic ? back_route : std::span<const LinkId>();
  const bool has_links = !route.empty() || !node.links.empty();
  const FlowId flow =
      sharing.add_flow(terms.bound, terms.penalty, route, crosstraffic, node.links, terms.rate_factor * node.share);
  if (flow >= impl_->transfers.size()) {
    if (flow >= kMostDatedItems) return kNone;
    impl_->transfers.resize(flow + 1);
  }
  impl_->transfers[flow] = {.remaining = size,
                            .last_update = now,
                            .started = now,
                            .rate = 0.0,
                            .rate_factor = terms.rate_factor,
                            .token = token,
                            .has_links = has_links,
                            .under_way = true};
  if (impl_->meter.is_on()) impl_->meter.start(flow, size);
  if (impl_->penalties) {
    impl_->penalties->start(flow, ends.source, ends.destination, terms.bound, impl_->penalised);
    impl_->apply_penalties();
  }
  if (impl_->expects_changes) {
    if (flow >= impl_->bases.size()) impl_->bases.resize(flow + 1);
    impl_->bases[flow] = {latency, terms.width, terms.route_weight, impl_->shift_of(flow)};
    impl_->count(flow, 1);
  }
  impl_->starts.push_back({order, now + terms.delay, flow, terms.delay <= 0 && has_links});
  const LinkId broken = std::min(impl_->broken_link(route), impl_->broken_link(crosstraffic));
  if (broken != kNone) impl_->fail(flow, broken);
  return flow;
}

const char* Network::exhausted_by() const {
  if (impl_->sharing.incidence().flows.size() > kMostDatedItems)
    return "more than 2^26 messages in flight at once; the engine cannot number more of them";
  return impl_->events.is_worn_out() ? kTooManyDatings : nullptr;
}

void Network::measure_loads() { impl_->sharing.count_crossings(); }

double Network::load_with_one_more(LinkId link) const {
  const Incidence& graph = impl_->sharing.incidence();
  return (graph.crossed_by(link) + 1) / graph.links[link].capacity;
}

double Network::load(LinkId link) const {
  const Incidence& graph = impl_->sharing.incidence();
  return graph.crossed_by(link) / graph.links[link].capacity;
}

void Network::cancel(double now, FlowId flow) {
  if (impl_->transfers[flow].under_way) {
    impl_->stop_carrying(flow, impl_->remaining(now, flow), now);
    if (observers) impl_->notify_moved(now, flow);
  }
  impl_->withdraw(flow);
  std::erase_if(impl_->failed, [&](const Impl::Failure& failure) { return failure.flow == flow; });
  impl_->forget(flow, now);
}

void Network::expect_changes() {
  impl_->expects_changes = true;
  impl_->users.resize(impl_->sharing.incidence().links.size());
}

bool Network::set_bandwidth(LinkId link, double bandwidth, double date) {
  impl_->ungroup();
  const double before = impl_->sharing.incidence().links[link].capacity;
  impl_->set_capacity(link, bandwidth, date);
  const double weight_s = options().weight_s;
  impl_->shift_all(link, 0.0, weight_s > 0 ? weight_s / bandwidth - weight_s / before : 0.0);
  return impl_->users[link] > 0;
}

bool Network::change_latency(LinkId link, double by) {
  impl_->ungroup();
  impl_->touch_waiting(link);
  impl_->shift_all(link, by, by);
  return impl_->users[link] > 0;
}

double Network::latency_change(LinkId link) const { return impl_->shifts.empty() ? 0.0 : impl_->shifts[link].latency; }

bool Network::set_state(LinkId link, bool on, double date) {
  Impl& impl = *impl_;
  impl.ungroup();
  if (!impl.sharing.set_state(link, on)) return false;
  impl.links_off += on ? -1 : 1;
  if (impl.meter.is_on()) impl.meter.set_state(link, on, date);
  if (on) return false;
  const std::size_t before = impl.failed.size();
  impl.fail_flows_on(link, date);
  return impl.failed.size() > before;
}

bool Network::has_failed() const { return !impl_->failed.empty(); }

void Network::take_failed(std::vector<FailedFlow>& failed) {
  for (const Impl::Failure& failure : impl_->failed) {
    failed.push_back({impl_->transfers[failure.flow].token, failure.link});
    impl_->ungroup();
    impl_->forget(failure.flow, 0.0);
  }
  impl_->failed.clear();
}

double Network::remaining(double now, FlowId flow) const { return impl_->remaining(now, flow); }

double Network::rate(FlowId flow) const {
  const Impl& impl = *impl_;
  if (!impl.groups || !impl.sharing.takes_part(flow)) return impl.transfers[flow].rate;
  return impl.groups->rate(flow) * impl.transfers[flow].rate_factor;
}

double Network::next_event(double now) {
  Impl& impl = *impl_;
  impl.begin_starts(now);
  if (impl.groups) {
    const double date = impl.next_group_event(now);
    if (date >= 0.0) return date;
  }
  if (impl.capacity_steps.any()) {
    impl.capacity_steps.apply(impl.sharing.incidence(),
                              [&](LinkId link, double capacity) { impl.set_capacity(link, capacity, now); });
  }
  impl.changed.clear();
  impl.sharing.solve(impl.changed);
  for (const FlowId flow : impl.changed) impl.update(now, flow);
  if (impl.meter.is_on()) impl.meter_rates(now);
  if (impl.is_exact && impl.choice.is_due() && impl.may_group() &&
      impl.choice.pays(impl.sharing.counters().flows_touched, impl.sharing.incidence().links.size())) {
    impl.group(now);
    const double date = impl.next_group_event(now);
    if (date >= 0.0) return date;
  }
  return impl.events.next_time();
}

void Network::always_group() { impl_->choice.always(); }

void Network::settle(double now, std::vector<std::uint32_t>& finished) {
  const double precision = options().precision_timing;
  impl_->ended.clear();
  if (impl_->groups) impl_->groups->take_due(now, precision, impl_->due);
  while (impl_->events.next_time() - now < precision) {
    const FlowId flow = impl_->events.next_item();
    const double date = impl_->events.next_time();
    impl_->events.remove(flow);
    Transfer& transfer = impl_->transfers[flow];
    if (transfer.has_links && !impl_->sharing.takes_part(flow)) {
      transfer.last_update = now;
      impl_->catch_up(flow);
      if (impl_->groups) {
        impl_->entering.push_back(flow);
      } else {
        impl_->enter(flow, now);
      }
    } else if (impl_->groups) {
      impl_->due.emplace_back(date, flow);
    } else {
      impl_->stop_carrying(flow, 0.0, now);
      if (observers) impl_->notify_moved(now, flow);
      impl_->ended.push_back(flow);
      finished.push_back(transfer.token);
    }
  }
  for (const FlowId flow : impl_->entering) impl_->enter(flow, now);
  impl_->entering.clear();
  std::stable_sort(impl_->due.begin(), impl_->due.end(), [](auto& a, auto& b) { return a.first < b.first; });
  for (const auto& [date, flow] : impl_->due) {
    impl_->ended.push_back(flow);
    finished.push_back(impl_->transfers[flow].token);
  }
  impl_->due.clear();
  // Ended flows leave their links only after all flows whose latency ends now have begun to move, as in SimGrid.
  for (const FlowId flow : impl_->ended) impl_->forget(flow, now);
}

void Network::meter_links() {
  impl_->meter.begin();
  const auto& links = impl_->sharing.incidence().links;
  for (LinkId link = 0; link < links.size(); ++link) {
    if (!links[link].on) impl_->meter.set_state(link, false, 0.0);
  }
}

std::vector<double> Network::load_seconds(double now) const {
  const Incidence& graph = impl_->sharing.incidence();
  std::vector<double> loads = impl_->meter.load_seconds(graph, now);
  for (FlowId flow = 0; flow < impl_->transfers.size(); ++flow) {
    const Transfer& transfer = impl_->transfers[flow];
    if (!transfer.under_way) continue;
    impl_->meter.add(graph, flow, impl_->remaining(now, flow), transfer.rate_factor, loads);
  }
  return loads;
}

double Network::seconds_off(LinkId link, double now) const { return impl_->meter.seconds_off(link, now); }

const NetworkCounters& Network::counters() const { return impl_->sharing.counters(); }

}  // namespace pysmpi
