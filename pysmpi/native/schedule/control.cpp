#include "schedule/control.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "objects/errors.hpp"
#include "schedule/ledger.hpp"
#include "schedule/runner.hpp"

using namespace pysmpi;

namespace {

constexpr std::int32_t kByte = 0x4c00010d, kErrorComm = 5;  // MPI_BYTE and MPI_ERR_COMM of MPICH's ABI

// The integers of all members lie once in memory, not once a rank; the messages carry only time.
struct Shared {
  std::vector<long long> integers;
  int members_left;  // who have not yet read them
};
using Key = std::pair<std::uint32_t, std::uint32_t>;  // context and number of the collective
std::map<Key, Shared> shared;

Schedule gather_and_reply(Runner& run, std::int64_t bytes) {
  constexpr std::int64_t kReply = 8;
  const Scratch contents(std::max(bytes, kReply));  // whatever they are
  std::fill_n(contents.data(), std::max(bytes, kReply), 0);
  if (run.rank != 0) {
    run.send(0, contents.data(), bytes, kByte);
    co_await run.round();
    co_await run.receive_now(0, contents.data(), kReply, kByte);
    co_return;
  }
  for (int other = 1; other < run.size; ++other) run.receive(other, contents.data(), bytes, kByte);
  co_await run.round();
  for (int other = 1; other < run.size; ++other) run.send(other, contents.data(), kReply, kByte);
  co_await run.round();
}

}  // namespace

void pysmpi_end_collectives(void) {
  end_schedules();
  clear_ledgers();
  shared.clear();
}

int pysmpi_allgather_integers(int communicator_handle, const long long* mine, int count, long long* all) {
  constexpr const char* kCall = "making a communicator";
  Communicator* communicator = find_communicator(communicator_handle);
  if (!communicator || communicator->my_rank() < 0) {
    return fail(communicator_handle, kErrorComm, kCall, "not a communicator of the running rank");
  }
  const std::int32_t rank = communicator->my_rank(), size = communicator->size();
  if (size == 1) {
    std::copy_n(mine, count, all);
    return 0;
  }
  const std::uint32_t sequence = communicator->collectives_entered[rank]++;
  const CollectiveMismatch mismatch = enter_collective(*communicator, rank, sequence, {.call = kCall});
  if (mismatch.error_class != 0) {
    return fail(communicator_handle, mismatch.error_class, kCall, "%s", mismatch.text.c_str());
  }
  const Key key{communicator->context, sequence};
  auto [entry, first] = shared.try_emplace(key);
  if (first) entry->second = {std::vector<long long>(static_cast<std::size_t>(size) * count), size};
  std::copy_n(mine, count, entry->second.integers.begin() + static_cast<std::ptrdiff_t>(rank) * count);
  Runner& runner = take_runner(*communicator, sequence);
  const int error = run_blocking(runner, gather_and_reply(runner, 4LL * count), kCall);
  if (error == kErrorStopped) return error;
  give_runner(runner);
  std::copy(entry->second.integers.begin(), entry->second.integers.end(), all);
  if (--entry->second.members_left == 0) shared.erase(entry);
  return 0;
}
