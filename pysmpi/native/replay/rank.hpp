// Native ranks: ranks that are not greenlets. A native rank only runs a schedule, which the engine drives from its own
// events without a Python interpreter in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/fiber.hpp"
#include "matching/point_to_point.hpp"
#include "schedule/runner.hpp"

namespace pysmpi {

inline constexpr std::int32_t kNativeWorld = 0x44000000;  // MPI_COMM_WORLD in MPICH's ABI; contains all ranks

// The place in its program that a rank has reached, for reports.
struct Position {
  std::int64_t line = 0;         // line in the input text
  const char* action = nullptr;  // for example "recv"
};

// The program of all ranks. It lives as long as the simulation.
class NativeProgram {
 public:
  virtual ~NativeProgram() = default;
  virtual Schedule run(Runner& runner, RankId rank) = 0;
  virtual Position position(RankId rank) const = 0;
};

// Run `program` on all ranks of the simulation, none of which may have started.
void begin_native_ranks(std::unique_ptr<NativeProgram> program);

const NativeProgram* native_program();          // null if ranks are greenlets
const std::vector<double>& native_end_times();  // simulated seconds, indexed by rank; negative: not ended

// The failure of a rank's message. It stops the rank and the simulation.
struct NativeFailure {
  RankId rank = -1;
  std::string text;
};
void fail_natively(RankId rank, std::string text);
const NativeFailure& native_failure();

class NativeRank;

// All native ranks, and the program that they run.
struct NativeRanks : SimulationPart<NativeRanks> {
  NativeRanks();
  ~NativeRanks();

  std::unique_ptr<NativeProgram> program;  // null if ranks are greenlets
  std::vector<std::unique_ptr<NativeRank>> ranks;
  std::vector<double> end_times;  // simulated seconds, indexed by rank; negative: not ended
  NativeFailure failure;
};

// Report an action to observers as a call: it begins with the object's construction and ends with its destruction.
class ObservedAction {
 public:
  ObservedAction(RankId rank, const char* action);
  ObservedAction(const ObservedAction&) = delete;
  ObservedAction& operator=(const ObservedAction&) = delete;
  ~ObservedAction();

 private:
  const Fiber& thread_;
};

// Record that the rank is about to wait in this action, for reports of blocked ranks.
void show_native_wait(RankId rank, const char* action, WaitKind kind);

}  // namespace pysmpi
