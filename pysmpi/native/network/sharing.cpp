#include "network/sharing.hpp"

#include <algorithm>
#include <cmath>

namespace pysmpi {

LinkId Sharing::add_link(double capacity, SharingPolicy policy) {
  Link l{};
  l.capacity = capacity;
  l.policy = policy;
  l.newest = kNone;
  links_.push_back(l);
  return static_cast<LinkId>(links_.size() - 1);
}

FlowId Sharing::add(double bound, double penalty, std::span<const LinkId> route, std::span<const LinkId> back_route) {
  merged_.clear();
  ++merge_;
  auto expand = [&](LinkId id, double w) {
    Link& l = links_[id];
    if (l.stamp == merge_) {
      Usage& u = merged_[l.slot];
      u.weight = l.policy == SharingPolicy::kShared ? u.weight + w : std::max(u.weight, w);
    } else {
      l.stamp = merge_;
      l.slot = merged_.size();
      merged_.push_back({w, id, 0, kNone, kNone});
    }
  };
  for (LinkId l : route) expand(l, 1.0);
  for (LinkId l : back_route) expand(l, 0.05);
  FlowId id;
  if (free_flows_.empty()) {
    id = flows_.size();
    flows_.emplace_back();
  } else {
    id = free_flows_.back();
    free_flows_.pop_back();
  }
  Flow& f = flows_[id];
  f = Flow{};
  f.bound = bound;
  f.penalty = penalty;
  f.usage_count = merged_.size();
  if (free_blocks_.size() <= merged_.size()) free_blocks_.resize(merged_.size() + 1);
  auto& blocks = free_blocks_[merged_.size()];
  if (blocks.empty()) {
    f.first_usage = usages_.size();
    usages_.resize(usages_.size() + merged_.size());
  } else {
    f.first_usage = blocks.back();
    blocks.pop_back();
  }
  for (std::size_t i = 0; i < merged_.size(); ++i) {
    merged_[i].flow = id;
    usages_[f.first_usage + i] = merged_[i];
    push(merged_[i].link);
  }
  modified_any_ = true;
  ++counters.flows;
  return id;
}

void Sharing::push(LinkId link) {
  if (links_[link].modified) return;
  links_[link].modified = true;
  modified_.push_back(link);
  spread(link);
}

void Sharing::spread(LinkId start) {
  stack_.push_back({links_[start].newest, 0, start});
  while (!stack_.empty()) {
    Frame& fr = stack_.back();
    if (fr.usage == kNone) {
      stack_.pop_back();
      continue;
    }
    Flow& f = flows_[usages_[fr.usage].flow];
    if (fr.slot >= f.usage_count || f.visited == round_) {
      f.visited = round_;
      fr.usage = usages_[fr.usage].older;
      fr.slot = 0;
      continue;
    }
    LinkId other = usages_[f.first_usage + fr.slot++].link;
    if (other != fr.link && !links_[other].modified) {
      links_[other].modified = true;
      modified_.push_back(other);
      stack_.push_back({links_[other].newest, 0, other});
    }
  }
}

void Sharing::enable(FlowId id) {
  Flow& f = flows_[id];
  f.enabled = true;
  modified_any_ = true;
  for (std::uint32_t i = f.first_usage; i < f.first_usage + f.usage_count; ++i) {
    Usage& u = usages_[i];
    Link& l = links_[u.link];
    u.newer = kNone;
    u.older = l.newest;
    if (l.newest != kNone) usages_[l.newest].newer = i;
    l.newest = i;
  }
  if (f.usage_count) push(usages_[f.first_usage].link);
}

void Sharing::remove(FlowId id) {
  Flow& f = flows_[id];
  if (f.enabled) {
    modified_any_ = true;
    if (f.usage_count) push(usages_[f.first_usage].link);
    for (std::uint32_t i = f.first_usage; i < f.first_usage + f.usage_count; ++i) {
      Usage& u = usages_[i];
      Link& l = links_[u.link];
      if (u.newer == kNone)
        l.newest = u.older;
      else
        usages_[u.newer].older = u.older;
      if (u.older != kNone) usages_[u.older].newer = u.newer;
    }
  }
  free_blocks_[f.usage_count].push_back(f.first_usage);
  free_flows_.push_back(id);
  f.enabled = false;
}

void Sharing::fix(FlowId id, double value) {
  Flow& f = flows_[id];
  f.value = value;
  f.fixed = true;
  for (std::uint32_t i = f.first_usage; i < f.first_usage + f.usage_count; ++i) {
    const Usage& u = usages_[i];
    Link& l = links_[u.link];
    if (!l.open) continue;
    if (l.policy == SharingPolicy::kFatpipe) {
      l.dirty = true;
      continue;
    }
    const double threshold = l.capacity * precision;
    l.remaining -= u.weight * value;
    if (l.remaining < threshold) l.remaining = 0;
    l.usage -= u.weight / f.penalty;
    if (l.usage < precision) l.usage = 0;
    if (!(l.usage > precision) || !(l.remaining > threshold))
      l.open = false;
    else
      l.level = l.remaining / l.usage;
  }
}

void Sharing::solve(std::vector<FlowId>& changed) {
  if (!modified_any_) return;
  modified_any_ = false;
  ++counters.solves;
  heap_.clear();
  for (LinkId id : modified_) {
    Link& l = links_[id];
    ++counters.links_touched;
    l.remaining = l.capacity;
    l.usage = 0;
    for (std::uint32_t i = l.newest; i != kNone; i = usages_[i].older) {
      Flow& f = flows_[usages_[i].flow];
      f.value = 0;
      f.fixed = false;
      const double u = usages_[i].weight / f.penalty;
      l.usage = l.policy == SharingPolicy::kShared ? l.usage + u : std::max(l.usage, u);
    }
    l.open = l.usage > 0;
    l.dirty = false;
    if (l.open) {
      l.level = l.remaining / l.usage;
      heap_.push_back({l.level, id});
    }
  }
  std::make_heap(heap_.begin(), heap_.end());
  auto pop = [&] {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  };
  // Brings the true least level to the top; false when none is left.
  auto settle_top = [&]() -> bool {
    while (!heap_.empty()) {
      const Level top = heap_.front();
      Link& l = links_[top.link];
      if (l.open && l.dirty) {
        l.dirty = false;
        l.usage = 0;
        for (std::uint32_t i = l.newest; i != kNone; i = usages_[i].older) {
          const Flow& f = flows_[usages_[i].flow];
          if (!f.fixed) l.usage = std::max(l.usage, usages_[i].weight / f.penalty);
        }
        if (!(l.usage > precision))
          l.open = false;
        else
          l.level = l.remaining / l.usage;
      }
      if (!l.open) {
        pop();
      } else if (l.level > top.level) {
        pop();
        heap_.push_back({l.level, top.link});
        std::push_heap(heap_.begin(), heap_.end());
      } else {
        return true;
      }
    }
    return false;
  };
  while (settle_top()) {
    const double least = links_[heap_.front().link].level;
    group_.clear();
    do {
      group_.push_back(heap_.front().link);
      pop();
    } while (settle_top() && links_[heap_.front().link].level == least);
    candidates_.clear();
    double least_bound = -1;
    for (LinkId id : group_) {
      for (std::uint32_t i = links_[id].newest; i != kNone; i = usages_[i].older) {
        Flow& f = flows_[usages_[i].flow];
        if (f.fixed || f.listed) continue;
        f.listed = true;
        candidates_.push_back(usages_[i].flow);
        const double b = f.bound * f.penalty;
        if (f.bound > 0 && b < least) least_bound = least_bound < 0 ? b : std::min(least_bound, b);
      }
    }
    for (FlowId id : candidates_) {
      Flow& f = flows_[id];
      f.listed = false;
      if (least_bound < 0)
        fix(id, least / f.penalty);
      else if (std::fabs(least_bound - f.bound * f.penalty) < precision)
        fix(id, f.bound);
    }
    for (LinkId id : group_) {
      if (!links_[id].open) continue;
      heap_.push_back({links_[id].level, id});
      std::push_heap(heap_.begin(), heap_.end());
    }
  }
  for (LinkId id : modified_) {
    Link& l = links_[id];
    l.modified = false;
    for (std::uint32_t i = l.newest; i != kNone; i = usages_[i].older) {
      Flow& f = flows_[usages_[i].flow];
      if (f.listed) continue;
      f.listed = true;
      changed.push_back(usages_[i].flow);
    }
  }
  for (FlowId id : changed) flows_[id].listed = false;
  counters.flows_touched += changed.size();
  modified_.clear();
  ++round_;
}

}  // namespace pysmpi
