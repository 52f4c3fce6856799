// Requirements of a program: bytes and messages that each rank sends and receives, and bytes that it asks collectives
// to move, by kind of communication.
//
// Example: MPI_Allreduce of 16 bytes on four ranks. Each rank asks for 16 bytes. By recursive doubling it sends two
// messages of 16 bytes and receives two. All of that belongs to the kind "MPI_Allreduce".
#pragma once

#include <cstdint>
#include <vector>

#include "base/observer.hpp"
#include "base/types.hpp"
#include "instrumentation/pair_index.hpp"
#include "matching/request.hpp"

namespace pysmpi {

class Requirements final : public Observer {
 public:
  // Kinds without an MPI function; the order must equal that of _FIRST_KINDS in
  // pysmpi/requirements/counting/counting.py. The MPI functions of schedules follow in order of first use.
  enum FirstKind : std::uint32_t { kPointToPoint, kOneSided, kFiles, kFirstFunction };

  struct Row {
    std::int64_t sent_bytes = 0, sent_messages = 0, received_bytes = 0, received_messages = 0, asked_bytes = 0;
  };

  void call_begins(double now, const Fiber& thread, const char* function) override;
  void computation_begins(double now, const Fiber& thread, const BySource& flops) override;
  void schedule_posts(const char* function) override { function_ = function; }
  void message_sent(double now, const Request& send) override;
  void message_matched(double now, const Request& send, const Request& receive) override;
  void algorithm_selected(const char* operation, const char* name) override;
  void collective_started(const CollectiveCall& call, std::uint32_t request) override;
  void file_accessed(RankId rank, bool writes, std::int64_t bytes) override;

  // The results: a row for each pair of a kind and a rank, and the MPI functions of the kinds from kFirstFunction on.
  const PairIndex& pairs() const { return pairs_; }
  const Row& row(std::uint32_t row) const { return rows_[row]; }
  const std::vector<const char*>& functions() const { return functions_; }

  // Amounts sent by place: a row for each pair of a call site (engine/call_site.hpp) and a rank.
  const PairIndex& places() const { return places_; }
  const Row& row_of_place(std::uint32_t row) const { return place_rows_[row]; }

  // Algorithms that selectors have chosen for an operation.
  struct Choice {
    const char *operation, *algorithm;
  };
  const std::vector<Choice>& choices() const { return choices_; }

  // Share of the measured computation in whose intervals no operation was counted (counting/counts.hpp).
  double unseen() const { return measured_ > 0.0 ? unseen_ / measured_ : 0.0; }

 private:
  Row& row_of(std::uint32_t kind, RankId rank);
  std::uint32_t kind_of(const char* function);

  const char* function_ = nullptr;  // the MPI function whose schedule posts messages now
  std::vector<const char*> functions_;
  std::vector<std::uint32_t> kind_of_send_;  // indexed by request; valid until it is matched
  std::vector<std::uint64_t> operations_;    // indexed by rank: operations counted before its last computation
  double measured_ = 0.0, unseen_ = 0.0;     // flops, at the hosts' speed: all measured ones, and those unseen()
  std::vector<Choice> choices_;              // each pair once
  PairIndex pairs_, places_;
  std::vector<Row> rows_, place_rows_;
  std::vector<std::uint32_t> site_of_;  // indexed by rank: call site of its last MPI call
};

}  // namespace pysmpi
