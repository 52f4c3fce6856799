// Persistent collectives (MPI 4.1, section 6.13).
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "collectives/call.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

// Creates an inactive request for the running rank. Returns an MPI error code; on an error the communicator's error
// handler has been called.
int make_persistent_collective(const CollectiveCall& call, RequestId& id);

// Starts one use of the collective. Until this use completes, the `partner` of the persistent request is the request of
// the started collective. Returns an MPI error code; on an error the communicator's error handler has been called.
int start_persistent_collective(RequestId id);

// Deletes the data of a persistent collective whose request is about to be freed.
void forget_persistent_collective(RequestId id);

// The data of a persistent collective. All its uses (each from a start to its completion) have the sequence number that
// the creation has assigned, so ranks may start several persistent collectives in different orders. Messages of
// different uses are distinguished by their order, as MPI does not let messages overtake each other.
struct PersistentCollective {
  CollectiveCall call;
  Entry entry;
  std::vector<const Datatype*> types;  // released in the destructor
  std::vector<Scratch> vectors;        // copies of counts, displacements and datatypes

  PersistentCollective(const CollectiveCall& given, const Entry& entry);
  ~PersistentCollective();
  PersistentCollective(const PersistentCollective&) = delete;
  PersistentCollective& operator=(const PersistentCollective&) = delete;

 private:
  void hold(std::int32_t type);
};

struct PersistentCollectives : SimulationPart<PersistentCollectives> {
  std::unordered_map<RequestId, std::unique_ptr<PersistentCollective>> by_request;  // looked up, never iterated
};

}  // namespace pysmpi
