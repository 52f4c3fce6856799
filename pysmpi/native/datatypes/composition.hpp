// Construction of derived datatypes. For every constructor, a derived type is a sequence of blocks of existing types.
#pragma once

#include <cstdint>

#include "datatypes/datatype.hpp"

namespace pysmpi {

// A derived type under construction. Its bounds are the extremes over all elements. If some elements have explicit
// bounds (from MPI_Type_create_resized), only these elements determine the bounds (MPI 4.1, section 5.1).
class Composition {
 public:
  // Adds `count` elements: the first one `displacement` bytes from the new type's origin, the others at intervals of
  // `stride` bytes.
  void add(const Datatype& type, std::int64_t count, std::int64_t displacement, std::int64_t stride);
  void add(const Datatype& type, std::int64_t count, std::int64_t displacement) {
    add(type, count, displacement, type.extent);
  }

  // Returns whether a number exceeded 63 bits; the type is then invalid.
  bool overflowed() const { return overflowed_; }

  Datatype finish();

  // Finishes a type that describes a C structure: its extent is rounded up to a multiple of the alignment, unless
  // bounds are explicit.
  Datatype finish_structure();

 private:
  // The lowest and the highest byte position of elements.
  struct Bounds {
    std::int64_t begin = INT64_MAX, end = INT64_MIN;
    void include(std::int64_t first, std::int64_t length);
    bool any() const { return begin != INT64_MAX; }
  };

  std::int64_t product(std::int64_t a, std::int64_t b);
  std::int64_t sum(std::int64_t a, std::int64_t b);
  std::int64_t length(const Bounds& bounds);

  Datatype made_;
  Layout layout_;
  Signature signature_;
  Bounds bounds_, explicit_bounds_, true_bounds_;
  bool first_ = true, overflowed_ = false;
};

// Returns a type with the same bytes and other bounds.
Datatype resize(const Datatype& type, std::int64_t lower_bound, std::int64_t extent);

}  // namespace pysmpi
