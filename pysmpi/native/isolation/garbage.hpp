// The garbage collector's state of each rank.
#pragma once

#include <cstddef>
#include <deque>

#include "base/types.hpp"
#include "isolation/collector.hpp"

namespace pysmpi {

// State of one rank while another rank's is in place.
struct RankGarbage {
  struct Limit {
    int threshold;
    int count;
  };

  GcLink objects[kGenerations];
  GcLink frozen;
  Limit limits[kGenerations] = {};
  int enabled = 0;
  int debug = 0;
  int collecting = 0;
  Py_ssize_t long_lived_total = 0;
  Py_ssize_t long_lived_pending = 0;
};

// State of all ranks of a simulation. If the interpreter's collector is unknown, the functions do nothing, and all ranks
// share the collector. The caller holds the GIL.
class Garbage {
 public:
  // Add ranks without objects, with the settings (thresholds, gc.disable) that are in place.
  void add_ranks(std::size_t count);

  // Give the collector the objects and settings of this rank, or of the main greenlet for -1. The rank owns all objects
  // that are made until the next call.
  void put_in_place(RankId rank);
  RankId in_place() const { return in_place_; }

  // Give the objects of a rank, whose state is not in place, to the main greenlet.
  void merge(RankId rank);

 private:
  RankGarbage& of(RankId rank) { return rank < 0 ? main_ : ranks_[static_cast<std::size_t>(rank)]; }

  Collector* const collector_ = find_collector();
  std::deque<RankGarbage> ranks_;  // an element must not move, because objects are linked to it
  RankGarbage main_;
  RankId in_place_ = -1;
};

}  // namespace pysmpi
