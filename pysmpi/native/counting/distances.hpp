// Stack distances of the operands of each rank's operations, by place of the program.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "counting/numpy_objects.hpp"
#include "counting/stack_distances.hpp"

namespace pysmpi {

// Accessed bytes by their distance.
class DistanceHistogram {
 public:
  void add(std::uint64_t distance, std::uint64_t bytes);
  // Return the smallest distance that at least this share of the bytes does not exceed; 0 without any bytes.
  std::uint64_t quantile(double share) const;

 private:
  std::unordered_map<std::uint64_t, std::uint64_t> bytes_of_;  // ordered before it is summed
  bool is_coarse_ = false;  // only the eight leading bits of distances are kept, because there are too many
};

struct DistanceCounts : SimulationPart<DistanceCounts> {
  DistanceCounts() = default;

  struct Rank {
    StackDistances distances;
    DistanceHistogram all;
    std::unordered_map<std::uint64_t, DistanceHistogram> by_place;  // see place_key; read out in order
  };
  bool on = false;
  std::vector<Rank> by_rank;

  // Key of an operand at a place of the program (engine/call_site.hpp). Results have the operand 0.
  static std::uint64_t place_key(std::uint32_t site, int operand) {
    return std::uint64_t{site} << 8 | static_cast<std::uint64_t>(operand & 0xff);
  }

  // Forget an array: NumPy has freed its memory, or it was a folded array. `key` is its address.
  void forget(RankId rank, const void* key);
};

// Array or part of an array that an operation accesses.
struct Operand {
  const numpy::Array* array;  // the array that the operation names
  const char* data;           // the accessed part of it
  int dimensions;
  const std::intptr_t *shape, *strides;
  std::int64_t item;  // bytes of an element
};

// Operands of one operation of the running rank, in the order in which they are accessed. The program line that
// executes the operation is looked up once, at its first recorded access. Operands below 512 bytes, which caches always
// hold, are left out.
class OperandAccesses {
 public:
  static constexpr std::int64_t kLeastBytes = 512;

  // `array_type` is the type of NumPy's arrays, `folded_type` the class of folded arrays. `watch` makes Python call
  // pysmpi_forget_array when an array is freed. It is called for arrays whose data the counting allocator does not
  // release for the running rank: data of Python's bytes, windows, other ranks, or arrays made before.
  OperandAccesses(PyTypeObject* array_type, PyTypeObject* folded_type, void (*watch)(PyObject*))
      : array_type_(array_type), folded_type_(folded_type), watch_(watch) {}

  // Record an access; `number` is the position of the operand, from 1, or 0 for results.
  void access(const Operand& operand, int number);

 private:
  PyTypeObject *array_type_, *folded_type_;
  void (*watch_)(PyObject*);
  std::int64_t site_ = -1;  // -1: not found yet
};

}  // namespace pysmpi
