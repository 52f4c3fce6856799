// Ranks that are no greenlets: a schedule is all that such a rank does, and the engine runs it from its own events,
// with no interpreter in between.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/fiber.hpp"
#include "matching/point_to_point.hpp"
#include "schedule/runner.hpp"

namespace pysmpi {

inline constexpr std::int32_t kNativeWorld = 0x44000000;  // MPI_COMM_WORLD of MPICH's ABI, which all ranks are in

// Where a rank's program has come to, for reports.
struct Position {
  std::int64_t line = 0;         // of the text that it comes from
  const char* action = nullptr;  // "recv"
};

// What ranks do. Lives as long as their simulation.
class NativeProgram {
 public:
  virtual ~NativeProgram() = default;
  virtual Schedule run(Runner& runner, RankId rank) = 0;
  virtual Position position(RankId rank) const = 0;
};

// All ranks of the simulation, none of which has begun yet, run this program.
void begin_native_ranks(std::unique_ptr<NativeProgram> program);
void end_native_ranks();

const NativeProgram* native_program();          // null: ranks are greenlets
const std::vector<double>& native_end_times();  // by rank, simulated seconds; negative: it has not ended

// What a message of a rank has met: the rank goes no further, nor does the simulation.
struct NativeFailure {
  RankId rank = -1;
  std::string text;
};
void fail_natively(RankId rank, std::string text);
const NativeFailure& native_failure();

// While it lives the rank is in this action, which is a call to observers.
class ToldAction {
 public:
  ToldAction(RankId rank, const char* action);
  ToldAction(const ToldAction&) = delete;
  ToldAction& operator=(const ToldAction&) = delete;
  ~ToldAction();

 private:
  const Fiber& thread_;
};

// The rank is about to wait in this action.
void show_native_wait(RankId rank, const char* action, WaitKind kind);

}  // namespace pysmpi
