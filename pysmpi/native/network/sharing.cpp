// The solver of max-min fair sharing. A flow is called "open" while the solver looks for its rate, and "held" by a link
// or by its own bound when the rate is found.
#include "network/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pysmpi {

namespace {
// Relative differences below this value count as rounding errors, which change no rates.
constexpr double kRounding = 1e-12;
}  // namespace

LinkId Sharing::add_link(double capacity, SharingPolicy policy) {
  selective_update_.add_link();
  const LinkId link = graph_.add_link(capacity, policy);
  graph_.watched[link] = !is_exact_;
  return link;
}

FlowId Sharing::add_flow(double bound, double penalty, std::span<const LinkId> route,
                         std::span<const LinkId> back_route, std::span<const LinkId> memories, double memory_weight) {
  ++counters_.flows;
  const FlowId flow = graph_.add_flow(bound, penalty, route, back_route, memories, memory_weight);
  selective_update_.add_flow(graph_, flow);
  if (flow >= held_at_.size()) held_at_.resize(flow + 1);
  if (is_exact_) {
    if (flow >= own_bounds_.size()) own_bounds_.resize(flow + 1);
    own_bounds_[flow] = bound;
  }
  return flow;
}

void Sharing::lower_bound(FlowId id) {
  if (!is_exact_) return;
  double bound = own_bounds_[id];
  for (const Usage& usage : graph_.usages_of(id)) {
    const SharedLink& link = graph_.links[usage.link];
    if (link.policy == SharingPolicy::kFatpipe) bound = std::min(bound, link.capacity / graph_.weight(usage));
  }
  graph_.flows[id].bound = bound;
}

// Change the demand on a link in the exact mode (network/optim:Full): the bytes/s that the link would carry if each of
// its flows had its bound. If the demand exceeds the capacity, the link may limit flows, so the solver watches it until
// no flow is left on it.
void Sharing::demand(LinkId id, double more) {
  SharedLink& link = graph_.links[id];
  link.demand += more;
  if (graph_.watched[id] || link.policy != SharingPolicy::kShared || link.demand <= link.capacity * (1 + kRounding)) {
    return;
  }
  graph_.watched[id] = true;
  link.load = 0.0;
  for (const Crossing& crossing : graph_.newest_first(id)) {
    link.load += graph_.weight(crossing.usage) * graph_.flows[crossing.flow].rate;
  }
  if (link.load > link.capacity * (1 + kRounding)) suspects_.push_back(id);
}

// Return the water level at which the flow alone fills the link. On an unshared link (FATPIPE), all flows stop rising
// when one flow reaches this level. Rounding often decides whether the link or the flow's bound is reached first, so
// the expression is the same as in SimGrid.
double Sharing::full_level(FlowId flow, const Usage& usage) const {
  return graph_.links[usage.link].capacity / (graph_.weight(usage) / graph_.flows[flow].penalty);
}

// Return the lowest water level at which a flow fills an unshared link (FATPIPE). A flow whose own bound limits it at a
// lower level cannot fill the link. SMPI treats bounds as reached together if their levels differ by less than
// `precision`. So a flow cannot fill the link either if its bound is that close to the lower bound of another flow.
double Sharing::lowest_full_level(LinkId link) const {
  for (double from = 0.0;;) {
    double lowest = kNever;
    double reached = kNever;
    for (const Crossing& crossing : graph_.newest_first(link)) {
      const double full = full_level(crossing.flow, graph_.usages[crossing.usage]);
      const SharedFlow& flow = graph_.flows[crossing.flow];
      const double bounded = flow.bound * flow.penalty;
      if (bounded < std::max(full, from) || flow.level() < full * (1 - kRounding) || full >= lowest) continue;
      lowest = full;
      reached = bounded;
    }
    double below = lowest;
    for (const Crossing& crossing : graph_.newest_first(link)) {
      if (lowest == kNever) break;
      const SharedFlow& flow = graph_.flows[crossing.flow];
      const double bounded = flow.bound * flow.penalty;
      if (bounded >= from && reached - bounded < precision && flow.rate == flow.bound) below = std::min(below, bounded);
    }
    if (below == lowest) return lowest;
    from = below + precision;
  }
}

