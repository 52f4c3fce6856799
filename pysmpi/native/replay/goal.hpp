// A program as LogGOPSim's GOAL text has it (Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP
// 2009; Hoefler, Schneider, Lumsdaine, "LogGOPSim", HPDC 2010): each rank has operations that depend on each other.
// Flat arrays over all ranks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "replay/trace.hpp"

namespace pysmpi {

enum class OperationKind : std::uint8_t { kSend, kReceive, kCompute };

using OperationId = std::uint32_t;

struct GoalOperation {
  OperationKind kind;
  std::uint8_t processor = 0, adapter = 0;  // `cpu` and `nic`
  std::int32_t rank = 0, peer = 0;          // peer: of a receive maybe kAnyPeer
  std::int32_t tag = 0;                     // of a receive maybe kAnyTag
  std::uint32_t line = 0;
  std::uint32_t awaited = 0;  // operations that are to be done, or to have begun, before it
  std::int64_t size = 0;      // bytes; of a computation ns
};

struct GoalProgram {
  static constexpr std::int32_t kAnyPeer = -2, kAnyTag = -1;  // as in matching

  std::vector<GoalOperation> operations;
  std::vector<OperationId> first;  // by rank; one more at the end

  // Of operation i, those that wait for its end are `followers[following[2 i]]` up to `following[2 i + 1]`, and then up
  // to `following[2 i + 2]` those that wait for its beginning.
  std::vector<std::uint32_t> following;
  std::vector<OperationId> followers;

  bool has_wildcards = false;
  std::int32_t processors = 1, adapters = 1;  // of a rank

  std::int32_t ranks() const { return first.empty() ? 0 : static_cast<std::int32_t>(first.size()) - 1; }

  template <class Visit>
  void each_after_end(OperationId id, Visit&& visit) const {
    for (std::uint32_t i = following[2 * std::size_t{id}]; i < following[2 * std::size_t{id} + 1]; ++i)
      visit(followers[i]);
  }
  template <class Visit>
  void each_after_beginning(OperationId id, Visit&& visit) const {
    for (std::uint32_t i = following[2 * std::size_t{id} + 1]; i < following[2 * std::size_t{id} + 2]; ++i) {
      visit(followers[i]);
    }
  }
};

bool read_goal(std::string_view text, GoalProgram& program, TextError& error);

}  // namespace pysmpi
