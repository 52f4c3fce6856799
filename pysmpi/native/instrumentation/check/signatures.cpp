// Fingerprints of type signatures.
#include "instrumentation/check/signatures.hpp"

#include <algorithm>

#include "datatypes/predefined.hpp"

namespace pysmpi {

namespace {

// A polynomial of the items, modulo 2^64, so that the fingerprint of a sequence can be computed from those of its
// parts. `power` is the base to the power of the number of items.
struct Polynomial {
  std::uint64_t value = 0, power = 1;

  Polynomial then(const Polynomial& next) const { return {value * next.power + next.value, power * next.power}; }

  Polynomial times(std::int64_t count) const {
    Polynomial result, square = *this;
    for (; count > 0; count /= 2) {
      if (count % 2) result = result.then(square);
      square = square.then(square);
    }
    return result;
  }
};

constexpr std::uint64_t kBase = 0x9e3779b97f4a7c15ULL, kUnknown = 256, kPart = 512;

Polynomial of_item(const Predefined& item) {
  const std::uint64_t number = item.basic == Basic::kMixed ? kUnknown + item.number : std::uint64_t(item.basic);
  return {(number + 1) * 0xd6e8feb86659fd93ULL, kBase};
}

Polynomial of_whole(const Signature& signature);

Polynomial of_each(const Run& run) { return run.item ? of_item(*run.item) : of_whole(*run.nested); }

Polynomial of_whole(const Signature& signature) {
  Polynomial result;
  for (const Run& run : signature) result = result.then(of_each(run).times(run.count));
  return result;
}

// Fingerprint of the first `bytes` bytes of one element; `bytes` is smaller than the element. If the last item is cut
// off, its remaining bytes count as one item of a special kind.
Polynomial of_part(const Signature& signature, std::int64_t bytes) {
  Polynomial result;
  for (const Run& run : signature) {
    if (bytes == 0) break;
    const std::int64_t whole = std::min(run.count, bytes / run.bytes);
    result = result.then(of_each(run).times(whole));
    bytes -= whole * run.bytes;
    if (whole == run.count || bytes == 0) continue;
    const Polynomial rest = run.nested ? of_part(*run.nested, bytes) : Polynomial{kPart + std::uint64_t(bytes), kBase};
    return result.then(rest);
  }
  return result;
}

}  // namespace

std::uint64_t fingerprint(const Datatype& type, std::int64_t bytes) {
  if (bytes <= 0 || type.size == 0) return 0;
  Polynomial result = of_whole(*type.signature).times(bytes / type.size);
  if (bytes % type.size > 0) result = result.then(of_part(*type.signature, bytes % type.size));
  return result.value;
}

bool match(const Datatype& one, const Datatype& other, std::int64_t bytes) {
  if (&one == &other || bytes == 0 || is_untyped(one) || is_untyped(other)) return true;
  if (one.basic == other.basic && one.basic != Basic::kMixed) return true;
  return fingerprint(one, bytes) == fingerprint(other, bytes);
}

std::string describe(std::int64_t count, const Datatype& type) {
  const char* const predefined = predefined_name(type.handle);
  const std::string name = predefined ? predefined : type.name.empty() ? "of a derived datatype" : type.name;
  return std::to_string(count) + " " + name + " (" + std::to_string(count * type.size) + " bytes)";
}

}  // namespace pysmpi