// Start the flow with its bound as its rate. If a link cannot carry this rate, the next solve lowers it.
void Sharing::enter(FlowId id) {
  graph_.prefetch_crossings(id);
  lower_bound(id);
  SharedFlow& flow = graph_.flows[id];
  flow.takes_part = flow.fresh = true;
  flow.rate = flow.bound;
  held_at_[id] = flow.level();
  fresh_.push_back(id);
  for (std::uint32_t i = flow.first_usage; i < flow.first_usage + flow.usage_count; ++i) {
    const Usage& usage = graph_.usages[i];
    if (is_exact_) demand(usage.link, graph_.weight(usage) * flow.bound);
    graph_.cross(id, i);
    if (!graph_.watched[usage.link]) continue;
    SharedLink& link = graph_.links[usage.link];
    if (link.policy == SharingPolicy::kShared) {
      link.load += graph_.weight(usage) * flow.rate;
      if (link.load > link.capacity * (1 + kRounding)) suspects_.push_back(usage.link);
    } else {
      const double full = full_level(id, usage);
      const bool fills = flow.level() >= full && full < link.saturation;
      if (flow.level() > std::min(link.saturation, full) * (1 + kRounding) || (fills && link.flows > 1)) {
        suspects_.push_back(usage.link);
      } else if (fills) {
        link.saturation = full;
      } else if (link.saturation < kNever && std::fabs(link.saturation - flow.level()) < precision) {
        // SMPI treats bounds as reached together if their levels differ by less than `precision`. So the flow that
        // fills the link may now be limited by its own bound, together with the bound of this flow, and no longer fill
        // the link.
        loosened_.push_back(usage.link);
      }
    }
  }
  selective_update_.mark(graph_, graph_.usages_of(id).front().link);
}

void Sharing::leave(FlowId id) {
  SharedFlow& flow = graph_.flows[id];
  if (flow.takes_part) {
    graph_.prefetch_crossings(id);
    if (flow.fresh) std::erase(fresh_, id);
    if (flow.retuned) std::erase(retuned_, id);
    selective_update_.mark(graph_, graph_.usages_of(id).front().link);
    for (std::uint32_t i = flow.first_usage; i < flow.first_usage + flow.usage_count; ++i) {
      graph_.leave(id, i);
      const Usage& usage = graph_.usages[i];
      SharedLink& link = graph_.links[usage.link];
      if (link.flows == 0) {
        link.load = link.demand = 0.0;
        link.saturation = kNever;
        graph_.watched[usage.link] = !is_exact_;
        continue;
      }
      if (is_exact_) link.demand -= graph_.weight(usage) * flow.bound;
      if (!graph_.watched[usage.link]) continue;
      const bool overloaded = link.load > link.capacity * (1 + kSameLevel);
      if (link.policy == SharingPolicy::kShared) {
        link.load -= graph_.weight(usage) * flow.rate;
      } else if (std::fabs(full_level(id, usage) - flow.level()) < precision) {
        suspects_.push_back(usage.link);  // a flow that was held together with this one may now fill the link
      }
      if (link.saturation < kNever) {
        loosened_.push_back(usage.link);
      } else if (overloaded) {
        suspects_.push_back(usage.link);
      }
    }
  }
  selective_update_.leave(id);
  graph_.erase_flow(id);
}

void Sharing::set_capacity(LinkId id, double capacity) {
  SharedLink& link = graph_.links[id];
  link.capacity = capacity;
  selective_update_.mark(graph_, id);
  if (link.flows == 0) return;
  if (is_exact_ && link.policy == SharingPolicy::kFatpipe) {
    for (const Crossing& crossing : graph_.newest_first(id)) {
      set_terms(crossing.flow, own_bounds_[crossing.flow], graph_.flows[crossing.flow].penalty);
    }
    return;
  }
  if (!graph_.watched[id]) {
    demand(id, 0.0);
    return;
  }
  if (link.saturation < kNever) loosened_.push_back(id);
  if (link.policy == SharingPolicy::kFatpipe || link.load > capacity * (1 + kRounding)) suspects_.push_back(id);
}

bool Sharing::set_state(LinkId link, bool on) { return std::exchange(graph_.links[link].on, on) != on; }

void Sharing::touch(FlowId flow) {
  for (const Usage& usage : graph_.usages_of(flow)) selective_update_.mark(graph_, usage.link);
}

void Sharing::set_terms(FlowId id, double bound, double penalty) {
  SharedFlow& flow = graph_.flows[id];
  const double before = flow.bound;
  flow.bound = bound;
  flow.penalty = penalty;
  if (is_exact_) own_bounds_[id] = bound;
  if (!flow.takes_part) return;
  if (is_exact_) {
    lower_bound(id);
    for (const Usage& usage : graph_.usages_of(id)) demand(usage.link, graph_.weight(usage) * (flow.bound - before));
  }
  if (!flow.retuned) retuned_.push_back(id);
  flow.retuned = true;
  for (const Usage& usage : graph_.usages_of(id)) {
    if (graph_.links[usage.link].saturation < kNever) loosened_.push_back(usage.link);
  }
  selective_update_.mark(graph_, graph_.usages_of(id).front().link);
}

