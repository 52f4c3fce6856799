// Recorder of ranks' actions as time-independent traces in SMPI's format (SimGrid 3.32, "Offline simulation"), one file
// for each rank. Without a recorder, each action costs one test of a pointer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class Recorder {
 public:
  // Append to files DIRECTORY/rank-N.txt.
  Recorder(std::string directory, RankId ranks);
  Recorder(const Recorder&) = delete;

  // Add a line for the rank: an action and its arguments.
  [[gnu::format(printf, 3, 4)]] void line(RankId rank, const char* format, ...);
  void text(RankId rank, const std::string& line);

  // Note that the format cannot express a call of the rank; only the first such call is kept.
  void cannot_express(RankId rank, const char* call);
  const std::string& inexpressible() const { return inexpressible_; }

  // Number of this recording, unique in the process.
  std::uint32_t number() const { return number_; }

  bool close();  // returns false if something could not be written

 private:
  void write(RankId rank);
  std::string path(RankId rank) const;

  const std::string directory_;
  const std::uint32_t number_;
  std::vector<std::string> waiting_;  // lines to be written, indexed by rank
  std::string inexpressible_;
  bool failed_ = false;
};

extern Recorder* recorder;  // null: no recording

}  // namespace pysmpi
