// Rounds the dates of flows while very many move at once, so that one solve of the sharing covers many of them.
//
// If n ranks exchange messages and no two start at exactly the same time, n^2 flows begin and end at 2 n^2 dates, and
// each date may change the rates of all flows. While more than kMany flows move, a date is therefore rounded to a
// multiple of a power of two (in seconds) that is at most `precision` times the flow's own duration. Flows of similar
// durations then begin and end together. Each date is early or late by at most half of `precision` times the duration,
// and the errors of many flows cancel out. While few flows move, dates are exact.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace pysmpi {

class DateRounding {
 public:
  // `precision` is relative to a flow's duration (precision/rounding). If it is zero, no date is ever rounded.
  explicit DateRounding(double precision) : precision_(precision) {}

  // Count a flow that begins to move (1) or ends (-1).
  void count(int change) { moving_ += change; }

  double precision() const { return precision_; }
  bool rounds() const { return precision_ > 0.0; }
  bool is_active() const { return moving_ > kMany && rounds(); }

  // Return the date (s) of the end of a flow that started at `start` (s) and would exactly end at `date` (s).
  double rounded(double date, double start) const {
    return is_active() ? nearest(date, precision_ * (date - start)) : date;
  }

  // Return the multiple of a step that is nearest to `date` (s). The step is the greatest power of two (s) not above
  // `most`.
  static double nearest(double date, double most) {
    constexpr std::uint64_t kExponent = 0x7ff0'0000'0000'0000;
    const double step = std::bit_cast<double>(std::bit_cast<std::uint64_t>(most) & kExponent);
    return step > 0.0 && std::isfinite(date) ? std::nearbyint(date / step) * step : date;
  }

 private:
  static constexpr std::int64_t kMany = 1000;

  const double precision_;
  std::int64_t moving_ = 0;
};

}  // namespace pysmpi
