// Constructors of derived datatypes (MPI 4.1, section 5.1), each in its narrow and its large-count form. They keep
// their arguments for MPI_Type_get_contents: the narrow form as integers and addresses, the large form as large counts.
#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "base/observer.hpp"
#include "datatypes.hpp"
#include "datatypes/composition.hpp"
#include "datatypes/predefined.hpp"
#include "objects/attributes.hpp"

using namespace pysmpi;

namespace {

// A call of a constructor: it records and checks the arguments in order, then creates the type. The first error is
// kept.
class Making {
 public:
  Making(const char* function, int combiner, bool large, MPI_Datatype* newtype)
      : function_(function), newtype_(newtype), large_(large) {
    made_.combiner = combiner;
  }

  bool ok() const { return error_ == MPI_SUCCESS; }
  int error() const { return error_; }

  // Record an argument for MPI_Type_get_contents, which returns integers, addresses, large counts and datatypes. In the
  // narrow form of a constructor, counts are integers and addresses are addresses. In the large form, both are large
  // counts.
  void integer(int value) { made_.integers.push_back(value); }
  template <class Count>
  void count(Count value) {
    if (large_) {
      made_.large_counts.push_back(value);
    } else {
      made_.integers.push_back(static_cast<int>(value));
    }
  }
  template <class Address>
  void address(Address value) {
    (large_ ? made_.large_counts : made_.addresses).push_back(value);
  }

  // Records a count and fails if it is negative. `what` is the name of the count in the error text.
  template <class Count>
  void size(Count value, const char* what) {
    if (ok() && value < 0) {
      error_ = fail(MPI_COMM_NULL, MPI_ERR_COUNT, function_, "negative %s %lld", what, static_cast<long long>(value));
    }
    count(value);
  }
  template <class Count>
  void sizes(std::span<const Count> values, const char* what) {
    for (const Count value : values) size(value, what);
  }

  // Records and returns the datatype from which the new type is constructed. Returns null if the handle is invalid.
  const Datatype* type(MPI_Datatype handle) {
    const Datatype* found = find_datatype(handle);
    if (ok() && !found) error_ = invalid_datatype(function_, handle);
    if (found) made_.types.push_back(handle);
    return found;
  }

  void wrong(int error) { error_ = error; }
  const char* function() const { return function_; }

  int finish(Datatype type) {
    type.construction = std::move(made_);
    *newtype_ = add_datatype(std::move(type));
    if (observers) notify(&Observer::object_made, ObjectKind::kDatatype, *newtype_);
    return MPI_SUCCESS;
  }
  int finish(Composition& composition, bool structure = false) {
    Datatype type = structure ? composition.finish_structure() : composition.finish();
    if (composition.overflowed()) {
      return fail(MPI_COMM_NULL, MPI_ERR_COUNT, function_, "the datatype spans more than 2^63 bytes");
    }
    return finish(std::move(type));
  }

 private:
  const char* function_;
  MPI_Datatype* newtype_;
  bool large_;
  int error_ = MPI_SUCCESS;
  Construction made_;
};

template <class Value>
std::span<const Value> list(const Value* values, std::int64_t length) {
  return {values, length > 0 ? static_cast<std::size_t>(length) : 0};
}

template <class Count>
constexpr bool kLarge = sizeof(Count) > sizeof(int);

template <class Count>
int contiguous(const char* function, Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_CONTIGUOUS, kLarge<Count>, newtype);
  making.size(count, "count");
  const Datatype* old = making.type(oldtype);
  if (!making.ok()) return making.error();
  Composition elements;
  elements.add(*old, count, 0);
  return making.finish(elements);
}

// Creates a type of `count` blocks of `length` elements. `stride` is the distance between blocks in bytes.
int strided(Making& making, const Datatype& old, std::int64_t count, std::int64_t length, std::int64_t stride) {
  Composition block, blocks;
  block.add(old, length, 0);
  if (length > 0) blocks.add(block.finish(), count, 0, stride);
  return making.finish(block.overflowed() ? block : blocks);
}

