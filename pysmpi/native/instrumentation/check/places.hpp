// Numbers of the ranks that take part in collectives on a communicator, the same for all of them.
#pragma once

#include <cstdint>

#include "matching/communicator.hpp"

namespace pysmpi {

// In an intercommunicator, the ranks of the second group follow those of the first.
struct Places {
  std::int32_t mine, first_peer, all;

  explicit Places(const Communicator& communicator) {
    const std::int32_t own = communicator.size();
    const std::int32_t others = communicator.inter() ? communicator.remote->size() : 0;
    const bool second = communicator.inter() && !communicator.first;
    mine = communicator.my_rank() + (second ? others : 0);
    first_peer = communicator.inter() && !second ? own : 0;
    all = own + others;
  }

  // World rank of the rank with this number.
  static RankId world(const Communicator& communicator, std::int32_t place) {
    if (!communicator.inter()) return communicator.world(place);
    const RankTable& first = communicator.first ? communicator.ranks : *communicator.remote;
    const RankTable& second = communicator.first ? *communicator.remote : communicator.ranks;
    return place < first.size() ? first.world(place) : second.world(place - first.size());
  }
};

}  // namespace pysmpi
