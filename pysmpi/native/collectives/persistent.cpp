// Storage of persistent collectives by request.
#include "collectives/persistent.hpp"

#include <memory>
#include <unordered_map>

#include "collectives/call.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// A persistent collective keeps its sequence number in all uses, and ranks may start a use in any order. Messages of
// different uses are distinguished by their order, as MPI does not let messages overtake each other.
struct Persistent {
  CollectiveCall call;
  Entry entry;
  std::vector<const Datatype*> types;  // released in the destructor
  std::vector<Scratch> vectors;        // copies of counts, displacements and datatypes

  Persistent(const CollectiveCall& given, const Entry& entry) : call(given), entry(entry) {
    hold_communicator(*call.communicator);
    call.a.each_vector([&](Integers& vector, std::int32_t count) { vectors.push_back(vector.move_to_copy(count)); });
    call.a.each_type([&](std::int32_t type) { hold(type); });
  }
  ~Persistent() {
    for (const Datatype* type : types) release_datatype(*type);
    release_communicator(*call.communicator);
  }
  Persistent(const Persistent&) = delete;
  Persistent& operator=(const Persistent&) = delete;

 private:
  void hold(std::int32_t handle) {
    const Datatype* const type = find_datatype(handle);
    if (!type) return;
    hold_datatype(*type);
    types.push_back(type);
  }
};

std::unordered_map<RequestId, std::unique_ptr<Persistent>>& persistent_collectives() {
  static std::unordered_map<RequestId, std::unique_ptr<Persistent>> instance;
  return instance;
}

}  // namespace

int make_persistent_collective(const CollectiveCall& call, RequestId& id) {
  Entry entry;
  if (const int error = enter_nonblocking(call, entry)) return error;
  id = allocate_request();
  Request& r = request(id);
  r.flags = kPersistent | kIsSchedule;
  r.owner = inside_rank() ? simulation().running : 0;
  r.communicator = call.communicator->handle;
  r.call = call.signature.call;
  persistent_collectives()[id] = std::make_unique<Persistent>(call, entry);
  return 0;
}

int start_persistent_collective(RequestId id) {
  const Persistent& persistent = *persistent_collectives().at(id);
  RequestId use = kNone;
  const int error = start_again(persistent.call, persistent.entry, use);
  request(id).partner = use;
  return error;
}

void forget_persistent_collective(RequestId id) { persistent_collectives().erase(id); }

void end_persistent_collectives() { persistent_collectives().clear(); }

}  // namespace pysmpi
