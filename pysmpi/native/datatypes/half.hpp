// Floating-point numbers of 16 bits (IEEE binary16). Operations convert to float and round back, which gives the
// correctly rounded result of the operation, because float has more than twice as many digits.
#pragma once

#include <bit>
#include <cstdint>

namespace pysmpi {

struct Half {
  std::uint16_t bits;

  Half() = default;

  Half(float value) {  // rounds to nearest, ties to even
    const auto all = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = all & 0x7fffffff;
    std::uint32_t rounded;
    if (magnitude > kInfinity) {  // NaN: quiet, with the upper digits
      rounded = 0x7e00 | (magnitude >> 13 & 0x3ff);
    } else if (magnitude >= kOverflow) {
      rounded = 0x7c00;
    } else if (magnitude >= kSmallestNormal) {
      const std::uint32_t rebased = magnitude - kBias;
      rounded = (rebased + 0xfff + (rebased >> 13 & 1)) >> 13;
    } else {  // the last digit of a float in [0.5, 1) is worth as much as that of a subnormal number
      rounded =
          std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
    }
    bits = static_cast<std::uint16_t>(all >> 16 & 0x8000) | static_cast<std::uint16_t>(rounded);
  }

  operator float() const {
    const std::uint32_t sign = std::uint32_t{bits} << 16 & 0x80000000, exponent = bits >> 10 & 0x1f;
    const std::uint32_t fraction = bits & 0x3ff;
    if (exponent == 0) {
      const auto magnitude = std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24F);
      return std::bit_cast<float>(sign | magnitude);
    }
    if (exponent == 0x1f) return std::bit_cast<float>(sign | kInfinity | fraction << 13);
    return std::bit_cast<float>(sign | ((exponent << 23 | fraction << 13) + kBias));
  }

 private:
  static constexpr std::uint32_t kInfinity = 0x7f800000, kOverflow = 0x477ff000, kSmallestNormal = 0x38800000;
  static constexpr std::uint32_t kBias = 112U << 23;  // difference of the exponents' biases, 127 - 15
};

}  // namespace pysmpi
