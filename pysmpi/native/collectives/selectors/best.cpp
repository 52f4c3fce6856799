// The selector `best`, which chooses algorithms by simulation. The first call of a kind asks Python
// (pysmpi/simulation/modifiers/best_selector.py), which simulates the candidates; later calls of that kind use the
// answer.
//
// Calls are of one kind if they agree in the operation, the hosts of the communicator in rank order, the number of
// bytes (rounded down to a power of two), and the commutativity of the reduction. All ranks know these properties.
#include <array>
#include <bit>

#include "collectives/c_api.h"
#include "collectives/selectors/best.hpp"
#include "collectives/selectors/selectors.hpp"
#include "matching/node_map.hpp"

namespace pysmpi {

namespace {

using Kind = BestAlgorithms::Kind;
using Decision = BestAlgorithms::Decision;

BestAlgorithms& decisions() { return BestAlgorithms::current(); }

// Returns the bytes of the whole buffer or of one block, or 0 if ranks may have different numbers of bytes.
std::int64_t bytes_of(Operation operation, const Runner& run, const Arguments& a) {
  switch (operation) {
    case Operation::kBarrier:
    case Operation::kGatherv:
    case Operation::kScatterv:
    case Operation::kAlltoallv:
    case Operation::kAlltoallw:
    case Operation::kNeighborAllgather:
    case Operation::kNeighborAllgatherv:
    case Operation::kNeighborAlltoall:
    case Operation::kNeighborAlltoallv:
    case Operation::kNeighborAlltoallw:
      return 0;
    case Operation::kReduceScatter:
    case Operation::kAllgatherv:
      return a.total_receive_bytes() / run.size;
    case Operation::kGather:
    case Operation::kAlltoall:
      return a.send_bytes();
    default:
      return a.receive_bytes();
  }
}

int32_t (*hook)(const char*, int32_t, const int32_t*, int64_t, int32_t*) = nullptr;

Decision ask(Operation operation, const Runner& run, std::int64_t bytes) {
  const Communicator& communicator = run.communicator();
  std::vector<std::int32_t> world_ranks;
  for (std::int32_t rank = 0; rank < run.size; ++rank) world_ranks.push_back(communicator.world(rank));
  const Catalogue& catalogue = *catalogue_of(operation);
  std::int32_t parameter = 0;
  const std::int32_t found = !hook ? -1 : hook(catalogue.option, run.size, world_ranks.data(), bytes, &parameter);
  const auto number = static_cast<std::int32_t>(decisions().calls.size());
  decisions().calls.push_back(0);
  return {found < 0 ? default_selector(operation) : catalogue.algorithms[found].run, parameter, number};
}

template <Operation operation>
Schedule best(Runner& run, Arguments a) {
  if (run.has_begun() || run.size == 1) return default_selector(operation)(run, a);  // part of another collective
  const std::int64_t bytes = bytes_of(operation, run, a);
  const Kind kind{operation, run.size, node_map(run.communicator()).places,
                  static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))), a.reduction.commutative};
  auto& [by_kind, calls] = decisions();
  auto found = by_kind.find(kind);
  if (found == by_kind.end()) found = by_kind.emplace(kind, ask(operation, run, bytes)).first;
  if (run.rank == 0) ++calls[found->second.number];
  a.parameter = found->second.parameter;
  return found->second.run(run, a);
}

template <std::size_t... index>
constexpr std::array<Algorithm, kOperations> best_by_operation(std::index_sequence<index...>) {
  return {best<static_cast<Operation>(index)>...};
}

}  // namespace

Algorithm best_selector(Operation operation) {
  static constexpr std::array<Algorithm, kOperations> kDeciding =
      best_by_operation(std::make_index_sequence<kOperations>());
  return kDeciding[static_cast<std::size_t>(operation)];
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_set_best_hook(int32_t (*asked)(const char*, int32_t, const int32_t*, int64_t, int32_t*)) { hook = asked; }

int64_t pysmpi_best_calls(int32_t number) { return static_cast<int64_t>(decisions().calls[number]); }