template <class Count>
int vector(const char* function, Count count, Count length, Count stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_VECTOR, kLarge<Count>, newtype);
  making.size(count, "count");
  making.size(length, "block length");
  making.count(stride);
  const Datatype* old = making.type(oldtype);
  if (!making.ok()) return making.error();
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(static_cast<std::int64_t>(stride), old->extent, &bytes)) {
    return fail(MPI_COMM_NULL, MPI_ERR_COUNT, function, "the stride is more than 2^63 bytes");
  }
  return strided(making, *old, count, length, bytes);
}

template <class Count, class Stride>
int hvector(const char* function, Count count, Count length, Stride stride, MPI_Datatype oldtype,
            MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_HVECTOR, kLarge<Count>, newtype);
  making.size(count, "count");
  making.size(length, "block length");
  making.address(stride);
  const Datatype* old = making.type(oldtype);
  return making.ok() ? strided(making, *old, count, length, stride) : making.error();
}

// Creates a type of blocks that have `lengths` elements each, at displacements in units of `unit` bytes.
template <class Count, class Displacement>
int indexed(Making& making, const Datatype& old, std::span<const Count> lengths,
            std::span<const Displacement> displacements, std::int64_t unit) {
  Composition blocks;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::int64_t place = 0;
    if (__builtin_mul_overflow(static_cast<std::int64_t>(displacements[i]), unit, &place)) {
      return fail(MPI_COMM_NULL, MPI_ERR_COUNT, making.function(), "displacement %zu is more than 2^63 bytes", i);
    }
    blocks.add(old, lengths[i], place);
  }
  return making.finish(blocks);
}

template <class Count>
int indexed(const char* function, Count count, const Count lengths[], const Count displacements[], MPI_Datatype oldtype,
            MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_INDEXED, kLarge<Count>, newtype);
  making.size(count, "count");
  making.sizes(list(lengths, count), "block length");
  for (const Count displacement : list(displacements, count)) making.count(displacement);
  const Datatype* old = making.type(oldtype);
  if (!making.ok()) return making.error();
  return indexed(making, *old, list(lengths, count), list(displacements, count), old->extent);
}

template <class Count, class Displacement>
int hindexed(const char* function, Count count, const Count lengths[], const Displacement displacements[],
             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_HINDEXED, kLarge<Count>, newtype);
  making.size(count, "count");
  making.sizes(list(lengths, count), "block length");
  for (const Displacement displacement : list(displacements, count)) making.address(displacement);
  const Datatype* old = making.type(oldtype);
  if (!making.ok()) return making.error();
  return indexed(making, *old, list(lengths, count), list(displacements, count), 1);
}

template <class Count>
int indexed_block(const char* function, Count count, Count length, const Count displacements[], MPI_Datatype oldtype,
                  MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_INDEXED_BLOCK, kLarge<Count>, newtype);
  making.size(count, "count");
  making.size(length, "block length");
  for (const Count displacement : list(displacements, count)) making.count(displacement);
  const Datatype* old = making.type(oldtype);
  if (!making.ok()) return making.error();
  const std::vector<Count> lengths(count, length);
  return indexed(making, *old, list(lengths.data(), count), list(displacements, count), old->extent);
}

template <class Count, class Displacement>
int hindexed_block(const char* function, Count count, Count length, const Displacement displacements[],
                   MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_HINDEXED_BLOCK, kLarge<Count>, newtype);
  making.size(count, "count");
  making.size(length, "block length");
  for (const Displacement displacement : list(displacements, count)) making.address(displacement);
  const Datatype* old = making.type(oldtype);
  if (!making.ok()) return making.error();
  const std::vector<Count> lengths(count, length);
  return indexed(making, *old, list(lengths.data(), count), list(displacements, count), 1);
}

template <class Count, class Displacement>
int structure(const char* function, Count count, const Count lengths[], const Displacement displacements[],
              const MPI_Datatype types[], MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_STRUCT, kLarge<Count>, newtype);
  making.size(count, "count");
  making.sizes(list(lengths, count), "block length");
  for (const Displacement displacement : list(displacements, count)) making.address(displacement);
  for (const MPI_Datatype type : list(types, count)) making.type(type);
  if (!making.ok()) return making.error();
  Composition blocks;
  for (Count i = 0; i < count; ++i) blocks.add(*find_datatype(types[i]), lengths[i], displacements[i]);
  return making.finish(blocks, true);
}

