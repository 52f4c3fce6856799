// C interface to replay: reads trace files, GOAL files and schedules, and starts ranks that run them natively.
#include "replay/c_api.h"

#include <algorithm>
#include <utility>

#include "engine/simulation.hpp"
#include "matching/request.hpp"
#include "replay/goal.hpp"
#include "replay/graph.hpp"
#include "replay/loggops.hpp"
#include "replay/rank.hpp"
#include "replay/replay.hpp"
#include "replay/schedules.hpp"
#include "replay/trace.hpp"

using namespace pysmpi;

namespace {

std::vector<RankTrace> traces;  // filled while trace files are being read
GoalProgram goal;
std::vector<pysmpi_schedule> schedules;
std::vector<GoalWait> loggops_waits;
TextError text_error;

int32_t report(pysmpi_text_error* error) {
  *error = {text_error.line, text_error.text.c_str(), text_error.word.c_str(), text_error.valid.c_str()};
  return -1;
}

}  // namespace

void pysmpi_replay_traces(int32_t ranks) {
  pysmpi_replay_forget();
  traces.resize(static_cast<std::size_t>(ranks));
}

int32_t pysmpi_replay_read_trace(int32_t rank, const char* text, int64_t length, pysmpi_text_error* error) {
  text_error = {};
  const std::string_view all(text, static_cast<std::size_t>(length));
  return read_trace(all, rank, traces, text_error) ? 0 : report(error);
}

int64_t pysmpi_replay_actions(void) {
  int64_t actions = 0;
  for (const RankTrace& trace : traces) actions += static_cast<int64_t>(trace.actions.size());
  for (const pysmpi_schedule& schedule : schedules) actions += schedule.number;
  return actions + static_cast<int64_t>(goal.operations.size());
}

int32_t pysmpi_replay_read_goal(const char* text, int64_t length, pysmpi_text_error* error) {
  pysmpi_replay_forget();
  text_error = {};
  if (!read_goal({text, static_cast<std::size_t>(length)}, goal, text_error)) return report(error);
  return goal.ranks();
}

void pysmpi_replay_run_loggops(const pysmpi_loggops_parameters* parameters, pysmpi_loggops_outcome* outcome,
                               double* out) {
  const LogGopsOutcome found =
      run_loggops(goal, {parameters->latency, parameters->overhead, parameters->overhead_per_byte, parameters->gap,
                         parameters->gap_per_byte, parameters->rendezvous_above});
  *outcome = {found.events, found.messages, found.bytes, static_cast<int64_t>(found.waits.size())};
  loggops_waits = found.waits;
  std::copy(found.end_times.begin(), found.end_times.end(), out);
}

int64_t pysmpi_replay_read_waits(int64_t room, pysmpi_goal_wait* out) {
  const std::vector<GoalWait> waits = simulation_active() ? waits_of(*native_program()) : loggops_waits;
  for (int64_t i = 0; i < room && i < static_cast<int64_t>(waits.size()); ++i) {
    const GoalWait& wait = waits[i];
    const GoalOperation& op = goal.operations[wait.id];
    const std::int64_t tag = op.tag == GoalProgram::kAnyTag ? -1 : tag_number(op.tag);
    out[i] = {op.rank,  static_cast<int32_t>(op.kind), op.peer, wait.blocks, wait.posted, op.line, tag, op.size,
              wait.left};
  }
  return static_cast<int64_t>(waits.size());
}

void pysmpi_replay_schedules(int32_t ranks, const pysmpi_schedule* const* of_ranks) {
  pysmpi_replay_forget();
  for (int32_t rank = 0; rank < ranks; ++rank) schedules.push_back(*of_ranks[rank]);
}

void pysmpi_replay_begin(void) {
  if (goal.ranks() > 0) return begin_native_ranks(graph_of(goal));
  if (!schedules.empty()) return begin_native_ranks(program_of(std::exchange(schedules, {})));
  begin_native_ranks(replay_of(std::move(traces)));
}
void pysmpi_replay_forget(void) {
  traces = {};
  goal = {};
  schedules = {};
}

void pysmpi_replay_end_times(double* out) {
  const std::vector<double>& times = native_end_times();
  std::copy(times.begin(), times.end(), out);
}

int64_t pysmpi_replay_line(int32_t rank) { return native_program()->position(rank).line; }
const char* pysmpi_replay_action(int32_t rank) { return native_program()->position(rank).action; }
int32_t pysmpi_replay_failed_rank(void) { return native_failure().rank; }
const char* pysmpi_replay_failure(void) { return native_failure().text.c_str(); }
