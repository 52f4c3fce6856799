// Garbage collection in each rank. CPython keeps all objects of container types in circular lists, one for each
// generation, whose heads lie in the interpreter's state. When another rank runs, the lists of its own objects replace
// those of the rank before. Therefore a collection visits only the objects that were made while the running rank ran,
// and finalises them in this rank. References from the objects of other ranks keep an object alive, like references
// from C.
//
// Example: rank 0 has made the objects a and b, rank 1 the object c.
//   rank 0 runs       head in the interpreter <-> a <-> b   head saved for rank 1 <-> c
//   switch 0 -> 1     head in the interpreter <-> c         head saved for rank 0 <-> a <-> b
//   rank 1 deletes b  head in the interpreter <-> c         head saved for rank 0 <-> a
#include "isolation/garbage.hpp"

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
}

void save(const Collector& collector, RankGarbage& rank) {
  for (int i = 0; i < kGenerations; ++i) move(collector.generations[i].objects, rank.objects[i]);
  move(collector.frozen.objects, rank.frozen);
  save_settings(collector, rank);
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
  collector.collecting = rank.collecting;
  collector.long_lived_total = rank.long_lived_total;
  collector.long_lived_pending = rank.long_lived_pending;
}

}  // namespace

void Garbage::add_ranks(std::size_t count) {
  if (!collector_) return;
  for (std::size_t i = 0; i < count; ++i) {
    RankGarbage& rank = ranks_.emplace_back();
    save_settings(*collector_, rank);
    for (RankGarbage::Limit& limit : rank.limits) limit.count = 0;
  }
}

void Garbage::put_in_place(RankId rank) {
  if (!collector_ || rank == in_place_) return;
  save(*collector_, of(in_place_));
  restore(of(rank), *collector_);
  in_place_ = rank;
}

void Garbage::merge(RankId rank) {
  if (!collector_) return;
  const bool main_runs = in_place_ < 0;
  RankGarbage& ended = of(rank);
  constexpr int kOldest = kGenerations - 1;
  for (GcLink& objects : ended.objects) {
    append(objects, main_runs ? collector_->generations[kOldest].objects : main_.objects[kOldest]);
  }
  append(ended.frozen, main_runs ? collector_->frozen.objects : main_.frozen);
}

}  // namespace pysmpi
