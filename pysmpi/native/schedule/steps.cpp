// The schedule that a program writes itself.
#include "engine/call.hpp"
#include "matching/failures.hpp"
#include "memory/folded.hpp"
#include "memory/zones.hpp"
#include "objects/errors.hpp"
#include "schedule/control.h"
#include "schedule/runner.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kErrorCommunicator = 5, kErrorTruncate = 14;  // MPICH's ABI
constexpr std::int32_t kNoCommunicator = 0x04000000;                 // MPI_COMM_NULL
constexpr char kName[] = "pysmpi.Schedule.run";

Schedule run_steps(Runner& run, const pysmpi_step* steps, std::int64_t number) {
  for (const pysmpi_step* step = steps; step < steps + number; ++step) {
    const bool of_nobody = step->kind != PYSMPI_STEP_COPY && step->peer == kProcNull;
    if (step->kind != PYSMPI_STEP_WAIT && of_nobody) continue;
    run.speak_for_program(step->tag);
    switch (step->kind) {
      case PYSMPI_STEP_SEND:
        co_await run.start_send(step->peer, step->buffer, step->count, step->datatype);  // before a poll, too
        break;
      case PYSMPI_STEP_RECEIVE:
        run.receive(step->peer, step->buffer, step->count, step->datatype);
        break;
      case PYSMPI_STEP_WAIT:
        co_await run.round();
        break;
      case PYSMPI_STEP_POLL:
        while (!co_await run.probe(step->peer)) {
          if (run.probes_in_vain()) break;  // what waits for the message next shows the deadlock
        }
        break;
      case PYSMPI_STEP_COPY:
        if (is_folded(step->source) || is_folded(step->buffer)) break;
        move_bytes(step->buffer, step->source, static_cast<std::size_t>(step->count));
        break;
    }
  }
  co_await run.round();
}

}  // namespace

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_run_steps(int32_t communicator, int64_t number, const pysmpi_step* steps) {
  const Call call;
  if (call.stopped()) return kErrorStopped;
  Communicator* const found = find_communicator(communicator);
  if (!found) return fail(kNoCommunicator, kErrorCommunicator, kName, "the communicator has been freed");
  Runner& runner = take_runner(*found, 0);
  const Fault fault = run_blocking(runner, run_steps(runner, steps, number), kName);
  if (fault.error == kErrorStopped) return kErrorStopped;
  give_runner(runner);
  if (fault.error == 0) return 0;
  const std::string what =
      fault.error == kErrorTruncate ? "a message was longer than the buffer that receives it" : describe(fault);
  return fail(communicator, fault.error, kName, "%s", what.c_str());
}
