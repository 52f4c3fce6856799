// Computation of the tables with which GaloisField multiplies: powers and logarithms of a primitive root.
#include "platform/topologies/galois_field.hpp"

namespace pysmpi {

GaloisField::GaloisField(std::uint32_t order) : order_(order), prime_(2) {
  while (order_ % prime_ != 0) ++prime_;
  power_.resize(order_ - 1);
  logarithm_.resize(order_);
  std::uint32_t candidate = 1;
  while (!fill_powers(candidate)) ++candidate;
}

std::uint32_t GaloisField::combine(std::uint32_t a, std::uint32_t b, bool negative) const {
  std::uint32_t result = 0;
  for (std::uint32_t place = 1; a > 0 || b > 0; place *= prime_) {
    const std::uint32_t digit = negative ? a % prime_ + prime_ - b % prime_ : a % prime_ + b % prime_;
    result += (digit < prime_ ? digit : digit - prime_) * place;
    a /= prime_;
    b /= prime_;
  }
  return result;
}

// Fills the tables with the powers of the root. Returns whether these are all elements except 0, so that the root is
// primitive. In a prime field, `candidate` is the root itself. Otherwise the elements have n digits, the root is x, and
// `candidate` is the remainder of x^n: minus the lower part of the modulus.
bool GaloisField::fill_powers(std::uint32_t candidate) {
  const std::uint32_t highest = order_ / prime_;  // the place value of the highest digit
  std::uint32_t value = 1;
  for (std::uint32_t exponent = 0; exponent < order_ - 1; ++exponent) {
    if (exponent > 0 && value <= 1) return false;
    power_[exponent] = value;
    logarithm_[value] = exponent;
    if (order_ == prime_) {
      value = static_cast<std::uint32_t>(std::uint64_t{value} * candidate % prime_);
    } else {
      std::uint32_t carry = value / highest;
      value = value % highest * prime_;
      for (; carry > 0; --carry) value = add(value, candidate);
    }
  }
  return value == 1;
}

}  // namespace pysmpi
