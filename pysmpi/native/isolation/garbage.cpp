// Garbage collection in each rank. CPython keeps all objects of container types in circular lists, one for each
// generation, whose heads lie in the interpreter's state. When another rank runs, the lists of its own objects replace
// those of the rank before. Therefore a collection visits only the objects that were made while the running rank ran,
// and finalises them in this rank. References from the objects of other ranks keep an object alive, like references
// from C.
//
// Example: rank 0 has made the objects a and b, rank 1 the object c.
//   rank 0 runs       the interpreter's list is a, b; rank 1's saved list is c.
//   switch 0 -> 1     The interpreter's list is c; rank 0's saved list is a, b.
//   rank 1 deletes b  Only rank 0's saved list changes, because b is linked to the saved head.
#include "isolation/garbage.hpp"

#include <cstring>
#include <utility>

#include "engine/isolation.hpp"
#include "isolation/c_api.h"

namespace pysmpi {

namespace {

void set_previous(GcLink& object, const GcLink& previous) {
  object.previous = address(previous) | (object.previous & 3);
}

// Move all objects to another head, which has no objects. The old head is invalid afterwards.
void move(const GcLink& from, GcLink& to) {
  if (from.next == address(from)) {
    to.next = to.previous = address(to);
    return;
  }
  to.next = from.next;
  to.previous = from.previous;
  set_previous(link_at(to.next), to);
  link_at(to.previous).next = address(to);
}

void append(GcLink& from, GcLink& to) {
  if (from.next == address(from)) return;
  GcLink& last = link_at(to.previous);
  last.next = from.next;
  set_previous(link_at(from.next), last);
  link_at(from.previous).next = address(to);
  to.previous = from.previous;
  from.next = from.previous = address(from);
}

void save_settings(const Collector& collector, RankGarbage& rank) {
  for (int i = 0; i < kGenerations; ++i) {
    rank.limits[i] = {collector.generations[i].threshold, collector.generations[i].count};
  }
  rank.enabled = collector.enabled;
  rank.debug = collector.debug;
  rank.callbacks = collector.callbacks;
}

void save(const Collector& collector, RankGarbage& rank) {
  for (int i = 0; i < kGenerations; ++i) move(collector.generations[i].objects, rank.objects[i]);
  move(collector.frozen.objects, rank.frozen);
  save_settings(collector, rank);
  std::memcpy(rank.statistics, collector.statistics, sizeof rank.statistics);
  rank.collecting = collector.collecting;
  rank.long_lived_total = collector.long_lived_total;
  rank.long_lived_pending = collector.long_lived_pending;
}

void restore(const RankGarbage& rank, Collector& collector) {
  for (int i = 0; i < kGenerations; ++i) {
    Collector::Generation& generation = collector.generations[i];
    move(rank.objects[i], generation.objects);
    generation.threshold = rank.limits[i].threshold;
    generation.count = rank.limits[i].count;
  }
  move(rank.frozen, collector.frozen.objects);
  collector.enabled = rank.enabled;
  collector.debug = rank.debug;
  collector.callbacks = rank.callbacks;
  std::memcpy(collector.statistics, rank.statistics, sizeof rank.statistics);
  collector.collecting = rank.collecting;
  collector.long_lived_total = rank.long_lived_total;
  collector.long_lived_pending = rank.long_lived_pending;
}

}  // namespace

bool Garbage::add_ranks(std::size_t count) {
  collector_ = find_collector();
  if (!collector_) return false;
  for (std::size_t i = 0; i < count; ++i) {
    RankGarbage& rank = ranks_.emplace_back();
    save_settings(*collector_, rank);
    for (RankGarbage::Limit& limit : rank.limits) limit.count = 0;
  }
  return true;
}

RankId Garbage::put_in_place(RankId rank) {
  if (!collector_ || rank == in_place_) return in_place_;
  save(*collector_, of(in_place_));
  restore(of(rank), *collector_);
  return std::exchange(in_place_, rank);
}

void Garbage::merge(RankId rank) {
  if (!collector_) return;
  constexpr int kOldest = kGenerations - 1;
  const bool main_runs = in_place_ < 0;
  GcLink& objects_of_main = main_runs ? collector_->generations[kOldest].objects : main_.objects[kOldest];
  RankGarbage& ended = of(rank);
  for (GcLink& objects : ended.objects) append(objects, objects_of_main);
  append(ended.frozen, objects_of_main);
}

void Garbage::merge_all() {
  put_in_place(-1);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) merge(static_cast<RankId>(rank));
}

void Garbage::set_callbacks(PyObject* list) {
  if (collector_) collector_->callbacks = list;
}

void isolation_arrive(RankId rank) { Garbage::current().put_in_place(rank); }

}  // namespace pysmpi

using namespace pysmpi;

int32_t pysmpi_garbage_begin(int32_t ranks) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const bool separated = Garbage::current().add_ranks(static_cast<std::size_t>(ranks));
  PyGILState_Release(gil);
  return separated;
}

void pysmpi_garbage_end(void) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Garbage::current().merge_all();
  PyGILState_Release(gil);
}

int32_t pysmpi_garbage_of(int32_t rank) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  const RankId before = Garbage::current().put_in_place(rank);
  PyGILState_Release(gil);
  return before;
}

void pysmpi_garbage_callbacks(void* list) { Garbage::current().set_callbacks(static_cast<PyObject*>(list)); }

void pysmpi_garbage_collect(int32_t forced) {
  if (!Garbage::current().is_separated()) return;
  const PyGILState_STATE gil = PyGILState_Ensure();
  const bool enables = forced && PyGC_Enable() == 0;
  PyGC_Collect();
  if (enables) PyGC_Disable();
  PyGILState_Release(gil);
}

void pysmpi_garbage_merge(int32_t rank) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Garbage::current().merge(rank);
  PyGILState_Release(gil);
}
