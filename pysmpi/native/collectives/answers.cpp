// Messages without contents by which ranks create objects: those of MPI_Comm_split, which are a gather whose algorithm
// is fixed, and answers from the first rank to others in a given order, for which MPI has no collective; and
// allgathers.
#include <cstdint>

#include "collectives/c_api.h"
#include "collectives/call.hpp"
#include "collectives/gather/gather.hpp"
#include "engine/fiber.hpp"
#include "objects/errors.hpp"
#include "rank_memory/folded.hpp"
#include "schedule/running.hpp"

namespace pysmpi {

namespace {

constexpr char kName[] = "MPI_Comm_split";
constexpr std::int32_t kErrorCommunicator = 5;        // value in MPICH's ABI
constexpr std::int32_t kNoCommunicator = 0x04000000;  // MPI_COMM_NULL

Schedule answer(Runner& run, std::int64_t bytes, std::int32_t groups, const std::int32_t* sizes,
                const std::int32_t* ranks) {
  const Scratch nothing(bytes);
  for (std::int32_t group = 0; group < groups; ranks += sizes[group++]) {
    for (std::int32_t i = 0; i < sizes[group]; ++i) {
      if (ranks[i] != run.rank) co_await run.start_send(ranks[i], nothing.data(), bytes, kByte);
    }
    co_await run.round();
  }
}

Schedule await_answer(Runner& run, std::int64_t bytes, std::int32_t from) {
  const Scratch nothing(bytes);
  co_await run.receive_now(from, nothing.data(), bytes, kByte);
}

// Runs the schedule that `make` returns. Its messages carry the number of the last blocking collective. So that they do
// not match messages of that collective, they use the stream kAnswers: messages of different streams never match.
template <class Make>
int run_answer(std::int32_t communicator, Make&& make) {
  constexpr std::int32_t kAnswers = 3;
  Communicator* const found = find_communicator(communicator);
  if (!found) return fail(kNoCommunicator, kErrorCommunicator, kName, "the communicator has been freed");
  Runner& runner = take_runner(*found, found->next_collectives[found->my_rank()].blocking - 2);
  runner.stream = kAnswers;
  const Fault fault = run_blocking(runner, make(runner), kName);
  if (fault.error == kErrorStopped) return kErrorStopped;
  give_runner(runner);
  return fault.error == 0 ? 0 : fail(communicator, fault.error, kName, "%s", describe_in_collective(fault).c_str());
}

}  // namespace

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_gather_linearly(int32_t communicator, int64_t bytes) {
  CollectiveCall call;
  call.operation = Operation::kGather;
  call.algorithm = gather_linear;
  call.communicator = find_communicator(communicator);
  call.signature = {.call = kName, .root = 0, .bytes = bytes};
  if (!call.communicator) return fail(kNoCommunicator, kErrorCommunicator, kName, "the communicator has been freed");
  const std::int32_t ranks = call.communicator->size();
  call.a.at_root = call.communicator->my_rank() == 0;
  call.a.send_type = call.a.receive_type = kByte;
  call.a.send_count = call.a.receive_count = bytes;
  call.a.receive_blocks = ranks;
  const Scratch sent(bytes), received(call.a.at_root ? ranks * bytes : 0);
  call.a.send = sent.data();
  call.a.receive = received.data();
  return run_collective(call);
}

int32_t pysmpi_allgather_nothing(int32_t communicator, int64_t bytes) {
  constexpr std::int64_t kLong = 64 << 10;
  const char* const function = running_fiber().outer_call;
  CollectiveCall call;
  call.operation = Operation::kAllgather;
  call.communicator = find_communicator(communicator);
  call.signature = {.call = function ? function : kName, .bytes = bytes};
  if (!call.communicator) return fail(kNoCommunicator, kErrorCommunicator, kName, "the communicator has been freed");
  const std::int64_t all = call.communicator->size() * bytes;
  const bool folds = all > kLong && extend_folded(static_cast<std::uint64_t>(all));
  const Scratch received(folds ? 0 : all), sent(folds ? 0 : bytes);
  call.a.send_type = call.a.receive_type = kByte;
  call.a.send_count = call.a.receive_count = bytes;
  call.a.receive_blocks = call.communicator->size();
  call.a.send = folds ? reinterpret_cast<char*>(folded_begin) : sent.data();
  call.a.receive = folds ? reinterpret_cast<char*>(folded_begin) : received.data();
  return run_collective(call);
}

int32_t pysmpi_answer(int32_t communicator, int64_t bytes, int32_t groups, const int32_t* sizes, const int32_t* ranks) {
  return run_answer(communicator, [=](Runner& runner) { return answer(runner, bytes, groups, sizes, ranks); });
}

int32_t pysmpi_await_answer(int32_t communicator, int64_t bytes, int32_t from) {
  return run_answer(communicator, [=](Runner& runner) { return await_answer(runner, bytes, from); });
}
