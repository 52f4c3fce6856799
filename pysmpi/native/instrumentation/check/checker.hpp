// The checks that --check makes while a program runs. Each kind of mistake has a fixed name; docs/checks.md lists them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/observer.hpp"
#include "instrumentation/check/call_order.hpp"
#include "instrumentation/check/meetings.hpp"
#include "instrumentation/check/ownership.hpp"

namespace pysmpi {

class MistakeFinder final : public Observer {
 public:
  void message_copy_begins(const Request& send, const Request& receive) override;
  void message_matched(double now, const Request& send, const Request& receive) override;
  void buffer_lent(std::uint32_t request, const Envelope& envelope, Holding holding) override;
  void attached_buffers_emptied() override;
  void request_handed_out(std::uint32_t request) override;
  void request_released(std::uint32_t request) override;
  void collective_entered(const CollectiveCall& call, std::uint32_t sequence, bool blocking) override;
  void collective_started(const CollectiveCall& call, std::uint32_t request) override;
  void object_call_entered(const Communicator& communicator, const char* function) override;
  void collective_truncated(const char* function) override;

  // Report calls that some ranks have not made, at the end of a program that has not failed.
  void report_missing_calls() { order_.report_missing(); }
  std::uint32_t site_of(std::uint32_t request) const { return ownership_.site_of(request); }

 private:
  Party party(std::uint32_t request) const;
  void check_mode(std::uint32_t request);

  Ownership ownership_;
  CallOrder order_;
  Meetings meetings_;
  // Space that a rank's buffered sends (MPI_Bsend) without a matching receive take in its attached buffer. A send adds
  // its bytes, and its match subtracts them. When the program empties the buffer (MPI_Buffer_flush, MPI_Buffer_detach),
  // `bytes` becomes zero, and `first` exceeds the sequence numbers of these sends: their matches then subtract nothing.
  struct Buffered {
    std::int64_t bytes = 0;
    std::uint64_t newest = 0, first = 0;  // values of Request::sequence
  };
  std::vector<Buffered> buffered_;  // indexed by rank
};

}  // namespace pysmpi
