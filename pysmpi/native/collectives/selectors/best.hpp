// The answers of the selector `best`, which simulates a collective call with each algorithm and chooses the fastest.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/simulation_part.hpp"
#include "collectives/selectors/selectors.hpp"

namespace pysmpi {

struct BestAlgorithms : SimulationPart<BestAlgorithms> {
  // The properties that decide on the algorithm: calls that agree in all of them use the same algorithm.
  struct Kind {
    Operation operation;
    std::int32_t ranks;
    std::uint64_t places;  // NodeMap::places
    int magnitude;         // bits of the number of bytes
    bool commutative;
    auto operator<=>(const Kind&) const = default;
  };
  struct Decision {
    Algorithm run;
    std::int32_t parameter;
    std::int32_t number;  // position in the order of the hook's answers
  };

  std::map<Kind, Decision> by_kind;
  std::vector<std::uint64_t> calls;  // number of calls, by Decision::number
};

}  // namespace pysmpi