template <class Address>
int resized(const char* function, MPI_Datatype oldtype, Address lower_bound, Address extent, bool large,
            MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_RESIZED, large, newtype);
  const Datatype* old = making.type(oldtype);
  making.address(lower_bound);
  making.address(extent);
  return making.ok() ? making.finish(resize(*old, lower_bound, extent)) : making.error();
}

// A part of an array, built dimension by dimension. The first dimension is the one whose elements are adjacent in
// memory.
class ArrayPart {
 public:
  explicit ArrayPart(const Datatype& old) : part_(old), whole_(old.extent) {}

  // Takes `count` indices from `first` on, in a dimension of `size`.
  void take(std::int64_t size, std::int64_t first, std::int64_t count) {
    if (!fits(size)) return;
    Composition taken;
    add(taken, first, count);
    close(taken, size);
  }

  // Takes blocks of `length` indices: the block at position `place` and every `processes`-th block after it.
  void take_cyclically(std::int64_t size, std::int64_t length, std::int64_t processes, std::int64_t place) {
    if (!fits(size)) return;
    Composition block, taken;
    add(block, 0, std::min(length, size));
    const Datatype one = block.finish();
    const std::int64_t cycle = length * processes, first = length * place,
                       left = std::max<std::int64_t>(0, size - first);
    const std::int64_t turns = left / cycle, rest = left % cycle, whole = turns + (rest >= length);
    if (whole > 0) taken.add(one, whole, first * whole_, whole > 1 ? cycle * whole_ : 0);
    if (rest < length) add(taken, first + turns * cycle, rest);
    close(taken, size);
  }

  Datatype finish() const { return resize(part_, 0, whole_); }
  bool overflowed() const { return overflowed_; }

 private:
  bool fits(std::int64_t size) {
    std::int64_t bytes = 0;
    overflowed_ |= __builtin_mul_overflow(whole_, size, &bytes);
    return !overflowed_;
  }
  void add(Composition& composition, std::int64_t first, std::int64_t count) const {
    composition.add(part_, count, first * whole_, whole_);
  }
  void close(Composition& taken, std::int64_t size) {
    part_ = taken.finish();
    whole_ *= size;
  }

  Datatype part_;
  std::int64_t whole_;  // bytes between consecutive elements of the next dimension
  bool overflowed_ = false;
};

int finish(Making& making, const ArrayPart& part) {
  if (!part.overflowed()) return making.finish(part.finish());
  return fail(MPI_COMM_NULL, MPI_ERR_COUNT, making.function(), "the array spans more than 2^63 bytes");
}

void check_array(Making& making, int dimensions, int order) {
  if (!making.ok()) return;
  if (dimensions < 1) {
    making.wrong(fail(MPI_COMM_NULL, MPI_ERR_DIMS, making.function(),
                      "invalid number of dimensions %d; valid: 1 or more", dimensions));
  } else if (order != MPI_ORDER_C && order != MPI_ORDER_FORTRAN) {
    making.wrong(fail(MPI_COMM_NULL, MPI_ERR_ARG, making.function(),
                      "invalid order %d; valid: MPI_ORDER_C and MPI_ORDER_FORTRAN", order));
  }
}

// Index of the i-th dimension in memory order: the dimension whose elements are adjacent comes first.
int in_memory_order(int i, int dimensions, int order) { return order == MPI_ORDER_C ? dimensions - 1 - i : i; }

template <class Count>
int subarray(const char* function, int dimensions, const Count sizes[], const Count subsizes[], const Count starts[],
             int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_SUBARRAY, kLarge<Count>, newtype);
  making.integer(dimensions);
  for (const Count* each : {sizes, subsizes, starts}) {
    for (const Count value : list(each, dimensions)) making.count(value);
  }
  making.integer(order);
  const Datatype* old = making.type(oldtype);
  check_array(making, dimensions, order);
  for (int i = 0; making.ok() && i < dimensions; ++i) {
    if (subsizes[i] < 1 || subsizes[i] > sizes[i] || starts[i] < 0 || starts[i] > sizes[i] - subsizes[i]) {
      making.wrong(fail(
          MPI_COMM_NULL, MPI_ERR_ARG, function, "%lld elements starting at %lld do not fit in a dimension of %lld",
          static_cast<long long>(subsizes[i]), static_cast<long long>(starts[i]), static_cast<long long>(sizes[i])));
    }
  }
  if (!making.ok()) return making.error();
  ArrayPart part(*old);
  for (int i = 0; i < dimensions; ++i) {
    const int dimension = in_memory_order(i, dimensions, order);
    part.take(sizes[dimension], starts[dimension], subsizes[dimension]);
  }
  return finish(making, part);
}

