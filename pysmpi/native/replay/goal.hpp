// A program in LogGOPSim's GOAL language (Hoefler, Siebert, Lumsdaine, "Group Operation Assembly Language", ICPP 2009;
// Hoefler, Schneider, Lumsdaine, "LogGOPSim", HPDC 2010). Each rank has operations (send, receive, compute) that depend
// on each other. The operations of all ranks are in one flat array.
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
  std::uint8_t processor = 0, adapter = 0;  // GOAL's `cpu` and `nic`
  // `peer` is the destination of a send, or the source of a receive (kAnyPeer for any).
  std::int32_t rank = 0, peer = 0;
  std::int32_t tag = 0;  // 32 bits without sign, as LogGOPSim keeps tags; kAnyTag is valid for a receive
  std::uint32_t line = 0;
  // Number of operations that must end (`requires`) or begin (`irequires`) before this operation may begin.
  std::uint32_t awaited = 0;
  std::int64_t size = 0;  // bytes; for a computation, ns
};

// The operations of all ranks, rank by rank, with their dependences.
struct GoalProgram {
  static constexpr std::int32_t kAnyPeer = -2, kAnyTag = -1;  // the values that matching uses

  std::vector<GoalOperation> operations;
  std::vector<OperationId> first;  // first operation of each rank; one more entry at the end

  // Operations that depend on operation i, in `followers`: the operations that wait for its end are at positions
  // following[2 i] to following[2 i + 1], and the operations that wait for its beginning at positions following[2 i +
  // 1] to following[2 i + 2].
  std::vector<std::uint32_t> following;
  std::vector<OperationId> followers;

  bool has_wildcards = false;
  std::int32_t processors = 1, adapters = 1;  // number of processors and adapters of each rank

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

// Parse a GOAL text into `program`. Returns false, with `error` filled in, if the text is not valid.
bool read_goal(std::string_view text, GoalProgram& program, TextError& error);

}  // namespace pysmpi
