// Compound requests: requests that are complete when several messages are complete. MPI_Isendrecv and partitioned
// communication use them.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "matching/point_to_point.hpp"

namespace pysmpi {

// Create a request of `owner` that waits for `messages` messages. For the program, the request looks like a receive
// from the envelope's peer or a send to that peer. With zero messages the request is complete at once.
RequestId begin_compound(RankId owner, const Communicator& communicator, Role role, Envelope envelope,
                         std::int32_t messages);

// Increase the number of messages by `more`.
void expect_messages(RequestId whole, std::int32_t more);

// Add a posted message to the compound request. The results of received messages, and the first failure of a message,
// become the results of the compound request.
void add_message(RequestId whole, RequestId message);

// Attach memory that the messages use; it is freed with the request.
void keep_memory(RequestId whole, std::unique_ptr<char[]> memory);

// Copy the data of the unmatched sends, because their memory is about to be freed. Called by keep_payload.
void keep_payloads(RequestId whole);

// The state of a compound request that is not complete yet.
class Compound final : public Waiter {
 public:
  Compound(RequestId whole, std::int32_t messages) : whole_(whole) { pending = messages; }

  void add(RequestId message);
  void wake() override;

  std::vector<RequestId> messages;
  std::unique_ptr<char[]> memory;

 private:
  RequestId whole_;
};

struct Compounds : SimulationPart<Compounds> {
  std::unordered_map<RequestId, std::unique_ptr<Compound>> by_request;  // only looked up, so its order does not matter
};

}  // namespace pysmpi
