// How much each rank has sent to each other one, those messages included that collectives consist of. Of many ranks
// neighbours share a row and a column, so that memory does not grow with the square of their number.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/observation.hpp"
#include "matching/point_to_point.hpp"

namespace pysmpi {

class CommunicationMatrix final : public Observer {
 public:
  static constexpr RankId kMostRows = 512;

  // Ranks that are added later, by MPI_Comm_spawn, share the last row.
  explicit CommunicationMatrix(RankId ranks)
      : ranks_per_row_((ranks + kMostRows - 1) / kMostRows),
        rows_((ranks + ranks_per_row_ - 1) / ranks_per_row_),
        bytes_(std::size_t(rows_) * rows_),
        messages_(bytes_.size()) {}

  // A message counts as it is sent: everything about it is in the send.
  void message_sent(double /*now*/, const Request& send) override {
    const std::size_t place = std::size_t(row_of(send.owner)) * rows_ + row_of(send.peer);
    bytes_[place] += send.bytes;
    ++messages_[place];
  }

  RankId ranks_per_row() const { return ranks_per_row_; }
  RankId rows() const { return rows_; }
  const std::vector<std::int64_t>& bytes() const { return bytes_; }        // by row of the sender, then of the receiver
  const std::vector<std::int64_t>& messages() const { return messages_; }  // the same

 private:
  RankId row_of(RankId rank) const { return std::min(rank / ranks_per_row_, rows_ - 1); }

  RankId ranks_per_row_, rows_;
  std::vector<std::int64_t> bytes_, messages_;
};

}  // namespace pysmpi
