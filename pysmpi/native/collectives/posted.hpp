// Nonblocking collectives as SMPI carries them out (SimGrid 3.32, src/smpi/colls/smpi_nbc_impl.cpp), whatever algorithm
// blocking collectives use. The call itself posts all messages, each between two ranks that exchange data, and pays for
// them. The rank that waits for the collective waits for these messages as MPI_Waitall does, and then combines the
// operands of a reduction, in the order of ranks.
//
//     MPI_Iallreduce on 3 ranks, rank 1:  send to 0, receive from 0, send to 2, receive from 2
//     MPI_Wait:                           all four; then result = x0 op (x1 op x2)
//
// SMPI's MPI_Ibarrier has the messages of a barrier whose rank 0 answers before it has heard from all ranks. Here it
// has the same messages, but is not complete before all ranks have entered it.
//
// SMPI has no such algorithms for neighbourhoods, intercommunicators and persistent collectives.
#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/simulation_part.hpp"
#include "collectives/call.hpp"
#include "engine/steps.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

// Return whether nonblocking calls of this collective are posted (smpi/nonblocking-collectives).
bool posts_messages(const CollectiveCall& call);

// A collective of one rank between its call and its end.
struct PostedCollective {
  struct Message {
    bool is_send;
    std::int32_t peer;
    void* buffer;
    std::int64_t count;
    std::int32_t type;
  };

  // `runner` owns the memory of the call until the end; no schedule runs.
  PostedCollective(const CollectiveCall& call, Arguments args, Runner& runner, std::uint32_t sequence);
  ~PostedCollective();
  PostedCollective(const PostedCollective&) = delete;

  const Operation operation;
  Communicator& communicator;
  const Arguments args;
  Runner& runner;
  const std::uint32_t sequence;
  const char* const call;
  std::vector<Message> to_post;
  std::vector<const void*> operands;  // operands of a reduction, by rank; empty if the rank combines none
  std::int64_t length = 0;            // elements of an operand
  std::vector<RequestId> messages;
  RequestId entered = kNone;  // barrier: complete when all ranks have entered; kNone if they have
};

struct PostedCollectives : SimulationPart<PostedCollectives> {
  std::map<RequestId, std::unique_ptr<PostedCollective>> by_request;

  // Barriers that some ranks have entered, by context and sequence number; only looked up.
  struct Entering {
    std::int32_t ranks = 0;
    std::vector<RequestId> waiting;
  };
  std::unordered_map<std::uint64_t, Entering> entering;
};

// Make the request of a collective, whose arguments have been prepared, and post its messages. post_messages returns
// false if the rank is being stopped.
RequestId add_posted(std::unique_ptr<PostedCollective> posted);
bool post_messages(RequestId id);

// Return the parts of a posted collective's request: its messages and, for a barrier, the entry of all ranks.
std::vector<RequestId> parts_of_posted(RequestId id);
bool all_parts_complete(RequestId id);

// Return whether the collective ends without further calls of any rank: all of its messages are under way.
bool ends_by_itself(RequestId id);

// Wait for all messages, in the order and at the cost of SMPI's MPI_Waitall. Returns false if the rank is being
// stopped.
Steps<bool> await_posted(RequestId id, const char* call);

// Test for completion at the cost of SMPI's MPI_Test: a test of the collective and one of each message. Returns false
// if the rank is being stopped.
bool poll_posted(RequestId id, const char* call, bool& complete);

// Combine the operands and forget the messages. To be called in the rank's greenlet if the operation is the program's.
void end_posted(RequestId id);
bool ends_in_program(RequestId id);  // a function of the program combines the operands

RequestId posted_under_way(RankId rank);  // a posted collective of the rank that is not complete, or kNone
void forget_posted(RankId rank);          // the rank has ended, and its memory is freed now
void show_waiting_posted();               // records an awaited message of each posted collective, for reports

}  // namespace pysmpi
