// Finds the part of the underlying array that an operand is, and records accesses to it.
#include "counting/distances.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "counting/c_api.h"
#include "counting/memory.hpp"
#include "engine/call_site.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

constexpr std::size_t kMostDistances = 4096;  // number of different distances in a histogram

DistanceCounts& distance_counts() { return DistanceCounts::current(); }

// A dimension of an array.
struct Dimension {
  std::int64_t length, stride;
};

// Dimensions of an array with more than one index, those with the longest strides first.
struct Dimensions {
  std::array<Dimension, Box::kDimensions> of;
  int number = 0;
  bool fits = true;  // at most four dimensions, and no strides that are 0 or negative

  Dimensions(int dimensions, const std::intptr_t* shape, const std::intptr_t* strides) {
    for (int i = 0; i < dimensions; ++i) {
      if (shape[i] <= 1) continue;
      fits = fits && number < Box::kDimensions && strides[i] > 0;
      if (!fits) return;
      of[number++] = {shape[i], strides[i]};
    }
    std::sort(of.begin(), of.begin() + number, [](const auto& a, const auto& b) { return a.stride > b.stride; });
  }

  Box box() const {
    Box whole;
    for (int i = 0; i < number; ++i) whole.end[i] = of[i].length;
    return whole;
  }
};

// Finds the indices of an operand in the array that owns the memory. Returns false if they do not form a box.
//
// Example: of an array of 8-byte numbers with the shape (10, 20), a[2:5, 4:] begins at byte 2·160 + 4·8, so at the
// index (2, 4). Its strides are those of the array, so its lengths are 3 and 16.
bool find_box(const Dimensions& owner, const char* start, const Operand& operand, Box& box) {
  if (!owner.fits) return false;
  std::int64_t offset = operand.data - start;
  for (int i = 0; i < operand.dimensions; ++i) {  // a negative stride runs down from the first element
    if (operand.strides[i] < 0) offset += operand.strides[i] * (operand.shape[i] - 1);
  }
  if (offset < 0) return false;
  for (int k = 0; k < owner.number; ++k) {
    box.begin[k] = offset / owner.of[k].stride;
    box.end[k] = box.begin[k] + 1;
    offset %= owner.of[k].stride;
  }
  for (int i = 0; i < operand.dimensions; ++i) {
    const std::int64_t stride = std::abs(operand.strides[i]);
    if (operand.shape[i] == 1 || stride == 0) continue;
    int k = 0;
    while (k < owner.number && owner.of[k].stride > stride) ++k;
    if (k == owner.number || stride % owner.of[k].stride != 0) return false;
    box.end[k] += (operand.shape[i] - 1) * (stride / owner.of[k].stride);
  }
  for (int k = 0; k < owner.number; ++k) {
    if (box.end[k] > owner.of[k].length) return false;
  }
  return true;
}

}  // namespace

void DistanceHistogram::add(std::uint64_t distance, std::uint64_t bytes) {
  if (is_coarse_) distance &= std::uint64_t{0xff} << std::max(0, static_cast<int>(std::bit_width(distance)) - 8);
  bytes_of_[distance] += bytes;
  if (is_coarse_ || bytes_of_.size() <= kMostDistances) return;
  is_coarse_ = true;
  for (const auto& [each, its_bytes] : std::exchange(bytes_of_, {})) add(each, its_bytes);
}

std::uint64_t DistanceHistogram::quantile(double share) const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> all(bytes_of_.begin(), bytes_of_.end());
  std::sort(all.begin(), all.end());
  double total = 0.0, below = 0.0;
  for (const auto& [distance, bytes] : all) total += static_cast<double>(bytes);
  for (const auto& [distance, bytes] : all) {
    below += static_cast<double>(bytes);
    if (below >= share * total) return distance;
  }
  return 0;
}

void DistanceCounts::forget(RankId rank, const void* key) {
  if (!on || rank < 0 || static_cast<std::size_t>(rank) >= by_rank.size()) return;
  by_rank[static_cast<std::size_t>(rank)].distances.forget(reinterpret_cast<std::uint64_t>(key));
}

