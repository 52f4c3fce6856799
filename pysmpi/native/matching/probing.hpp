// Probes for messages at SMPI's cost (SimGrid 3.32, Request::iprobe). Each poll computes for smpi/iprobe seconds, times
// a counter that every unsuccessful poll of any rank increases and every successful one resets.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "matching/point_to_point.hpp"

namespace pysmpi {

// Poll once in the running rank, after the cost has passed. Sets `found`; returns false if the rank is being stopped.
bool poll_once(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found);

// Poll until a message is found, without waking the rank in between. `found` is kNone if the sending rank has failed.
// Returns false if the rank is being stopped.
bool poll_until_found(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found);

// Wait for a message without simulated cost. Matched probes use this function, because SMPI does not have them.
bool wait_until_found(const Communicator& communicator, Envelope envelope, const char* call, RequestId& found);

// Make the call with which a poll looks for the message, when the time of the poll has passed. Returns a position in
// SMPI's order of calls (Simulation::call_order): the poll finds messages that were posted before it. Independent polls
// (Options::polls_are_independent) that take time find only messages of earlier instants, so that it does not matter
// which ranks run first in this instant.
std::uint64_t order_of_look();

// Functions for polls driven by the engine's loop. start_poll starts a poll by this rank and notifies the waiter when
// the time of the poll has passed, which is smpi/iprobe seconds times `factor` times the counter of unsuccessful polls.
// The waiter then calls poll_has_ended and look_for_message, which returns kNone if there is no match; `order` is the
// position of this call in SMPI's order (Simulation::call_order). While `unsuccessful` is set (see watch_for_message),
// no message can be found; the engine then repeats polls without notifying the waiter.
void start_poll(RankId owner, Waiter* waiter, double factor, const bool* unsuccessful = nullptr);
void poll_has_ended();
RequestId look_for_message(RankId owner, const Communicator& communicator, Envelope envelope, std::uint64_t order,
                           bool unsuccessful = false);

// Return whether nothing but polls is under way. If so, the awaited messages will never come.
bool only_polls_are_under_way();

class Poller;

// Blocking probes, whose polls the engine's loop repeats without running their ranks.
struct Polls : SimulationPart<Polls> {
  Polls();
  ~Polls();

  std::vector<std::unique_ptr<Poller>> pollers;
  std::size_t under_way = 0;     // number of polls that repeat while their rank does not run
  std::uint64_t unreported = 0;  // value of Simulation::unreported_polls when `unsuccessful` was last updated
  std::size_t unsuccessful = 0;  // consecutive unsuccessful polls while nothing else was under way; restart() clears it

  // Number of lengthened polls under way (lengthening_after), and number of those that began before the polls counted
  // in `unsuccessful`. Many short polls fit into a lengthened one, so their number does not show that it has ended.
  std::size_t lengthened = 0, lengthened_before = 0;
  std::uint64_t restarts = 0;

  void restart();
  std::uint64_t begin_lengthened();  // returns the argument of end_lengthened
  void end_lengthened(std::uint64_t restarts_begun);
};

}  // namespace pysmpi
