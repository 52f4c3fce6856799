// Writes what ranks do as time-independent traces of SMPI's form (SimGrid 3.32, "Offline simulation"), one file a rank.
// Costs a look at a pointer where nobody records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

class Recorder {
 public:
  // Files DIRECTORY/rank-N.txt, which are there already when they are not empty.
  Recorder(std::string directory, RankId ranks);
  Recorder(const Recorder&) = delete;

  // A line of the rank: an action and its arguments.
  [[gnu::format(printf, 3, 4)]] void line(RankId rank, const char* format, ...);
  void text(RankId rank, const std::string& line);

  // The form has no words for what the rank has called; the first such call is kept.
  void cannot_express(RankId rank, const char* call);
  const std::string& inexpressible() const { return inexpressible_; }

  // Tells recordings of one process from each other.
  std::uint32_t number() const { return number_; }

  bool close();  // false when something could not be written

 private:
  void write(RankId rank);
  std::string path(RankId rank) const;

  const std::string directory_;
  const std::uint32_t number_;
  std::vector<std::string> waiting_;  // by rank: lines that are to be written
  std::string inexpressible_;
  bool failed_ = false;
};

extern Recorder* recorder;  // null: nobody records

}  // namespace pysmpi
