// Garbage collection in each rank. CPython keeps all objects of container types in circular lists, one for each
// generation, whose heads lie in the interpreter's state. At a switch to another rank, the lists of its own objects
// replace those of the rank that has run so far. Therefore a collection visits only the objects that the running rank
// has made, and finalises them in this rank. References from the objects of other ranks keep an object alive, like
// references from C.
//
// Example: rank 0 has made the objects a and b, rank 1 the object c.
//   rank 0 runs       the interpreter's list is a, b; rank 1's saved list is c.
//   switch 0 -> 1     The interpreter's list is c; rank 0's saved list is a, b.
//   rank 1 deletes b  Only rank 0's saved list changes, because b is linked to the saved head.
//
// A thread in which no rank runs, such as one that a library has started, collects whenever it allocates. It must not
// finalise the objects of the rank whose lists are in place. Therefore the collector calls note_collection first, which
// puts the main greenlet's lists in place until the collection ends. If this thread releases the GIL meanwhile, the
// simulation may switch to another rank, whose lists are then put in place.
#include "isolation/garbage.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/isolation.hpp"
#include "engine/simulation.hpp"
#include "isolation/c_api.h"

namespace pysmpi {

namespace {

void set_previous(GcLink& object, const GcLink& previous) {
  object.previous = address(previous) | (object.previous & 3);
}

// Move all objects of one list into another list, which is empty. Afterwards the head `from` is invalid.
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
}

PyObject* note_collection_from_python(PyObject*, PyObject* args) {
  PyObject *phase, *info;
  if (!PyArg_ParseTuple(args, "OO", &phase, &info)) return nullptr;
  if (Garbage::exists()) Garbage::current().note_collection(phase, info);
  Py_RETURN_NONE;
}

// Returns the list that replaces gc.callbacks in the collector, or null on an error. Its only function calls
// note_collection, which then calls the functions in gc.callbacks of the rank whose objects are collected.
PyObject* make_hook() {
  static PyMethodDef method = {"note_collection", note_collection_from_python, METH_VARARGS, nullptr};
  PyObject* function = PyCFunction_New(&method, nullptr);
  PyObject* list = function ? PyList_New(1) : nullptr;
  if (list) PyList_SET_ITEM(list, 0, function);
  if (!list) Py_XDECREF(function);
  return list;
}

bool in_other_thread() {
  const pthread_t ranks_thread = Simulation::ranks_thread;
  return !pthread_equal(ranks_thread, pthread_t{}) && !pthread_equal(ranks_thread, pthread_self());
}

}  // namespace

void Garbage::save(RankGarbage& rank) const {
  const Collector& collector = *collector_;
  for (int i = 0; i < kGenerations; ++i) move(collector.generations[i].objects, rank.objects[i]);
  move(collector.frozen.objects, rank.frozen);
  save_settings(collector, rank);
  std::memcpy(rank.statistics, collector.statistics, sizeof rank.statistics);
  if (!collects_elsewhere_) rank.collecting = collector.collecting;
  rank.long_lived_total = collector.long_lived_total;
  rank.long_lived_pending = collector.long_lived_pending;
}

void Garbage::restore(const RankGarbage& rank) {
  Collector& collector = *collector_;
  for (int i = 0; i < kGenerations; ++i) {
    Collector::Generation& generation = collector.generations[i];
    move(rank.objects[i], generation.objects);
    generation.threshold = rank.limits[i].threshold;
    generation.count = rank.limits[i].count;
  }
  move(rank.frozen, collector.frozen.objects);
  collector.enabled = rank.enabled;
  collector.debug = rank.debug;
  std::memcpy(collector.statistics, rank.statistics, sizeof rank.statistics);
  collector.collecting = collects_elsewhere_ ? 1 : rank.collecting;
  collector.long_lived_total = rank.long_lived_total;
  collector.long_lived_pending = rank.long_lived_pending;
}

bool Garbage::add_ranks(std::size_t count) {
  if (!collector_) {
    collector_ = find_collector();
    if (!collector_) return false;
    main_.callbacks = collector_->callbacks;
    if (PyObject* hook = make_hook()) collector_->callbacks = hook;
  }
  for (std::size_t i = 0; i < count; ++i) {
    RankGarbage& rank = ranks_.emplace_back();
    save_settings(*collector_, rank);
    rank.callbacks = main_.callbacks;
    for (RankGarbage::Limit& limit : rank.limits) limit.count = 0;
  }
  return true;
}

RankId Garbage::put_in_place(RankId rank) {
  interrupted_ = -1;
  if (!collector_ || rank == in_place_) return in_place_;
  save(of(in_place_));
  restore(of(rank));
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
  if (!collector_ || collector_->callbacks == main_.callbacks) return;
  Py_DECREF(std::exchange(collector_->callbacks, main_.callbacks));
}

void Garbage::set_callbacks(PyObject* list) {
  if (collector_) of(in_place_).callbacks = list;
}

void Garbage::begin_elsewhere() {
  const RankId rank = in_place_;
  collector_->collecting = 0;
  put_in_place(-1);
  // Lower the counts of objects, so that the rank's collection comes later and not at the next allocation of this
  // thread.
  for (RankGarbage::Limit& limit : of(rank).limits) limit.count = std::min(limit.count, limit.threshold / 2);
  collector_->collecting = 1;
  collects_elsewhere_ = true;
  collecting_thread_ = pthread_self();
  interrupted_ = rank;
}

void Garbage::end_elsewhere() {
  if (interrupted_ >= 0) put_in_place(interrupted_);
  collects_elsewhere_ = false;  // the collector then clears its flag itself
}

void Garbage::note_collection(PyObject* phase, PyObject* info) {
  const bool begins = PyUnicode_Check(phase) && PyUnicode_CompareWithASCIIString(phase, "start") == 0;
  if (begins && in_other_thread()) begin_elsewhere();
  const bool in_rank = rank_runs_here();
  const Fiber* const before = in_rank ? std::exchange(simulation().in_gc_callbacks, &running_fiber()) : nullptr;
  PyObject* functions = Py_NewRef(of(in_place_).callbacks);
  for (Py_ssize_t i = 0; PyList_Check(functions) && i < PyList_GET_SIZE(functions); ++i) {
    PyObject* function = Py_NewRef(PyList_GET_ITEM(functions, i));
    PyObject* result = PyObject_CallFunctionObjArgs(function, phase, info, nullptr);
    if (!result) PyErr_WriteUnraisable(function);
    Py_XDECREF(result);
    Py_DECREF(function);
  }
  Py_DECREF(functions);
  if (in_rank) simulation().in_gc_callbacks = before;
  if (!begins && collects_elsewhere_ && pthread_equal(collecting_thread_, pthread_self())) end_elsewhere();
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

int32_t pysmpi_garbage_collect(int32_t forced) {
  if (!Garbage::current().is_separated()) return 0;
  const PyGILState_STATE gil = PyGILState_Ensure();
  const bool enables = forced && PyGC_Enable() == 0;
  PyGC_Collect();
  if (enables) PyGC_Disable();
  PyGILState_Release(gil);
  return 1;
}

void pysmpi_garbage_merge(int32_t rank) {
  const PyGILState_STATE gil = PyGILState_Ensure();
  Garbage::current().merge(rank);
  PyGILState_Release(gil);
}