void Sharing::take_back(bool is_solved) {
  for (SharedLink& link : graph_.links) link.load = 0.0;
  for (FlowId id = 0; id < graph_.flows.size(); ++id) {
    SharedFlow& flow = graph_.flows[id];
    if (!flow.takes_part) continue;
    held_at_[id] = flow.level();
    for (const Usage& usage : graph_.usages_of(id)) graph_.links[usage.link].load += graph_.weight(usage) * flow.rate;
    if (!is_solved) set_terms(id, own_bounds_[id], flow.penalty);
  }
}

void Sharing::begin_filling(LinkId id) {
  SharedLink& link = graph_.links[id];
  link.slot = static_cast<std::uint32_t>(fillings_.size());
  fillings_.push_back({.link = id, .remaining = link.capacity - link.load, .closed = link.overlooked});
}

// Let the present solve find a new rate for the flow. Its former rate becomes available on its links again.
void Sharing::open(FlowId id) {
  SharedFlow& flow = graph_.flows[id];
  flow.open = true;
  flow.former_rate = flow.rate;
  held_at_[id] = -1.0;
  ++open_flows_;
  opened_.push_back(id);
  const double share = 1.0 / flow.penalty;
  for (const Usage& usage : graph_.usages_of(id)) {
    if (!graph_.watched[usage.link]) continue;
    Filling& filling = join(usage.link);
    ++filling.open;
    if (graph_.links[usage.link].policy == SharingPolicy::kShared) {
      filling.remaining += graph_.weight(usage) * flow.rate;
      filling.usage += graph_.weight(usage) * share;
    } else {
      filling.usage = std::max(filling.usage, graph_.weight(usage) / flow.penalty);
    }
    if (!filling.moved) {
      filling.moved = true;
      moved_.push_back(graph_.links[usage.link].slot);
    }
  }
}

void Sharing::open_listed() {
  for (std::size_t at = 0; at < to_open_.size(); ++at) {
    fetch_ahead(to_open_, at);
    open(to_open_[at]);
  }
}

// Fetch what open() and hold() will need for the flows that follow flows[at], whose data are not in order.
void Sharing::fetch_ahead(const std::vector<FlowId>& flows, std::size_t at) const {
  constexpr std::size_t kFlow = 6, kUsages = 3;  // numbers of flows ahead; the usages are found through the flow
  if (at + kFlow < flows.size()) __builtin_prefetch(&graph_.flows[flows[at + kFlow]], 1);
  const std::size_t last = std::min(at + kUsages + 1, flows.size());
  for (std::size_t next = at == 0 ? 1 : at + kUsages; next < last; ++next) graph_.prefetch_usages(flows[next]);
}

// Let the solve find new rates for the flows that the link limited at `level`. The link no longer limits flows at this
// level, so their rates may rise.
void Sharing::open_from(LinkId id, double level) {
  level *= 1 - kSameLevel;
  to_open_.clear();
  for (const Crossing& crossing : graph_.newest_first(id)) {
    if (held_at_[crossing.flow] >= level) to_open_.push_back(crossing.flow);
  }
  open_listed();
  graph_.links[id].saturation = kNever;
}

// Called when a link is about to be full at `level`. Other links or bounds hold some of its flows above this level, but
// this link limits them more: open them, which means that new rates are found for them. With these flows open, the link
// is full at a higher level, so a flow at most at that higher level stays as it is. Returns false if no flow was
// opened.
bool Sharing::open_above(Filling& filling, double level) {
  if (level * (1 + kRounding) >= filling.checked) return false;
  const SharedLink& link = graph_.links[filling.link];
  outsiders_.clear();
  double load = filling.remaining;
  double usage = filling.usage;
  const double lowest = level * (1 + kRounding);
  for (const Crossing& crossing : graph_.newest_first(filling.link)) {
    if (held_at_[crossing.flow] <= lowest) continue;
    const double weight = graph_.weight(crossing.usage);
    const SharedFlow& flow = graph_.flows[crossing.flow];
    outsiders_.push_back({crossing.flow, flow.level(), weight * flow.rate, weight / flow.penalty});
    load += outsiders_.back().load;
    usage += outsiders_.back().usage;
  }
  if (link.policy == SharingPolicy::kShared) {
    for (bool again = true; again && !outsiders_.empty();) {
      level = load / usage;
      again = std::erase_if(outsiders_, [&](const Outsider& one) {
                if (one.level > level * (1 + kRounding)) return false;
                load -= one.load;
                usage -= one.usage;
                return true;
              }) > 0;
    }
  }
  filling.checked = level;
  // Opening a flow may reallocate fillings_, so `filling` must not be used after this.
  to_open_.clear();
  for (const Outsider& one : outsiders_) to_open_.push_back(one.flow);
  open_listed();
  return !outsiders_.empty();
}

