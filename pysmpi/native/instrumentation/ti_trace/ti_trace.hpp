// Writes the ranks' actions as time-independent traces in SMPI's format (SimGrid 3.32, "Offline simulation"), one file
// per rank.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/observer.hpp"
#include "base/types.hpp"

namespace pysmpi {

class TiTrace final : public Observer {
 public:
  // Appends to the files DIRECTORY/rank-N.txt.
  TiTrace(std::string directory, RankId ranks);

  // The first operation of the program that the format cannot express, with its rank; empty for none. The trace is then
  // invalid.
  const std::string& inexpressible() const { return inexpressible_; }

  bool close();  // false when a file could not be written

  void thread_begins(double now, const Fiber& thread) override;
  void other_operation(RankId rank, const char* name) override;
  void computation_begins(double now, const Fiber& thread, const BySource& flops) override;
  void computation_skipped(const Fiber& thread, const BySource& flops) override;
  void sleep_begins(double now, const Fiber& thread) override;
  void sleep_ends(double now, const Fiber& thread) override;
  void idled(RankId rank, double seconds) override;
  void message_called(const MessageCall& call) override;
  void exchange_called(const MessageCall& send, const MessageCall& receive) override;
  void buffer_lent(std::uint32_t request, const Envelope& envelope, Holding holding) override;
  void request_awaited(std::uint32_t request) override;
  void request_tested(std::uint32_t request) override;
  void requests_awaited(std::span<const std::uint32_t> requests) override;
  void message_sent(double now, const Request& send) override;
  void collective_started(const CollectiveCall& call, std::uint32_t request) override;
  void collective_entered(const CollectiveCall& call, std::uint32_t sequence, bool blocking) override;

 private:
  // A request that the program has to wait for, with the fields by which the trace's wait action names its message.
  struct OpenRequest {
    RankId owner, sender, receiver;
    std::int32_t tag;
  };

  // Write a line of the rank: an action and its arguments.
  [[gnu::format(printf, 3, 4)]] void line(RankId rank, const char* format, ...);
  void text(RankId rank, const std::string& line);
  void wait(const OpenRequest& request);
  OpenRequest open_request(const Communicator& communicator, const Envelope& envelope, bool receives);
  std::int32_t tag_in_trace(const Communicator& communicator, std::int32_t tag);
  const OpenRequest* find_own(std::uint32_t request) const;

  void write(RankId rank);
  std::string path(RankId rank) const;

  const std::string directory_;
  std::vector<std::string> unwritten_;  // indexed by rank: lines
  std::string inexpressible_;
  bool failed_ = false;
  std::unordered_map<std::uint32_t, OpenRequest> open_requests_;  // key: request; looked up, never iterated
  std::unordered_map<RankId, std::int32_t> open_counts_;          // key: rank; number of its open requests
  std::unordered_map<RankId, double> sleep_begun_;
};

}  // namespace pysmpi