// Takes the part of one dimension that belongs to the process at position `place`, as in High Performance Fortran.
int distribute(const char* function, ArrayPart& part, std::int64_t size, int distribution, int argument, int processes,
               int place) {
  if (distribution == MPI_DISTRIBUTE_NONE) {
    part.take(size, 0, size);
    return MPI_SUCCESS;
  }
  if (distribution != MPI_DISTRIBUTE_BLOCK && distribution != MPI_DISTRIBUTE_CYCLIC) {
    return fail(MPI_COMM_NULL, MPI_ERR_ARG, function,
                "invalid distribution %d; valid: MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC and MPI_DISTRIBUTE_NONE",
                distribution);
  }
  const bool in_blocks = distribution == MPI_DISTRIBUTE_BLOCK;
  const std::int64_t share = size / processes + (size % processes != 0);
  std::int64_t length = argument;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG) length = in_blocks ? share : 1;
  if (length < 1) {
    return fail(MPI_COMM_NULL, MPI_ERR_ARG, function, "invalid distribution argument %d; valid: 1 or more", argument);
  }
  if (in_blocks && length < share) {
    return fail(MPI_COMM_NULL, MPI_ERR_ARG, function, "%d blocks of %d elements are too few for a dimension of %lld",
                processes, argument, static_cast<long long>(size));
  }
  if (in_blocks) {
    const std::int64_t first = std::min(size, length * place);
    part.take(size, first, std::min(length, size - first));
  } else {
    part.take_cyclically(size, length, processes, place);
  }
  return MPI_SUCCESS;
}

template <class Count>
int darray(const char* function, int size, int rank, int dimensions, const Count sizes[], const int distributions[],
           const int arguments[], const int grid[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Making making(function, MPI_COMBINER_DARRAY, kLarge<Count>, newtype);
  for (const int value : {size, rank, dimensions}) making.integer(value);
  making.sizes(list(sizes, dimensions), "array size");
  for (const int* each : {distributions, arguments, grid}) {
    for (const int value : list(each, dimensions)) making.integer(value);
  }
  making.integer(order);
  const Datatype* old = making.type(oldtype);
  check_array(making, dimensions, order);
  std::int64_t processes = 1;
  for (int i = 0; making.ok() && i < dimensions; ++i) {
    processes *= grid[i];
    if (grid[i] < 1 || processes > size) break;
    if (distributions[i] == MPI_DISTRIBUTE_NONE && grid[i] != 1) {
      making.wrong(fail(MPI_COMM_NULL, MPI_ERR_ARG, function,
                        "dimension %d is MPI_DISTRIBUTE_NONE but has %d processes; valid: 1", i, grid[i]));
    }
  }
  if (making.ok() && (processes != size || rank < 0 || rank >= size)) {
    making.wrong(fail(MPI_COMM_NULL, MPI_ERR_ARG, function,
                      "rank %d of %d processes does not fit the grid of %d dimensions, whose sizes must multiply to "
                      "the number of processes",
                      rank, size, dimensions));
  }
  if (!making.ok()) return making.error();
  std::vector<int> places(dimensions);
  for (int i = dimensions - 1, left = rank; i >= 0; --i) {  // the grid is always in row-major order
    places[i] = left % grid[i];
    left /= grid[i];
  }
  ArrayPart part(*old);
  for (int i = 0; i < dimensions; ++i) {
    const int d = in_memory_order(i, dimensions, order);
    const int error = distribute(function, part, sizes[d], distributions[d], arguments[d], grid[d], places[d]);
    if (error != MPI_SUCCESS) return error;
  }
  return finish(making, part);
}

// Fortran's types by precision (decimal digits) and range (decimal exponent). Each is created once, is shared by all
// programs and counts as predefined.
int fortran_type(int combiner, MPI_Datatype like, std::vector<int> arguments, MPI_Datatype* newtype) {
  static std::map<std::pair<int, std::vector<int>>, MPI_Datatype> made;
  auto [place, missing] = made.try_emplace({combiner, arguments}, like);
  if (missing) {
    Composition same;
    same.add(*find_datatype(like), 1, 0);
    Datatype type = same.finish();
    type.construction = {combiner, std::move(arguments), {}, {}, {}};
    place->second = add_datatype(std::move(type));
    find_datatype(place->second)->creator = -1;
    find_datatype(place->second)->committed = true;
  }
  *newtype = place->second;
  return MPI_SUCCESS;
}

// Returns the bytes of the smallest real type with this precision and range, or 0 if none exists.
int real_size(int precision, int range) {
  struct Kind {
    int size, precision, range;
  };
  for (const Kind& kind : {Kind{4, 6, 37}, Kind{8, 15, 307}, Kind{16, 33, 4931}}) {
    if (precision <= kind.precision && range <= kind.range) return kind.size;
  }
  return 0;
}

int fortran_real(const char* function, int combiner, int type_class, int precision, int range, MPI_Datatype* newtype) {
  const int size = real_size(precision, range);  // MPI_UNDEFINED is smaller than every value in the table
  if (size == 0 || (precision == MPI_UNDEFINED && range == MPI_UNDEFINED)) {
    return fail(MPI_COMM_NULL, MPI_ERR_ARG, function, "no real type has %d digits and an exponent range of %d",
                precision, range);
  }
  const int parts = type_class == MPI_TYPECLASS_COMPLEX ? 2 : 1;
  return fortran_type(combiner, sized_type(type_class, parts * size), {precision, range}, newtype);
}

}  // namespace

