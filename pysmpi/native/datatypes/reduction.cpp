// MPI's reduction operations on arrays of basic types.
#include "datatypes/reduction.hpp"

#include <algorithm>
#include <climits>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/library_behaviour.hpp"
#include "datatypes/half.hpp"
#include "datatypes/operands.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {

constexpr std::int32_t kFirstPredefined = 0x58000001, kLastPredefined = 0x5800000e;  // value in MPICH's ABI

using enum ReductionKind;
using enum Basic;

constexpr Reduction kPredefinedReductions[] = {
    {kMax, true, "MPI_MAX"},          {kMin, true, "MPI_MIN"},       {kSum, true, "MPI_SUM"},
    {kProd, true, "MPI_PROD"},        {kLand, true, "MPI_LAND"},     {kBand, true, "MPI_BAND"},
    {kLor, true, "MPI_LOR"},          {kBor, true, "MPI_BOR"},       {kLxor, true, "MPI_LXOR"},
    {kBxor, true, "MPI_BXOR"},        {kMinloc, true, "MPI_MINLOC"}, {kMaxloc, true, "MPI_MAXLOC"},
    {kReplace, false, "MPI_REPLACE"}, {kNoOp, false, "MPI_NO_OP"},
};

template <class Value, class Index>
struct Pair {  // an operand of MPI_MINLOC or MPI_MAXLOC, in C's layout
  Value value;
  Index index;
};

template <class Real>
struct Complex {
  Real real, imaginary;
};

// Which operand MPI_MIN and MPI_MAX return if neither is better: equal zeros of different sign, or a NaN among the two.
enum class Ties : std::uint8_t {
  kIn,
  kInout,
  kNumber,  // the one that is not NaN, or the first
};

template <ReductionKind kind, class T>
bool is_better(T one, T other) {
  return kind == kMax || kind == kMaxloc ? one > other : one < other;
}

template <class T>
bool is_nan(T value) {
  return !(value == value);
}

template <ReductionKind kind, Ties ties, class T>
struct Extremum {
  T operator()(T in, T inout) const {
    if constexpr (ties == Ties::kInout) return is_better<kind>(in, inout) ? in : inout;
    if constexpr (ties == Ties::kNumber) return is_better<kind>(inout, in) || is_nan(in) ? inout : in;
    return is_better<kind>(inout, in) ? inout : in;
  }
};

template <class T>
constexpr bool is_integer = std::is_integral_v<T> || std::is_same_v<T, __int128>;

// The type of unsigned arithmetic, at least as wide as C promotes to.
template <class T>
using Unsigned = std::conditional_t<
    std::is_same_v<T, __int128>, std::type_identity<unsigned __int128>,
    std::conditional_t<sizeof(T) < sizeof(unsigned), std::type_identity<unsigned>, std::make_unsigned<T>>>::type;

