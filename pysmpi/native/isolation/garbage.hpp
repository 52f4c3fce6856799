// The objects and settings of each rank in the garbage collector.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <deque>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "isolation/collector.hpp"

namespace pysmpi {

// The garbage collector's state for one rank (its objects and settings), saved while the collector works for another
// rank.
struct RankGarbage {
  struct Limit {
    int threshold;
    int count;
  };

  GcLink objects[kGenerations];
  GcLink frozen;
  Limit limits[kGenerations] = {};
  Py_ssize_t statistics[kGenerations][3] = {};
  int enabled = 0;
  int debug = 0;
  int collecting = 0;
  PyObject* callbacks = nullptr;  // the list gc.callbacks of the rank; borrowed
  Py_ssize_t long_lived_total = 0;
  Py_ssize_t long_lived_pending = 0;
};

// State of the collector for all ranks of a simulation. If the interpreter's collector is unknown, the functions do
// nothing, and all ranks share the collector. The caller holds the GIL.
class Garbage : public SimulationPart<Garbage> {
 public:
  // Add ranks that have no objects yet and have the present settings (thresholds, gc.disable). Returns whether the
  // state of the interpreter's collector was found.
  bool add_ranks(std::size_t count);

  // Let the garbage collector work for this rank (-1: the main greenlet): it tracks new objects as this rank's and
  // collects only its objects. Returns the rank for which the collector has worked so far.
  RankId put_in_place(RankId rank);

  // Set the list gc.callbacks of the rank for which the collector works now. The caller owns the list and keeps it.
  void set_callbacks(PyObject* list);

  // Handle the begin and end of a collection in the calling thread, and call the functions in gc.callbacks of the rank
  // whose objects are collected. The arguments are those that the collector passes to these functions.
  void note_collection(PyObject* phase, PyObject* info);

  bool is_separated() const { return collector_ != nullptr; }

  // Call visit(PyObject*) for each object of the rank for which the collector works now. `visit` must not make objects
  // that the collector tracks.
  template <class Visit>
  void each_object(Visit&& visit) const {
    for (const Collector::Generation& generation : collector_->generations) each_object(generation.objects, visit);
    each_object(collector_->frozen.objects, visit);
  }

  // Let the collector treat the objects of a rank as objects of the main greenlet. The collector must not work for this
  // rank at present.
  void merge(RankId rank);
  void merge_all();

 private:
  template <class Visit>
  static void each_object(const GcLink& objects, Visit& visit) {
    for (const GcLink* link = &link_at(objects.next); link != &objects; link = &link_at(link->next)) {
      visit(reinterpret_cast<PyObject*>(const_cast<GcLink*>(link) + 1));
    }
  }
  RankGarbage& of(RankId rank) { return rank < 0 ? main_ : ranks_[static_cast<std::size_t>(rank)]; }

  void begin_elsewhere();
  void end_elsewhere();
  void save(RankGarbage& rank) const;
  void restore(const RankGarbage& rank);

  Collector* collector_ = nullptr;  // null: unknown, or no ranks yet
  std::deque<RankGarbage> ranks_;   // an element must not move, because objects are linked to it
  RankGarbage main_;
  RankId in_place_ = -1;
  bool collects_elsewhere_ = false;   // a thread in which no rank runs is collecting
  pthread_t collecting_thread_ = {};  // the thread that is collecting
  RankId interrupted_ = -1;           // rank to put in place when the collection ends, or -1
};

}  // namespace pysmpi