extern "C" {

int MPI_Type_contiguous(int count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous("MPI_Type_contiguous", count, oldtype, newtype);
}
int MPI_Type_contiguous_c(MPI_Count count, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return contiguous("MPI_Type_contiguous", count, oldtype, newtype);
}

int MPI_Type_vector(int count, int length, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return vector("MPI_Type_vector", count, length, stride, oldtype, newtype);
}
int MPI_Type_vector_c(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                      MPI_Datatype* newtype) {
  return vector("MPI_Type_vector", count, length, stride, oldtype, newtype);
}

int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hvector("MPI_Type_create_hvector", count, length, stride, oldtype, newtype);
}
int MPI_Type_create_hvector_c(MPI_Count count, MPI_Count length, MPI_Count stride, MPI_Datatype oldtype,
                              MPI_Datatype* newtype) {
  return hvector("MPI_Type_create_hvector", count, length, stride, oldtype, newtype);
}

int MPI_Type_indexed(int count, const int lengths[], const int displacements[], MPI_Datatype oldtype,
                     MPI_Datatype* newtype) {
  return indexed("MPI_Type_indexed", count, lengths, displacements, oldtype, newtype);
}
int MPI_Type_indexed_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                       MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed("MPI_Type_indexed", count, lengths, displacements, oldtype, newtype);
}

int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint displacements[], MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return hindexed("MPI_Type_create_hindexed", count, lengths, displacements, oldtype, newtype);
}
int MPI_Type_create_hindexed_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                               MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed("MPI_Type_create_hindexed", count, lengths, displacements, oldtype, newtype);
}

int MPI_Type_create_indexed_block(int count, int length, const int displacements[], MPI_Datatype oldtype,
                                  MPI_Datatype* newtype) {
  return indexed_block("MPI_Type_create_indexed_block", count, length, displacements, oldtype, newtype);
}
int MPI_Type_create_indexed_block_c(MPI_Count count, MPI_Count length, const MPI_Count displacements[],
                                    MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return indexed_block("MPI_Type_create_indexed_block", count, length, displacements, oldtype, newtype);
}

int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint displacements[], MPI_Datatype oldtype,
                                   MPI_Datatype* newtype) {
  return hindexed_block("MPI_Type_create_hindexed_block", count, length, displacements, oldtype, newtype);
}
int MPI_Type_create_hindexed_block_c(MPI_Count count, MPI_Count length, const MPI_Count displacements[],
                                     MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return hindexed_block("MPI_Type_create_hindexed_block", count, length, displacements, oldtype, newtype);
}

