// The messages by which ranks agree on the context of a new communicator in Open MPI (ompi/communicator/comm_cid.c of
// 5.0): allreduces of an integer, by the schedules of libnbc if all ranks of a communicator take part. If only the
// ranks of the new communicator do, they use a binary tree.
#include <initializer_list>

#include "collectives/c_api.h"
#include "collectives/call.hpp"
#include "collectives/libnbc/libnbc.hpp"
#include "engine/fiber.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// Values of MPICH's ABI.
constexpr std::int32_t kIntegerType = 0x4c000405, kMaximum = 0x58000001, kNoRequest = 0x2c000000;
constexpr std::uint32_t kKindOfRequest = 0xac000000U;

Schedule agree_along_tree(Runner& run, Arguments args) {
  const Scratch number(2, kIntegerType, nullptr);  // no rank uses the contents
  const int parent = (run.rank - 1) / 2;
  const auto children = {2 * run.rank + 1, 2 * run.rank + 2};
  for (const int child : children) {
    if (child < run.size) run.receive(child, number.data(), args.receive_count, kIntegerType);
  }
  co_await run.round();
  if (run.rank > 0) {
    run.send(parent, number.data(), args.receive_count, kIntegerType);
    co_await run.round();
    run.receive(parent, number.data(), args.receive_count, kIntegerType);
    co_await run.round();
  }
  for (const int child : children) {
    if (child < run.size) run.send(child, number.data(), args.receive_count, kIntegerType);
  }
  co_await run.round();
}

Schedule agree_among_all(Runner& run, Arguments args) {
  return libnbc::schedule_of(Operation::kAllreduce, false)(run, args);
}

// Three allreduces, one after the other, whose rounds begin in calls of the rank.
Schedule agree_thrice_in_calls(Runner& run, Arguments args) {
  const Scratch own(1, kIntegerType, nullptr), received(1, kIntegerType, nullptr);
  args.send = own.data();
  args.receive = received.data();
  run.continue_in_calls();
  for (int i = 0; i < 3; ++i) co_await agree_among_all(run, args);
}

CollectiveCall allreduce_of_integer(Communicator& communicator, Algorithm algorithm) {
  const char* const function = running_fiber().outer_call;
  CollectiveCall call;
  call.operation = Operation::kAllreduce;
  call.algorithm = algorithm;
  call.communicator = &communicator;
  call.signature = {.call = function ? function : "MPI_Comm_dup", .bytes = sizeof(int)};
  call.a.reduction = *find_reduction(kMaximum);
  call.a.send_type = call.a.receive_type = kIntegerType;
  call.a.send_count = call.a.receive_count = 1;
  return call;
}

}  // namespace

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_agree_on_context(int32_t communicator, int32_t allreduces, int32_t uses_tree) {
  Communicator& members = *find_communicator(communicator);
  if (!inside_rank() || members.size() == 1) return 0;
  const Scratch own(1, kIntegerType, nullptr), received(1, kIntegerType, nullptr);
  CollectiveCall call = allreduce_of_integer(members, uses_tree ? agree_along_tree : agree_among_all);
  call.a.send = own.data();
  call.a.receive = received.data();
  for (int32_t i = 0; i < allreduces; ++i) {
    if (const int error = run_collective(call)) return error;
  }
  return 0;
}

int32_t pysmpi_begin_agreement(int32_t communicator, int32_t* request) {
  RequestId id = kNone;
  const int error = start_collective(allreduce_of_integer(*find_communicator(communicator), agree_thrice_in_calls), id);
  *request = error == 0 ? static_cast<std::int32_t>(kKindOfRequest | id) : kNoRequest;
  return error;
}
