// Sums up measured intervals of computation, shortens interrupted ones, and records or reuses all of them.
#include "engine/measured_intervals.hpp"

#include <algorithm>

#include "base/options.hpp"
#include "engine/interval_record.hpp"
#include "engine/likes.hpp"
#include "engine/reused_intervals.hpp"
#include "engine/simulation.hpp"

namespace pysmpi {

namespace {

// Return whether an interruption can explain that an interval took `seconds` instead of `like`.
bool explains(double like, double seconds) {
  constexpr double kRefilling = 1e-3;
  return seconds <= std::max(2.0 * like, like + kRefilling);
}

}  // namespace

MeasuredIntervals::MeasuredIntervals() : likes_(std::make_unique<Likes>()) {}
MeasuredIntervals::~MeasuredIntervals() = default;

double MeasuredIntervals::add(const Interval& interval) {
  ++count_;
  seconds_ += interval.seconds;
  wall_ += interval.wall;
  if (interval.was_interrupted) ++interrupted_;
  double seconds = interval.seconds;
  if (!options().replaces_interrupted) {
    // Interrupted intervals count as measured.
  } else if (interval.was_interrupted) {
    seconds = without_interruption(interval);
  } else {
    likes_->add(interval.thread, interval.place, seconds);
  }
  if (record_) return record_->add(interval.thread, interval.place, seconds);
  if (reused_) return reused_->take({interval.thread, interval.place, interval.to, seconds, interval.was_interrupted});
  return seconds;
}

double MeasuredIntervals::without_interruption(const Interval& interval) {
  const double like = likes_->of(interval.thread, interval.place);
  if (like <= 0.0 || !explains(like, interval.seconds)) {
    ++kept_;
    return interval.seconds;
  }
  ++shortened_;
  const double seconds = std::min(like, interval.seconds);
  saved_ += interval.seconds - seconds;
  return seconds;
}

double MeasuredIntervals::add_sample(std::int32_t thread, std::uint32_t place, double seconds) {
  if (record_) return record_->add(thread, place, seconds);
  if (reused_) return reused_->take({thread, place, nullptr, seconds, false});
  return seconds;
}

void MeasuredIntervals::note_message(std::int32_t source, std::int32_t tag, std::int64_t bytes) {
  const std::uint32_t hash = hash_of_message(source, tag, bytes);
  const std::int32_t thread = running_fiber().number;
  if (record_) record_->add_message(thread, hash);
  if (reused_) reused_->compare_message(thread, hash);
}

void MeasuredIntervals::reads_shared_value() {
  if (reused_) reused_->diverge();
}

bool MeasuredIntervals::uses_places() const { return is_shared_ || options().replaces_interrupted; }

void MeasuredIntervals::record() {
  record_ = std::make_unique<IntervalRecord>();
  is_shared_ = true;
}

bool MeasuredIntervals::reuse(const char* path, std::int32_t first) {
  reused_ = ReusedIntervals::read(path, first);
  is_shared_ = reused_ != nullptr;
  return is_shared_;
}

}  // namespace pysmpi
