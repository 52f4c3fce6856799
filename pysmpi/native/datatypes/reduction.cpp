// MPI's reduction operations on arrays of basic types.
#include "datatypes/reduction.hpp"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kFirstPredefined = 0x58000001, kLastPredefined = 0x5800000e;  // value in MPICH's ABI

using enum ReductionKind;

constexpr Reduction kPredefinedReductions[] = {
    {kMax, true, "MPI_MAX"},          {kMin, true, "MPI_MIN"},       {kSum, true, "MPI_SUM"},
    {kProd, true, "MPI_PROD"},        {kLand, true, "MPI_LAND"},     {kBand, true, "MPI_BAND"},
    {kLor, true, "MPI_LOR"},          {kBor, true, "MPI_BOR"},       {kLxor, true, "MPI_LXOR"},
    {kBxor, true, "MPI_BXOR"},        {kMinloc, true, "MPI_MINLOC"}, {kMaxloc, true, "MPI_MAXLOC"},
    {kReplace, false, "MPI_REPLACE"}, {kNoOp, false, "MPI_NO_OP"},
};

template <class Value>
struct Pair {  // an operand of MPI_MINLOC or MPI_MAXLOC, in C's layout
  Value value;
  int index;
};

template <class Real>
struct Complex {
  Real real, imaginary;
};

// Combines one item. Signed sums and products wrap around, as in every MPI implementation.
template <ReductionKind kind, class T>
T combine(T in, T inout) {
  if constexpr (kind == kMax) return in > inout ? in : inout;
  if constexpr (kind == kMin) return in < inout ? in : inout;
  if constexpr (kind == kSum || kind == kProd) {
    if constexpr (std::is_integral_v<T>) {
      using Wide = std::conditional_t<sizeof(T) < sizeof(unsigned), unsigned, std::make_unsigned_t<T>>;
      const Wide a = static_cast<Wide>(in), b = static_cast<Wide>(inout);
      return static_cast<T>(kind == kSum ? a + b : a * b);
    } else {
      return kind == kSum ? in + inout : in * inout;
    }
  }
  if constexpr (kind == kLand) return in && inout;
  if constexpr (kind == kLor) return in || inout;
  if constexpr (kind == kLxor) return !in != !inout;
  if constexpr (kind == kBand) return in & inout;
  if constexpr (kind == kBor) return in | inout;
  if constexpr (kind == kBxor) return in ^ inout;
}

template <ReductionKind kind, class Real>
Complex<Real> combine(Complex<Real> in, Complex<Real> inout) {
  if constexpr (kind == kSum) return {in.real + inout.real, in.imaginary + inout.imaginary};
  return {in.real * inout.real - in.imaginary * inout.imaginary, in.real * inout.imaginary + in.imaginary * inout.real};
}

template <ReductionKind kind, class T>
void combine_arrays(const void* in, void* inout, std::int64_t count) {
  const auto misaligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % alignof(T) != 0; };
  if (misaligned(in) || misaligned(inout)) {
    const char* from = static_cast<const char*>(in);
    char* to = static_cast<char*>(inout);
    for (std::int64_t i = 0; i < count; ++i) {
      T a, b;
      std::memcpy(&a, from + i * sizeof(T), sizeof(T));
      std::memcpy(&b, to + i * sizeof(T), sizeof(T));
      b = combine<kind>(a, b);
      std::memcpy(to + i * sizeof(T), &b, sizeof(T));
    }
    return;
  }
  const T* __restrict from = static_cast<const T*>(in);
  T* __restrict to = static_cast<T*>(inout);
  for (std::int64_t i = 0; i < count; ++i) to[i] = combine<kind>(from[i], to[i]);
}

// Combines pairs of a value and an index. Copies the value and the index separately, not as one struct, because the
// padding behind the last index may lie outside the buffer.
template <ReductionKind kind, class Value>
void combine_pairs(const void* in, void* inout, std::int64_t count) {
  using Item = Pair<Value>;
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(inout);
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(Item), to += sizeof(Item)) {
    Value value, other;
    int index, other_index;
    std::memcpy(&value, to + offsetof(Item, value), sizeof value);
    std::memcpy(&other, from + offsetof(Item, value), sizeof other);
    std::memcpy(&index, to + offsetof(Item, index), sizeof index);
    std::memcpy(&other_index, from + offsetof(Item, index), sizeof other_index);
    if (other == value) {
      index = std::min(index, other_index);
    } else if (kind == kMinloc ? other < value : other > value) {
      value = other;
      index = other_index;
    }
    std::memcpy(to + offsetof(Item, value), &value, sizeof value);
    std::memcpy(to + offsetof(Item, index), &index, sizeof index);
  }
}

using ArrayFunction = void (*)(const void* in, void* inout, std::int64_t count);

