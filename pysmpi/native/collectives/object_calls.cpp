// Calls of functions that Python implements and that are collective over a communicator, such as MPI_Comm_dup and
// MPI_File_close. They are compared with the calls of other ranks in the same order as native collectives.
#include "base/observer.hpp"
#include "collectives/c_api.h"
#include "engine/fiber.hpp"
#include "engine/simulation.hpp"
#include "matching/communicator.hpp"
#include "objects/errors.hpp"
#include "schedule/ledger.hpp"

using namespace pysmpi;

int32_t pysmpi_enter_call(int32_t handle, int32_t waits) {
  if (!inside_rank()) return 0;
  Communicator& communicator = *find_communicator(handle);
  Fiber& fiber = running_fiber();
  if (!fiber.outer_call) return 0;
  fiber.outer_communicator = handle;
  if (observers) notify(&Observer::object_call_entered, communicator, fiber.outer_call);
  if (!waits) return 0;
  const std::int32_t rank = communicator.my_rank();
  std::uint32_t& next = communicator.next_collectives[rank].blocking;
  CollectiveSignature signature{.call = fiber.outer_call};
  const CollectiveMismatch mismatch = enter_collective(communicator, rank, std::exchange(next, next + 2), signature);
  if (mismatch.error_class == 0) return 0;
  return fail(handle, mismatch.error_class, fiber.outer_call, "%s", mismatch.text.c_str());
}
