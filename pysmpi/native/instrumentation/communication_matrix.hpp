// The communication matrix: bytes and messages from each rank to each other rank, including the messages inside
// collectives. With many ranks, neighbours share a row and a column, which bounds the memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/observer.hpp"
#include "engine/simulation.hpp"
#include "matching/point_to_point.hpp"
#include "matching/protocol.hpp"
#include "network/carrier.hpp"

namespace pysmpi {

class CommunicationMatrix final : public Observer {
 public:
  static constexpr RankId kMostRows = 512;

  // Ranks added later by MPI_Comm_spawn share the last row. With `delays`, the delays of packets are added up, too.
  CommunicationMatrix(RankId ranks, bool delays)
      : ranks_per_row_((ranks + kMostRows - 1) / kMostRows),
        rows_((ranks + ranks_per_row_ - 1) / ranks_per_row_),
        bytes_(std::size_t(rows_) * rows_),
        messages_(bytes_.size()),
        delays_(delays ? bytes_.size() : 0) {}

  // A message is counted when it is sent, because the send request has all data that are needed. Acknowledgements are
  // part of the library's protocol and are not counted, as in Open MPI's monitoring.
  void message_sent(double /*now*/, const Request& send) override {
    if (send.mode == SendMode::kAcknowledgement) return;
    const std::size_t place = place_of(send.owner, send.peer);
    bytes_[place] += send.bytes;
    ++messages_[place];
  }

  void message_arrived(double /*now*/, const Request& r) override {
    if (delays_.empty()) return;
    const std::size_t place = r.is_send() ? place_of(r.owner, r.peer) : place_of(r.peer, r.owner);
    delays_[place] += simulation().carrier->delay_of(r.flow);
  }

  RankId ranks_per_row() const { return ranks_per_row_; }
  RankId rows() const { return rows_; }
  // Matrices by row of the sender and column of the receiver, one row after the other: bytes sent, and number of
  // messages.
  const std::vector<std::int64_t>& bytes() const { return bytes_; }
  const std::vector<std::int64_t>& messages() const { return messages_; }
  const std::vector<double>& delays() const { return delays_; }  // seconds; empty without delays

 private:
  std::size_t place_of(RankId sender, RankId receiver) const {
    return std::size_t(row_of(sender)) * rows_ + row_of(receiver);
  }
  RankId row_of(RankId rank) const { return std::min(rank / ranks_per_row_, rows_ - 1); }

  RankId ranks_per_row_, rows_;
  std::vector<std::int64_t> bytes_, messages_;
  std::vector<double> delays_;
};

}  // namespace pysmpi