template <class T>
ArrayFunction real_function(ReductionKind kind) {
  switch (kind) {
    case kMax:
      return combine_arrays<kMax, T>;
    case kMin:
      return combine_arrays<kMin, T>;
    case kSum:
      return combine_arrays<kSum, T>;
    case kProd:
      return combine_arrays<kProd, T>;
    default:
      return nullptr;
  }
}

template <class T>
ArrayFunction integer_function(ReductionKind kind) {
  switch (kind) {
    case kLand:
      return combine_arrays<kLand, T>;
    case kBand:
      return combine_arrays<kBand, T>;
    case kLor:
      return combine_arrays<kLor, T>;
    case kBor:
      return combine_arrays<kBor, T>;
    case kLxor:
      return combine_arrays<kLxor, T>;
    case kBxor:
      return combine_arrays<kBxor, T>;
    default:
      return real_function<T>(kind);
  }
}

template <class Real>
ArrayFunction complex_function(ReductionKind kind) {
  if (kind == kSum) return combine_arrays<kSum, Complex<Real>>;
  if (kind == kProd) return combine_arrays<kProd, Complex<Real>>;
  return nullptr;
}

template <class Value>
ArrayFunction pair_function(ReductionKind kind) {
  if (kind == kMinloc) return combine_pairs<kMinloc, Value>;
  if (kind == kMaxloc) return combine_pairs<kMaxloc, Value>;
  return nullptr;
}

ArrayFunction bool_function(ReductionKind kind) {
  if (kind == kLand) return combine_arrays<kLand, bool>;
  if (kind == kLor) return combine_arrays<kLor, bool>;
  if (kind == kLxor) return combine_arrays<kLxor, bool>;
  return nullptr;
}

ArrayFunction byte_function(ReductionKind kind) {
  const bool bitwise = kind == kBand || kind == kBor || kind == kBxor;
  return bitwise ? integer_function<std::uint8_t>(kind) : nullptr;
}

ArrayFunction no_function(ReductionKind) { return nullptr; }

// For each `Basic`, in the order of the enumeration: the choice of a function by operation.
constexpr ArrayFunction (*kFunctionsOf[])(ReductionKind) = {
    no_function,  // for kMixed
    byte_function,
    bool_function,
    integer_function<std::int8_t>,
    integer_function<std::int16_t>,
    integer_function<std::int32_t>,
    integer_function<std::int64_t>,
    integer_function<std::uint8_t>,
    integer_function<std::uint16_t>,
    integer_function<std::uint32_t>,
    integer_function<std::uint64_t>,
    real_function<float>,
    real_function<double>,
    real_function<long double>,
    complex_function<float>,
    complex_function<double>,
    complex_function<long double>,
    pair_function<float>,
    pair_function<double>,
    pair_function<long>,
    pair_function<int>,
    pair_function<short>,
    pair_function<long double>,
};
static_assert(std::size(kFunctionsOf) == static_cast<std::size_t>(Basic::kLongDoubleInt) + 1);

// Returns the function that applies the operation to arrays of this type, or null if MPI does not define the operation.
ArrayFunction array_function(ReductionKind kind, Basic basic) {
  return kFunctionsOf[static_cast<std::size_t>(basic)](kind);
}

void reduce_user(const Reduction& reduction, std::int32_t type, const void* in, void* inout, std::int64_t count) {
  if (reduction.large_function) {
    long long all = count;
    return reduction.large_function(const_cast<void*>(in), inout, &all, &type);
  }
  const std::int64_t extent = find_datatype(type)->extent;
  for (std::int64_t done = 0; done < count;) {
    int part = static_cast<int>(std::min<std::int64_t>(count - done, INT_MAX));
    reduction.function(const_cast<char*>(static_cast<const char*>(in)) + done * extent,
                       static_cast<char*>(inout) + done * extent, &part, &type);
    done += part;
  }
}

}  // namespace

std::optional<Reduction> find_reduction(std::int32_t handle) {
  if (handle >= kFirstPredefined && handle <= kLastPredefined) return kPredefinedReductions[handle - kFirstPredefined];
  const UserOperation* made = find_user_operation(handle);
  if (!made) return std::nullopt;
  return Reduction{kUser, made->commutative, "user operation", made->function, made->large_function};
}

bool is_reducible(const Reduction& reduction, const Datatype& type) {
  if (reduction.kind == kUser) return true;
  return type.size == type.basic_size && array_function(reduction.kind, type.basic) != nullptr;
}

void reduce(const Reduction& reduction, std::int32_t type, const void* in, void* inout, std::int64_t count) {
  if (count <= 0 || is_folded(in) || is_folded(inout)) return;
  if (reduction.kind == kUser) return reduce_user(reduction, type, in, inout, count);
  const Datatype& elements = *find_datatype(type);
  array_function(reduction.kind, elements.basic)(in, inout, count);
}

}  // namespace pysmpi
