#include "matching/control.h"

#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "matching/communicator.hpp"
#include "matching/failures.hpp"
#include "matching/point_to_point.hpp"

using namespace pysmpi;

int32_t pysmpi_communicator_add(int32_t size, const int32_t* world_ranks) {
  return add_communicator(std::vector<RankId>(world_ranks, world_ranks + size));
}

void pysmpi_communicator_remove(int32_t handle) { remove_communicator(handle); }

void pysmpi_keep_messages(void) { keep_messages(simulation().running); }

void pysmpi_fail_rank(int32_t rank) {
  if (!account_computation()) return;
  fail_rank(rank);
  if (rank == simulation().running) {
    running_fiber().pending = 1;
    block({.call = "its own end", .kind = WaitKind::kOther});
  }
  leave_call();
}

double pysmpi_failure_time(int32_t rank) { return simulation().fibers[rank].failed_at; }

int32_t pysmpi_communicator_size(int32_t handle) {
  const Communicator* communicator = find_communicator(handle);
  return communicator ? communicator->size() : -1;
}

int32_t pysmpi_communicator_rank(int32_t handle) {
  const Communicator* communicator = find_communicator(handle);
  return communicator ? communicator->my_rank() : -1;
}

int32_t pysmpi_communicator_world_rank(int32_t handle, int32_t rank) {
  const Communicator* communicator = find_communicator(handle);
  return communicator && rank >= 0 && rank < communicator->size() ? communicator->world(rank) : -1;
}

void pysmpi_explain_protocol(int64_t bytes, int32_t nonblocking, int32_t synchronous, pysmpi_protocol* out) {
  const SendMode mode = synchronous ? SendMode::kSynchronous : SendMode::kStandard;
  const bool detached = is_detached(bytes, mode);
  *out = {is_eager(bytes, mode), detached, send_overhead(bytes, nonblocking != 0, mode),
          receive_overhead(bytes, detached)};
}