// Fix the flow's rate for the rest of the solve. If the link `by` limits the flow, `level` is the link's level. If the
// flow's own bound limits it, `level` is zero and the flow fills no link.
void Sharing::hold(FlowId id, double rate, double level, LinkId by) {
  SharedFlow& flow = graph_.flows[id];
  flow.rate = rate;
  flow.open = false;
  --open_flows_;
  const bool falls = rate < flow.former_rate * (1 - kRounding);
  const double share = 1.0 / flow.penalty;
  for (std::uint32_t i = flow.first_usage; i < flow.first_usage + flow.usage_count; ++i) {
    const Usage& usage = graph_.usages[i];
    if (!graph_.watched[usage.link]) continue;
    SharedLink& link = graph_.links[usage.link];
    Filling& filling = fillings_[link.slot];
    --filling.open;
    if (link.policy == SharingPolicy::kShared) {
      filling.remaining -= graph_.weight(usage) * rate;
      filling.usage -= graph_.weight(usage) * share;
      if (!filling.moved && filling.open > 0 && filling.remaining < filling.key * filling.usage) {
        filling.moved = true;
        moved_.push_back(link.slot);
      }
    } else {
      filling.stale = true;
    }
    const bool fatpipe = link.policy == SharingPolicy::kFatpipe;
    if (falls && link.saturation < kNever && usage.link != by) {
      if (!filling.closed) {
        open_from(usage.link, link.saturation);
      } else if (fatpipe) {
        link.saturation = lowest_full_level(usage.link);
      }
    }
    const double rounding = rate == flow.bound ? 0.0 : kRounding;
    if (fatpipe && level >= full_level(id, usage) * (1 - rounding)) link.saturation = std::min(link.saturation, level);
  }
}

void Sharing::find_usage(Filling& filling) {
  filling.stale = false;
  filling.usage = 0.0;
  for (const Crossing& crossing : graph_.newest_first(filling.link)) {
    const SharedFlow& flow = graph_.flows[crossing.flow];
    if (flow.open) filling.usage = std::max(filling.usage, graph_.weight(crossing.usage) / flow.penalty);
  }
}

double Sharing::level_of(Filling& filling) {
  SharedLink& link = graph_.links[filling.link];
  if (link.policy == SharingPolicy::kFatpipe) {
    if (filling.stale) find_usage(filling);
    const double level = filling.usage > 0 ? link.capacity / filling.usage : kNever;
    return std::min(level, link.saturation);
  }
  if (filling.open == 0) return filling.suspect ? 0.0 : kNever;
  if (filling.open == link.flows) filling.remaining = link.capacity;  // computed exactly, without accumulated rounding
  if (filling.usage <= (is_exact_ ? 0.0 : precision)) return kNever;
  return std::max(0.0, filling.remaining / filling.usage);
}

void Sharing::queue_moved() {
  if (moved_.empty()) return;
  constexpr std::size_t kMany = 4;  // more than 1 / kMany of the links count as many
  const bool many = moved_.size() > fillings_.size() / kMany;
  levels_.grow(fillings_.size());
  for (const std::uint32_t slot : moved_) {
    Filling& filling = fillings_[slot];
    filling.moved = false;
    const double level = level_of(filling);
    if (level >= filling.key || filling.closed) continue;
    filling.key = level;
    if (many) {
      levels_.set_one_of_many(slot, level);
    } else {
      levels_.set(slot, level);
    }
  }
  if (many) levels_.order(fillings_.size());
  moved_.clear();
}

