// The field of q elements, where q is a power of a prime p. An element is a number below q; its digits to the base p
// are the coefficients of a polynomial, the lowest first. Polynomials are multiplied modulo an irreducible polynomial
// of which x, the element number p, is a primitive root. If q is prime, the elements are the numbers modulo q.
#pragma once

#include <cstdint>
#include <vector>

namespace pysmpi {

class GaloisField {
 public:
  explicit GaloisField(std::uint32_t order);

  std::uint32_t order() const { return order_; }
  std::uint32_t add(std::uint32_t a, std::uint32_t b) const { return combine(a, b, false); }
  std::uint32_t subtract(std::uint32_t a, std::uint32_t b) const { return combine(a, b, true); }
  std::uint32_t multiply(std::uint32_t a, std::uint32_t b) const {
    return a == 0 || b == 0 ? 0 : power(logarithm_[a] + logarithm_[b]);
  }
  std::uint32_t divide(std::uint32_t a, std::uint32_t b) const {  // b is not 0
    return a == 0 ? 0 : power(logarithm_[a] + (order_ - 1) - logarithm_[b]);
  }
  // Returns a power of the primitive root.
  std::uint32_t power(std::uint32_t exponent) const { return power_[exponent % (order_ - 1)]; }

 private:
  std::uint32_t combine(std::uint32_t a, std::uint32_t b, bool negative) const;
  bool fill_powers(std::uint32_t candidate);

  std::uint32_t order_, prime_;
  std::vector<std::uint32_t> power_, logarithm_;
};

}  // namespace pysmpi
