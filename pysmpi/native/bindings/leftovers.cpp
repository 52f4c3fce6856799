// Report of messages that were never received and of requests that were never completed.
#include <algorithm>

#include "bindings/c_api.h"
#include "engine/simulation.hpp"
#include "matching/communicator.hpp"
#include "matching/point_to_point.hpp"

using namespace pysmpi;

namespace {

// Returns whether the request belongs to the implementation of a collective, a window or a file.
bool is_inner(const Request& r) {
  if (r.is_transfer() || r.is_access()) return true;
  if (r.is_schedule() || r.is_generalized()) return false;
  if (r.context % 2 != 0) return true;
  const Communicator* communicator = find_communicator_of(r.owner, r.communicator);
  return communicator && communicator->window != 0;
}

const char* call_of(const Request& r) {
  if (r.is_schedule()) return r.call;
  if (r.is_generalized()) return "MPI_Grequest_start";
  if (r.is_partitioned()) return r.is_send() ? "MPI_Psend_init" : "MPI_Precv_init";
  if (r.flags & kPersistent) return r.is_send() ? "MPI_Send_init" : "MPI_Recv_init";
  if (r.is_compound()) return "MPI_Isendrecv";
  return r.is_send() ? "MPI_Isend" : "MPI_Irecv";
}

std::int32_t peer_of(const Request& r) {
  const Communicator* communicator = find_communicator_of(r.owner, r.communicator);
  return r.peer < 0 || !communicator || communicator->self ? r.peer : communicator->peers().rank_of(r.peer);
}

}  // namespace

int32_t pysmpi_read_leftovers(int32_t room, pysmpi_leftover* out) {
  const RequestId ids = RequestPool::current().size();
  // For each persistent request, the request of its latest use. Only the persistent request itself is reported.
  std::vector<RequestId> in_use;
  for (RequestId id = 0; id < ids; ++id) {
    const Request& r = request(id);
    if (is_request(id) && (r.flags & kPersistent) && r.partner != kNone) in_use.push_back(r.partner);
  }
  std::sort(in_use.begin(), in_use.end());
  int32_t found = 0;
  const auto add = [&](RequestId id, std::int32_t is_message) {
    const Request& r = request(id);
    if (found++ < room) {
      out[found - 1] = {id, is_message, r.owner, peer_of(r), r.peer, r.tag, r.communicator, r.bytes, call_of(r)};
    }
  };
  for (RequestId id = 0; id < ids; ++id) {
    const Request& r = request(id);
    if (r.owner < 0 || is_inner(r)) continue;
    if (r.is_send() && (r.flags & kHeld) && r.partner == kNone && !(r.flags & kPersistent)) {
      add(id, r.flags & kMatched ? 2 : 1);
    }
    if (is_request(id) && !std::binary_search(in_use.begin(), in_use.end(), id)) add(id, 0);
  }
  return found;
}