// Fix the rates of open flows of a link that is full at `level`. If no flow has a bound below `level`, all get the rate
// at `level`. Otherwise, only flows with such a bound get a rate, which is their bound; and with SMPI's precision (not
// in the exact mode), of these only the flows with the lowest bound.
void Sharing::hold_flows(std::uint32_t slot, double level) {
  const LinkId id = fillings_[slot].link;
  double least = kNever;
  held_.clear();
  for (const Crossing& crossing : graph_.newest_first(id)) {
    const SharedFlow& flow = graph_.flows[crossing.flow];
    if (!flow.open) continue;
    held_.push_back(crossing.flow);
    least = std::min(least, flow.bound * flow.penalty);
  }
  const bool bounded = least < level;
  for (std::size_t at = 0; at < held_.size(); ++at) {
    fetch_ahead(held_, at);
    const FlowId flow_id = held_[at];
    const SharedFlow& flow = graph_.flows[flow_id];
    const double bound = flow.bound * flow.penalty;
    if (!bounded) {
      hold(flow_id, level / flow.penalty, level, id);
    } else if (is_exact_ ? bound < level : std::fabs(bound - least) < precision) {
      hold(flow_id, flow.bound, 0.0, id);
    }
  }
  if (!bounded) graph_.links[id].saturation = level;
}

// When no remaining link can limit flows, fix the rate of one flow that has none yet: its bound or, as in SimGrid's
// default mode, the rate at the present water level if that is lower. Returns false if all flows have a rate.
bool Sharing::hold_left_over() {
  while (left_over_ < opened_.size() && !graph_.flows[opened_[left_over_]].open) ++left_over_;
  if (left_over_ == opened_.size()) return false;
  const SharedFlow& flow = graph_.flows[opened_[left_over_]];
  const double rate = is_exact_ ? flow.bound : std::min(flow.bound, water_ / flow.penalty);
  hold(opened_[left_over_], rate, water_, kNone);
  return true;
}

// Return the bandwidth of a link (bytes/s) that the flows held below `level` leave. SimGrid raises all flows of a link
// together, so the flows held at this level are not yet held there when SimGrid asks whether the link has room. Only
// if little remains, the flows are looked at one by one.
double Sharing::room_below(const Filling& filling, double level) const {
  const double capacity = graph_.links[filling.link].capacity;
  const double enough = capacity * precision;
  // The level has been computed from the small difference of two large rates.
  const double lost = 4 * std::numeric_limits<double>::epsilon() * capacity / filling.usage;
  double room = filling.remaining;
  for (const Crossing& crossing : graph_.newest_first(filling.link)) {
    if (room > enough) break;
    const SharedFlow& flow = graph_.flows[crossing.flow];
    if (!flow.open && flow.level() >= level * (1 - kSameLevel) - lost)
      room += graph_.weight(crossing.usage) * flow.rate;
  }
  return room;
}

// Process the link with the lowest level: fix the rates of its flows if the link is full.
void Sharing::fill(std::uint32_t slot) {
  Filling* filling = &fillings_[slot];
  double level = level_of(*filling);
  if (level > filling->key) {
    filling->key = level;
    return;
  }
  const SharedLink& link = graph_.links[filling->link];
  const bool shared = link.policy == SharingPolicy::kShared;
  // Links that fill at the same level, except for rounding, get exactly the same level.
  if (shared && level <= water_ * (1 + kRounding)) level = water_;
  filling->key = kNever;
  if (filling->suspect) {
    filling->suspect = false;
    --suspects_left_;
  }
  if (open_above(*filling, level)) return;  // opening flows has put the link into the queue again
  if (filling->open == 0) return;
  water_ = level;
  if (shared && !is_exact_ && room_below(*filling, level) <= link.capacity * precision) {
    filling->closed = true;
    graph_.links[filling->link].saturation = kNever;
    return;
  }
  hold_flows(slot, level);
  filling = &fillings_[slot];
  if (filling->open > 0) filling->key = std::min(filling->key, level_of(*filling));
}

// Raise the water level from link to link until all flows have a rate.
void Sharing::rise() {
  water_ = 0.0;
  levels_.reset(fillings_.size());
  while (open_flows_ > 0 || suspects_left_ > 0) {
    queue_moved();
    if (levels_.lowest_level() < kNever) {
      const std::uint32_t slot = levels_.lowest_place();
      fill(slot);
      levels_.set(slot, fillings_[slot].key);
    } else if (!hold_left_over()) {
      break;
    }
  }
}

// List the flows that SelectiveUpdate has met in its searches from modified links. This takes less work than
// list_marked(), and may be called only if both would list the same flows.
void Sharing::list_met(std::vector<FlowId>& changed) {
  for (const FlowId id : selective_update_.met_flows()) {
    if (id == kNone) continue;
    graph_.flows[id].listed = true;
    changed.push_back(id);
  }
}