void OperandAccesses::access(const Operand& operand, int number) {
  if (!distance_counts().on || operand.dimensions == 0) return;
  std::int64_t bytes = operand.item;
  for (int i = 0; i < operand.dimensions; ++i) bytes *= operand.strides[i] == 0 ? 1 : operand.shape[i];
  if (bytes < kLeastBytes) return;
  const numpy::Array* owner = operand.array;
  while (owner->base && PyObject_TypeCheck(owner->base, array_type_)) {
    owner = reinterpret_cast<const numpy::Array*>(owner->base);
  }
  const auto rank = static_cast<std::size_t>(simulation().running);
  auto& all = distance_counts().by_rank;
  if (rank >= all.size()) all.resize(rank + 1);
  // An array is identified by its object, not by its data, if the counting allocator does not report the end of its
  // data, or if it is folded, because folded arrays share their addresses.
  auto* const object = reinterpret_cast<PyObject*>(const_cast<numpy::Array*>(owner));
  const bool is_folded_object = PyObject_TypeCheck(object, folded_type_);
  const bool is_object = is_folded_object || !pays_for(simulation().running, *owner);
  const void* const key = is_object ? static_cast<const void*>(owner) : owner->data;
  if (is_object && !is_folded_object && !all[rank].distances.contains(reinterpret_cast<std::uint64_t>(key))) {
    watch_(object);
  }
  const Dimensions dimensions(owner->dimensions, owner->shape, owner->strides);
  const Box whole = dimensions.fits ? dimensions.box() : Box();
  Box part;
  if (!find_box(dimensions, owner->data, operand, part)) part = whole;
  if (site_ < 0) site_ = call_site();
  const auto length = static_cast<std::uint64_t>(
      dimensions.number > 0 ? dimensions.of[0].length * dimensions.of[0].stride : operand.item);
  const auto distance = all[rank].distances.access(reinterpret_cast<std::uint64_t>(key), whole, length, part,
                                                   static_cast<std::uint64_t>(bytes));
  if (!distance) return;
  all[rank].all.add(*distance, static_cast<std::uint64_t>(bytes));
  const std::uint64_t place = DistanceCounts::place_key(static_cast<std::uint32_t>(site_), number);
  all[rank].by_place[place].add(*distance, static_cast<std::uint64_t>(bytes));
}

}  // namespace pysmpi

using namespace pysmpi;

namespace {

constexpr double kShares[] = {0.5, 0.1, 0.9};

void write_quantiles(const DistanceHistogram& histogram, double* out) {
  for (const double share : kShares) *out++ = static_cast<double>(histogram.quantile(share));
}

}  // namespace

void pysmpi_forget_array(int32_t rank, const void* array) { distance_counts().forget(rank, array); }

void pysmpi_read_distances(int32_t ranks, double* out) {
  auto& all = distance_counts().by_rank;
  if (all.size() < static_cast<std::size_t>(ranks)) all.resize(static_cast<std::size_t>(ranks));
  for (int32_t rank = 0; rank < ranks; ++rank) write_quantiles(all[static_cast<std::size_t>(rank)].all, out + 3 * rank);
}

uint32_t pysmpi_distance_places(void) {
  std::size_t number = 0;
  for (const auto& rank : distance_counts().by_rank) number += rank.by_place.size();
  return static_cast<uint32_t>(number);
}

void pysmpi_read_distance_places(pysmpi_distance_place* out) {
  uint32_t rank = 0;
  for (const auto& each : distance_counts().by_rank) {
    auto* const first = out;
    for (const auto& [key, histogram] : each.by_place) {
      *out = {static_cast<uint32_t>(key >> 8), static_cast<uint32_t>(key & 0xff), rank, 0, {}};
      write_quantiles(histogram, out++->quantiles);
    }
    std::sort(first, out,
              [](const auto& a, const auto& b) { return std::pair(a.site, a.operand) < std::pair(b.site, b.operand); });
    ++rank;
  }
}

void pysmpi_trace_distances(uint64_t accesses, const uint64_t* data, const uint64_t* bytes, double* out) {
  StackDistances distances;
  for (uint64_t i = 0; i < accesses; ++i) {
    const auto found = distances.access(data[i], Box(), bytes[i], Box(), bytes[i]);
    out[i] = found ? static_cast<double>(*found) : -1.0;
  }
}
