// Tables of the operands of reductions, for each library.
#include "datatypes/operands.hpp"

#include <array>
#include <initializer_list>
#include <utility>

#include "base/library_behaviour.hpp"
#include "datatypes/predefined.hpp"

namespace pysmpi {
namespace {

using enum Basic;

// Sets of operations, as bits.
using Operations = std::uint16_t;
constexpr Operations bits(std::initializer_list<ReductionKind> kinds) {
  unsigned all = 0;
  for (const ReductionKind kind : kinds) all |= 1U << static_cast<unsigned>(kind);
  return static_cast<Operations>(all);
}

constexpr Operations kNoOperations = 0;
constexpr Operations kExtrema = bits({ReductionKind::kMax, ReductionKind::kMin});
constexpr Operations kArithmetic = bits({ReductionKind::kSum, ReductionKind::kProd});
constexpr Operations kLogical = bits({ReductionKind::kLand, ReductionKind::kLor, ReductionKind::kLxor});
constexpr Operations kBitwise = bits({ReductionKind::kBand, ReductionKind::kBor, ReductionKind::kBxor});
constexpr Operations kLocations = bits({ReductionKind::kMinloc, ReductionKind::kMaxloc});
constexpr Operations kInteger = kExtrema | kArithmetic | kLogical | kBitwise;
constexpr Operations kFortranInteger = kExtrema | kArithmetic | kBitwise;
constexpr Operations kFloating = kExtrema | kArithmetic;

Operations standard_operations(Basic basic) {
  if (basic == kMixed) return kNoOperations;
  if (basic == kByte) return kBitwise;
  if (basic == kBool) return kLogical;
  if (basic <= kLastInteger) return kInteger;
  if (basic <= kLastFloating) return kFloating;
  return basic <= kLastComplex ? kArithmetic : kLocations;
}

// Numbers of predefined types.
constexpr std::uint8_t kByteType = 0x0d, kWchar = 0x0e, kPacked = 0x0f, kCharacter = 0x1a, kFortranInt = 0x1b,
                       kReal = 0x1c, kLogicalType = 0x1d, kComplex = 0x1e, kDoublePrecision = 0x1f,
                       kDoubleComplex = 0x22, kReal4 = 0x27, kComplex8 = 0x28, kComplex16 = 0x2a, kComplex32 = 0x2c,
                       kInteger1 = 0x2d, kComplex4 = 0x2e, kInteger2 = 0x2f, kInteger4 = 0x30, kInteger8 = 0x31,
                       kInteger16 = 0x32, kCxxFloatComplex = 0x34, kCxxDoubleComplex = 0x35,
                       kCxxLongDoubleComplex = 0x36, kOffset = 0x44, kLogical1 = 0x47, kLogical2 = 0x48,
                       kLogical4 = 0x49, kLogical8 = 0x4a, kLogical16 = 0x4b;

class Operands {
 public:
  explicit Operands(ReductionRules rules) {
    for (const Predefined& type : predefined_types()) {
      of_number[type.number] = {type.basic, standard_operations(type.basic)};
    }
    for (std::size_t i = 0; i < of_basic.size(); ++i) {
      const auto basic = static_cast<Basic>(i);
      of_basic[i] = {basic, standard_operations(basic)};
    }
    define({kWchar, kPacked, kCharacter}, kNoOperations);
    define({kFortranInt, kInteger1, kInteger2, kInteger4, kInteger8, kInteger16}, kFortranInteger);
    define({kLogicalType, kLogical1, kLogical2, kLogical4, kLogical8, kLogical16}, kLogical);
    of_number[kComplex32].recovers_infinities = false;
    switch (rules) {
      case ReductionRules::kMpich5:
        break;
      case ReductionRules::kIntelMpi:  // LAND and LOR of floating-point numbers do nothing there, and are errors here
        allow_for_floating(bits({ReductionKind::kLxor}));
        [[fallthrough]];
      case ReductionRules::kMpich4:
        define({kFortranInt, kInteger1, kInteger2, kInteger4, kInteger8, kCharacter}, kInteger);
        define({kComplex4, kComplex32}, kNoOperations);
        for (const std::uint8_t number : {kComplex, kDoubleComplex, kComplex8, kComplex16, kCxxFloatComplex,
                                          kCxxDoubleComplex, kCxxLongDoubleComplex}) {
          of_number[number].recovers_infinities = false;
        }
        break;
      case ReductionRules::kOpenMpi:
        for (Operand& operand : of_number) operand.by_vectors = true;
        for (const std::uint8_t number : {kReal, kReal4, kDoublePrecision}) of_number[number].by_vectors = false;
        [[fallthrough]];
      case ReductionRules::kOpenMpi40:
        define({kInteger1, kInteger2, kInteger8, kLogical1, kLogical2, kLogical8, kByteType, kCharacter}, kInteger);
        for (const std::uint8_t number : {kByteType, kCharacter}) of_number[number].basic = kUint8;
        of_number[kOffset].basic = kUint64;
        break;
      case ReductionRules::kSmpi:
        allow_for_floating(kLogical);
        define({kFortranInt, kLogicalType, kCharacter}, kInteger);
        break;
    }
  }

  std::array<Operand, 256> of_number{};
  std::array<Operand, static_cast<std::size_t>(kLastPair) + 1> of_basic{};

 private:
  void define(std::initializer_list<std::uint8_t> numbers, Operations operations) {
    for (const std::uint8_t number : numbers) of_number[number].operations = operations;
  }

  void allow_for_floating(Operations operations) {
    for (Operand& operand : of_number) {
      if (operand.operations == kFloating && operand.basic != kHalf) operand.operations |= operations;
    }
  }
};

const Operands& operands() {
  static const std::array<Operands, kReductionRules> tables = [] {
    return []<std::size_t... rules>(std::index_sequence<rules...>) {
      return std::array{Operands(static_cast<ReductionRules>(rules))...};
    }(std::make_index_sequence<kReductionRules>());
  }();
  return tables[static_cast<std::size_t>(library_behaviour().reductions)];
}

// Returns the first item of the signature.
const Predefined& first_item(const Signature& signature) {
  const Run& run = signature.front();
  return run.item ? *run.item : first_item(*run.nested);
}

}  // namespace

const Operand& operand_of(const Datatype& type) {
  const Operands& table = operands();
  const bool is_one_item = type.basic != kMixed && type.basic <= kLastComplex;
  if (!is_one_item) return table.of_basic[static_cast<std::size_t>(type.basic)];
  if (is_predefined(type)) return table.of_number[type.handle & 0xff];
  return table.of_number[first_item(*type.signature).number];
}

}  // namespace pysmpi