// List every flow on marked links, in order of the marks. This includes all flows that have begun to move since the
// last solve, because their first links are marked.
void Sharing::list_marked(std::vector<FlowId>& changed) {
  // Number of usages (a usage is one flow on one link) of flows that are not listed yet. At the beginning these are the
  // usages on marked links, and those of newly entered flows on links without a mark. At zero, all flows are listed.
  std::size_t unlisted = 0;
  for (const LinkId link : selective_update_.marked()) unlisted += graph_.links[link].flows;
  for (const FlowId id : fresh_) {
    for (const Usage& usage : graph_.usages_of(id)) unlisted += selective_update_.is_marked(usage.link) ? 0 : 1;
  }
  for (const LinkId link : selective_update_.marked()) {
    if (unlisted == 0) return;
    for (const Crossing& crossing : graph_.newest_first(link)) {
      SharedFlow& flow = graph_.flows[crossing.flow];
      if (flow.listed) continue;
      flow.listed = true;
      changed.push_back(crossing.flow);
      unlisted -= flow.usage_count;
    }
  }
}

// List the flows that have begun to move since the last solve, if the marks are incomplete. As in SimGrid, flows with
// the same first link are listed together, the latest first. The order decides which of several flows that end at the
// same time comes first.
void Sharing::list_fresh(std::vector<FlowId>& changed) {
  for (const FlowId first : fresh_) {
    if (graph_.flows[first].listed) continue;
    for (const Crossing& crossing : graph_.newest_first(graph_.usages_of(first).front().link)) {
      SharedFlow& flow = graph_.flows[crossing.flow];
      if (!flow.fresh || flow.listed) break;
      flow.listed = true;
      changed.push_back(crossing.flow);
    }
    SharedFlow& flow = graph_.flows[first];
    if (!flow.listed) changed.push_back(first);
    flow.listed = true;
  }
}

void Sharing::find_rates() {
  ++counters_.solves;
  left_over_ = 0;
  for (const FlowId id : retuned_) {
    graph_.flows[id].retuned = false;
    open(id);
  }
  for (const LinkId link : loosened_) {
    if (graph_.links[link].saturation < kNever) open_from(link, graph_.links[link].saturation);
  }
  for (const LinkId link : suspects_) {
    if (!graph_.watched[link]) continue;
    Filling& filling = join(link);
    if (filling.suspect) continue;
    filling.suspect = true;
    ++suspects_left_;
    if (graph_.links[link].policy == SharingPolicy::kFatpipe) graph_.links[link].saturation = lowest_full_level(link);
    if (!filling.moved) {
      filling.moved = true;
      moved_.push_back(graph_.links[link].slot);
    }
  }
  rise();
  for (const Filling& filling : fillings_) {
    SharedLink& link = graph_.links[filling.link];
    if (link.policy == SharingPolicy::kShared && link.flows > 0) link.load = link.capacity - filling.remaining;
    link.slot = kNone;
  }
  counters_.flows_touched += opened_.size();
  counters_.links_touched += fillings_.size();
}

void Sharing::solve(std::vector<FlowId>& changed) {
  selective_update_.sift(graph_, suspects_);
  if (!suspects_.empty() || !loosened_.empty() || !retuned_.empty()) find_rates();
  if (selective_update_.given_up()) {
    list_fresh(changed);
  } else if (selective_update_.is_in_order() &&
             std::all_of(fresh_.begin(), fresh_.end(), [&](FlowId id) { return selective_update_.has_met(id); })) {
    list_met(changed);
  } else {
    list_marked(changed);
  }
  for (const FlowId id : fresh_) graph_.flows[id].fresh = false;
  fresh_.clear();
  for (const FlowId id : opened_) {
    SharedFlow& flow = graph_.flows[id];
    if (std::fabs(flow.rate - flow.former_rate) <= kRounding * flow.former_rate) {
      flow.rate = flow.former_rate;
    } else if (!flow.listed) {
      flow.listed = true;
      changed.push_back(id);
    }
    held_at_[id] = flow.level();
  }
  for (const FlowId id : changed) graph_.flows[id].listed = false;
  opened_.clear();
  fillings_.clear();
  moved_.clear();
  suspects_.clear();
  loosened_.clear();
  retuned_.clear();
  suspects_left_ = 0;
  selective_update_.clear();
}

}  // namespace pysmpi
