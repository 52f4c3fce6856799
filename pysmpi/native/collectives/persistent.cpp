// Storage of the data of persistent collectives, which are found by their request.
#include "collectives/persistent.hpp"

#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

auto& persistent_collectives() { return PersistentCollectives::current().by_request; }

}  // namespace

PersistentCollective::PersistentCollective(const CollectiveCall& given, const Entry& entry)
    : call(given), entry(entry) {
  hold_communicator(*call.communicator);
  call.a.each_vector([&](Integers& vector, std::int32_t count) { vectors.push_back(vector.move_to_copy(count)); });
  call.a.each_type([&](std::int32_t type) { hold(type); });
}

PersistentCollective::~PersistentCollective() {
  for (const Datatype* type : types) release_datatype(*type);
  release_communicator(*call.communicator);
}

void PersistentCollective::hold(std::int32_t handle) {
  const Datatype* const type = find_datatype(handle);
  if (!type) return;
  hold_datatype(*type);
  types.push_back(type);
}

int make_persistent_collective(const CollectiveCall& call, RequestId& id) {
  Entry entry;
  if (const int error = enter_persistent(call, entry)) return error;
  id = allocate_request();
  Request& r = request(id);
  r.kind = RequestKind::kSchedule;
  r.flags = kPersistent;
  r.owner = inside_rank() ? simulation().running : 0;
  r.communicator = call.communicator->handle;
  r.call = call.signature.call;
  persistent_collectives()[id] = std::make_unique<PersistentCollective>(call, entry);
  return 0;
}

int start_persistent_collective(RequestId id) {
  const PersistentCollective& persistent = *persistent_collectives().at(id);
  RequestId use = kNone;
  const int error = start_again(persistent.call, persistent.entry, use);
  request(id).partner = use;
  return error;
}

void forget_persistent_collective(RequestId id) { persistent_collectives().erase(id); }

}  // namespace pysmpi
