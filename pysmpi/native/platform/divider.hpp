// Fast division by a fixed number, with a multiplication and a shift (D. Lemire, O. Kaser, N. Kurz, "Faster remainder
// by direct computation", Software: Practice and Experience 49(6), 2019). Exact for all 32-bit dividends and divisors.
#pragma once

#include <cstdint>

namespace pysmpi {

class Divider {
 public:
  explicit Divider(std::uint32_t divisor = 1) : reciprocal_(~std::uint64_t{0} / divisor + 1), divisor_(divisor) {}

  std::uint32_t divisor() const { return divisor_; }

  std::uint32_t quotient(std::uint32_t dividend) const {
    // The divisor 1 is special: its reciprocal is 2^64, which overflows to 0.
    if (reciprocal_ == 0) return dividend;
    return static_cast<std::uint32_t>((static_cast<unsigned __int128>(reciprocal_) * dividend) >> 64);
  }

  std::uint32_t remainder(std::uint32_t dividend) const { return dividend - quotient(dividend) * divisor_; }

 private:
  std::uint64_t reciprocal_;
  std::uint32_t divisor_;
};

}  // namespace pysmpi
