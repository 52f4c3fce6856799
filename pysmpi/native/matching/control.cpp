#include "matching/control.h"

#include "engine/simulation.hpp"
#include "matching/communicator.hpp"
#include "matching/point_to_point.hpp"

using namespace pysmpi;

int32_t pysmpi_communicator_add(int32_t size, const int32_t* world_ranks) {
  return add_communicator(std::vector<RankId>(world_ranks, world_ranks + size));
}

void pysmpi_communicator_remove(int32_t handle) { remove_communicator(handle); }

void pysmpi_keep_messages(void) { keep_messages(simulation().running); }

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