int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint displacements[], const MPI_Datatype types[],
                           MPI_Datatype* newtype) {
  return structure("MPI_Type_create_struct", count, lengths, displacements, types, newtype);
}
int MPI_Type_create_struct_c(MPI_Count count, const MPI_Count lengths[], const MPI_Count displacements[],
                             const MPI_Datatype types[], MPI_Datatype* newtype) {
  return structure("MPI_Type_create_struct", count, lengths, displacements, types, newtype);
}

int MPI_Type_create_resized(MPI_Datatype oldtype, MPI_Aint lower_bound, MPI_Aint extent, MPI_Datatype* newtype) {
  return resized("MPI_Type_create_resized", oldtype, lower_bound, extent, false, newtype);
}
int MPI_Type_create_resized_c(MPI_Datatype oldtype, MPI_Count lower_bound, MPI_Count extent, MPI_Datatype* newtype) {
  return resized("MPI_Type_create_resized", oldtype, lower_bound, extent, true, newtype);
}

int MPI_Type_create_subarray(int dimensions, const int sizes[], const int subsizes[], const int starts[], int order,
                             MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray("MPI_Type_create_subarray", dimensions, sizes, subsizes, starts, order, oldtype, newtype);
}
int MPI_Type_create_subarray_c(int dimensions, const MPI_Count sizes[], const MPI_Count subsizes[],
                               const MPI_Count starts[], int order, MPI_Datatype oldtype, MPI_Datatype* newtype) {
  return subarray("MPI_Type_create_subarray", dimensions, sizes, subsizes, starts, order, oldtype, newtype);
}

int MPI_Type_create_darray(int size, int rank, int dimensions, const int sizes[], const int distributions[],
                           const int arguments[], const int grid[], int order, MPI_Datatype oldtype,
                           MPI_Datatype* newtype) {
  return darray("MPI_Type_create_darray", size, rank, dimensions, sizes, distributions, arguments, grid, order, oldtype,
                newtype);
}
int MPI_Type_create_darray_c(int size, int rank, int dimensions, const MPI_Count sizes[], const int distributions[],
                             const int arguments[], const int grid[], int order, MPI_Datatype oldtype,
                             MPI_Datatype* newtype) {
  return darray("MPI_Type_create_darray", size, rank, dimensions, sizes, distributions, arguments, grid, order, oldtype,
                newtype);
}

int MPI_Type_create_f90_integer(int range, MPI_Datatype* newtype) {
  struct Kind {
    int size, range;
  };
  for (const Kind& kind : {Kind{1, 2}, Kind{2, 4}, Kind{4, 9}, Kind{8, 18}, Kind{16, 38}}) {
    if (range > kind.range) continue;
    return fortran_type(MPI_COMBINER_F90_INTEGER, sized_type(MPI_TYPECLASS_INTEGER, kind.size), {range}, newtype);
  }
  return fail(MPI_COMM_NULL, MPI_ERR_ARG, "MPI_Type_create_f90_integer", "no integer type has an exponent range of %d",
              range);
}
int MPI_Type_create_f90_real(int precision, int range, MPI_Datatype* newtype) {
  return fortran_real("MPI_Type_create_f90_real", MPI_COMBINER_F90_REAL, MPI_TYPECLASS_REAL, precision, range, newtype);
}
int MPI_Type_create_f90_complex(int precision, int range, MPI_Datatype* newtype) {
  return fortran_real("MPI_Type_create_f90_complex", MPI_COMBINER_F90_COMPLEX, MPI_TYPECLASS_COMPLEX, precision, range,
                      newtype);
}

int MPI_Type_dup(MPI_Datatype oldtype, MPI_Datatype* newtype) {
  Making making("MPI_Type_dup", MPI_COMBINER_DUP, false, newtype);
  const Datatype* old = making.type(oldtype);
  if (!making.ok()) return making.error();
  Datatype same = *old;
  same.name.clear();
  const bool committed = old->committed;
  making.finish(std::move(same));
  find_datatype(*newtype)->committed = committed;
  const int code = copy_attributes(AttributeHolder::kDatatype, oldtype, *newtype);
  if (code == MPI_SUCCESS) return MPI_SUCCESS;
  free_datatype(*find_datatype(*newtype));
  *newtype = MPI_DATATYPE_NULL;
  return code;
}

}  // extern "C"
