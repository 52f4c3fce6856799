// Links that SMPI overlooks.
//
// SimGrid 3.32 re-solves only the links that it has marked as modified (System::update_modified_cnst_set). A flow that
// begins to take part marks its first link, and from each link it marks, what is connected to it through the flows that
// take part. When the first link is marked already, that search is not made again, and the flow's other links may stay
// unmarked: the flow then gets a rate as if they had room for it, until something touches what is connected to them.
// This is part of SMPI's times (by up to some per cent where several messages of one sender leave at once), so it is
// followed here: the solver asks which of the links that it would have to look at are overlooked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "network/incidence.hpp"

namespace pysmpi {

class SelectiveUpdate {
 public:
  // What happened since the last solve, in that order.
  void started(FlowId flow) { started_.push_back(flow); }
  void left(LinkId link) { left_.push_back(link); }
  void changed(LinkId link) {
    changed_.push_back(link);
  }  // itself, or the terms of the flows on it; before any entered
  // A flow that started, and leaves before it has taken part: what it marked stays marked.
  void forget(FlowId flow, std::span<const Usage> usages) {
    if (std::erase(started_, flow) == 0) return;
    for (const Usage& usage : usages) left(usage.link);
  }

  // Takes the overlooked links out of `suspects` and marks them as such (SharedLink::overlooked); links overlooked by
  // an earlier solve that are marked now become suspects. `entered`: flows that take part since the last solve, in that
  // order.
  void sift(Incidence& graph, const std::vector<FlowId>& entered, std::vector<LinkId>& suspects);

 private:
  bool surely_marked(Incidence& graph, const std::vector<FlowId>& entered, const std::vector<LinkId>& suspects);
  bool mark_all(Incidence& graph, const std::vector<FlowId>& entered);
  void mark(Incidence& graph, LinkId link);
  bool spread(Incidence& graph, LinkId link, std::uint32_t entries);

  std::vector<FlowId> started_;
  std::vector<LinkId> left_;
  std::vector<LinkId> changed_;
  std::vector<LinkId> overlooked_;
  std::uint32_t round_ = 0;
  std::size_t budget_ = 0;
  std::vector<LinkId> frontier_;
};

}  // namespace pysmpi