// Combines one item. Signed sums and products wrap around, as in every MPI implementation.
template <ReductionKind kind, class T>
struct Combine {
  T operator()(T in, T inout) const {
    if constexpr (kind == kSum || kind == kProd) {
      if constexpr (is_integer<T>) {
        using Wide = Unsigned<T>;
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
};

template <class Real>
struct ComplexSum {
  Complex<Real> operator()(Complex<Real> in, Complex<Real> inout) const {
    return {in.real + inout.real, in.imaginary + inout.imaginary};
  }
};

template <class Real>
struct PlainProduct {  // infinities times numbers may be NaN
  Complex<Real> operator()(Complex<Real> in, Complex<Real> inout) const {
    return {in.real * inout.real - in.imaginary * inout.imaginary,
            in.real * inout.imaginary + in.imaginary * inout.real};
  }
};

template <class Real>
struct ComplexProduct {  // C's multiplication: an infinity times a number is an infinity (annex G)
  Complex<Real> operator()(Complex<Real> in, Complex<Real> inout) const {
    std::complex<Real> a(in.real, in.imaginary);
    a *= std::complex<Real>(inout.real, inout.imaginary);
    return {a.real(), a.imag()};
  }
};

template <>
struct ComplexProduct<Half> {  // rounded once, at the end
  Complex<Half> operator()(Complex<Half> in, Complex<Half> inout) const {
    const auto [real, imaginary] = PlainProduct<float>()({in.real, in.imaginary}, {inout.real, inout.imaginary});
    return {real, imaginary};
  }
};

template <class T>
struct SaturatedSum {
  T operator()(T in, T inout) const {
    const int sum = in + inout;
    return static_cast<T>(std::clamp<int>(sum, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
};

template <class T, class Operator>
void combine_arrays(const void* in, void* inout, std::int64_t count) {
  const Operator combine;
  const auto misaligned = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at) % alignof(T) != 0; };
  if (misaligned(in) || misaligned(inout)) {
    const char* from = static_cast<const char*>(in);
    char* to = static_cast<char*>(inout);
    for (std::int64_t i = 0; i < count; ++i) {
      T a, b;
      std::memcpy(&a, from + i * sizeof(T), sizeof(T));
      std::memcpy(&b, to + i * sizeof(T), sizeof(T));
      b = combine(a, b);
      std::memcpy(to + i * sizeof(T), &b, sizeof(T));
    }
    return;
  }
  const T* __restrict from = static_cast<const T*>(in);
  T* __restrict to = static_cast<T*>(inout);
  for (std::int64_t i = 0; i < count; ++i) to[i] = combine(from[i], to[i]);
}

// Combines whole vectors of 16 bytes by one operator and the elements after them by another one, as Open MPI's
// component op/avx does. Wider vectors have the same rules as those of 16 bytes.
template <class T, class OfVectors, class OfRest>
void combine_vectors(const void* in, void* inout, std::int64_t count) {
  const std::int64_t rest = count % (16 / sizeof(T)), whole = count - rest;
  combine_arrays<T, OfVectors>(in, inout, whole);
  combine_arrays<T, OfRest>(static_cast<const T*>(in) + whole, static_cast<T*>(inout) + whole, rest);
}

// Combines pairs of a value and an index. Copies the value and the index separately, not as one struct, because the
// padding behind the last index may lie outside the buffer.
template <ReductionKind kind, class Value, class Index, class Choice>
void combine_pairs(const void* in, void* inout, std::int64_t count) {
  using Item = Pair<Value, Index>;
  const char* from = static_cast<const char*>(in);
  char* to = static_cast<char*>(inout);
  for (std::int64_t i = 0; i < count; ++i, from += sizeof(Item), to += sizeof(Item)) {
    Item mine, other;
    std::memcpy(&mine.value, to + offsetof(Item, value), sizeof(Value));
    std::memcpy(&other.value, from + offsetof(Item, value), sizeof(Value));
    std::memcpy(&mine.index, to + offsetof(Item, index), sizeof(Index));
    std::memcpy(&other.index, from + offsetof(Item, index), sizeof(Index));
    mine = Choice()(other, mine);
    std::memcpy(to + offsetof(Item, value), &mine.value, sizeof(Value));
    std::memcpy(to + offsetof(Item, index), &mine.index, sizeof(Index));
  }
}

template <ReductionKind kind, Ties ties, class Item>
struct BetterPair {  // the better value, and the lower index of equal ones
  Item operator()(const Item& in, const Item& inout) const {
    if (in.value == inout.value) return {inout.value, std::min(in.index, inout.index)};
    if (is_better<kind>(in.value, inout.value)) return in;
    return ties == Ties::kNumber && is_nan(inout.value) && !is_nan(in.value) ? in : inout;
  }
};

template <ReductionKind kind, class Item>
struct SmpisPair {  // differs for NaN, and in the sign of equal zeros
  Item operator()(const Item& in, const Item& inout) const {
    if (in.value == inout.value) return in.index < inout.index ? in : inout;
    if (kind == kMinloc) return in.value < inout.value ? in : inout;
    return in.value < inout.value ? inout : in;
  }
};

using ArrayFunction = void (*)(const void* in, void* inout, std::int64_t count);

template <ReductionKind kind, class T>
ArrayFunction extremum_function(const Operand& operand) {
  using InWins = Extremum<kind, Ties::kIn, T>;
  using InoutWins = Extremum<kind, Ties::kInout, T>;
  if constexpr (is_integer<T>) return combine_arrays<T, InWins>;
  const ReductionRules rules = library_behaviour().reductions;
  if (rules == ReductionRules::kSmpi && kind == kMin) return combine_arrays<T, InoutWins>;
  if constexpr (!std::is_same_v<T, Half>) {
    if (rules == ReductionRules::kIntelMpi) return combine_arrays<T, Extremum<kind, Ties::kNumber, T>>;
  }
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
    if (operand.by_vectors) return combine_vectors<T, InoutWins, InWins>;
  }
  return combine_arrays<T, InWins>;
}

template <class T>
ArrayFunction sum_function([[maybe_unused]] const Operand& operand) {
  if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
    if (operand.by_vectors) return combine_vectors<T, SaturatedSum<T>, Combine<kSum, T>>;
  }
  return combine_arrays<T, Combine<kSum, T>>;
}

template <class T>
ArrayFunction real_function(ReductionKind kind, const Operand& operand) {
  switch (kind) {
    case kMax:
      return extremum_function<kMax, T>(operand);
    case kMin:
      return extremum_function<kMin, T>(operand);
    case kSum:
      return sum_function<T>(operand);
    case kProd:
      return combine_arrays<T, Combine<kProd, T>>;
    case kLand:
      return combine_arrays<T, Combine<kLand, T>>;
    case kLor:
      return combine_arrays<T, Combine<kLor, T>>;
    case kLxor:
      return combine_arrays<T, Combine<kLxor, T>>;
    default:
      return nullptr;
  }
}

template <class T>
ArrayFunction integer_function(ReductionKind kind, const Operand& operand) {
  switch (kind) {
    case kBand:
      return combine_arrays<T, Combine<kBand, T>>;
    case kBor:
      return combine_arrays<T, Combine<kBor, T>>;
    case kBxor:
      return combine_arrays<T, Combine<kBxor, T>>;
    default:
      return real_function<T>(kind, operand);
  }
}

template <class Real>
ArrayFunction complex_function(ReductionKind kind, const Operand& operand) {
  if (kind == kSum) return combine_arrays<Complex<Real>, ComplexSum<Real>>;
  return operand.recovers_infinities ? combine_arrays<Complex<Real>, ComplexProduct<Real>>
                                     : combine_arrays<Complex<Real>, PlainProduct<Real>>;
}

template <ReductionKind kind, class Value, class Index>
ArrayFunction location_function() {
  using Item = Pair<Value, Index>;
  switch (library_behaviour().reductions) {
    case ReductionRules::kSmpi:
      return combine_pairs<kind, Value, Index, SmpisPair<kind, Item>>;
    case ReductionRules::kIntelMpi:
      return combine_pairs<kind, Value, Index, BetterPair<kind, Ties::kNumber, Item>>;
    default:
      return combine_pairs<kind, Value, Index, BetterPair<kind, Ties::kInout, Item>>;
  }
}

template <class Value, class Index = int>
ArrayFunction pair_function(ReductionKind kind, const Operand&) {
  return kind == kMinloc ? location_function<kMinloc, Value, Index>() : location_function<kMaxloc, Value, Index>();
}

ArrayFunction no_function(ReductionKind, const Operand&) { return nullptr; }

#ifdef __SIZEOF_FLOAT128__
using Quadruple = __float128;
#else
using Quadruple = long double;
#endif

// For each `Basic`, in the order of the enumeration: the choice of a function by operation.
constexpr ArrayFunction (*kFunctionsOf[])(ReductionKind, const Operand&) = {
    no_function,  // for kMixed
    integer_function<std::uint8_t>,
    integer_function<bool>,
    integer_function<std::int8_t>,
    integer_function<std::int16_t>,
    integer_function<std::int32_t>,
    integer_function<std::int64_t>,
    integer_function<std::uint8_t>,
    integer_function<std::uint16_t>,
    integer_function<std::uint32_t>,
    integer_function<std::uint64_t>,
    integer_function<__int128>,
    real_function<Half>,
    real_function<float>,
    real_function<double>,
    real_function<long double>,
    real_function<Quadruple>,
    complex_function<Half>,
    complex_function<float>,
    complex_function<double>,
    complex_function<long double>,
    complex_function<Quadruple>,
    pair_function<float>,
    pair_function<double>,
    pair_function<long>,
    pair_function<int>,
    pair_function<short>,
    pair_function<long double>,
    pair_function<float, float>,
    pair_function<double, double>,
};
static_assert(std::size(kFunctionsOf) == static_cast<std::size_t>(kLastPair) + 1);

void reduce_user(const Reduction& reduction, std::int32_t type, const void* in, void* inout, std::int64_t count) {
  if (reduction.stateful_function) {
    return reduction.stateful_function(const_cast<void*>(in), inout, count, type, reduction.state);
  }
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
  return Reduction{kUser,          made->commutative,    "user operation",
                   made->function, made->large_function, made->stateful_function,
                   made->state};
}

bool is_reducible(const Reduction& reduction, const Datatype& type) {
  if (reduction.kind == kUser) return true;
  const bool is_element = is_predefined(type) || library_behaviour().reductions == ReductionRules::kSmpi;
  return is_element && type.size == type.basic_size && operand_of(type).defines(reduction.kind);
}

void reduce(const Reduction& reduction, std::int32_t type, const void* in, void* inout, std::int64_t count) {
  if (count <= 0 || is_folded(in) || is_folded(inout)) return;
  if (reduction.kind == kUser) return reduce_user(reduction, type, in, inout, count);
  const Operand& operand = operand_of(*find_datatype(type));
  kFunctionsOf[static_cast<std::size_t>(operand.basic)](reduction.kind, operand)(in, inout, count);
}

}  // namespace pysmpi
