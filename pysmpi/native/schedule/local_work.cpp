#include "schedule/local_work.hpp"

#include <algorithm>
#include <utility>

#include "datatypes/copy.hpp"
#include "datatypes/datatype.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "rank_memory/folded.hpp"
#include "schedule/c_api.h"

namespace pysmpi {

template class SimulationPart<LocalWork>;

namespace {

double seconds_per_byte(const WorkCurve& curve, double touched) {
  if (curve.empty()) return 0.0;
  if (touched <= curve.front().touched) return curve.front().seconds_per_byte;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const WorkPoint &low = curve[i - 1], &high = curve[i];
    if (touched > high.touched) continue;
    const double part = (touched - low.touched) / (high.touched - low.touched);
    return low.seconds_per_byte + part * (high.seconds_per_byte - low.seconds_per_byte);
  }
  return curve.back().seconds_per_byte;
}

}  // namespace

void LocalWork::set_core_of_host(HostId host, WorkingCore core) {
  auto found = std::ranges::find(cores_, core);
  if (found == cores_.end()) found = cores_.insert(cores_.end(), std::move(core));
  if (core_of_host_.size() <= host) core_of_host_.resize(host + 1);
  core_of_host_[host] = static_cast<std::uint32_t>(found - cores_.begin());
}

const WorkingCore& LocalWork::core_of(RankId rank) const {
  const HostId host = simulation().host_of(rank);
  return cores_[host < core_of_host_.size() ? core_of_host_[host] : 0];
}

double LocalWork::combining(RankId rank, double bytes, double touched) const {
  if (cores_.empty() || bytes <= 0.0) return 0.0;
  const WorkingCore& core = core_of(rank);
  const bool from_memory = bytes > core.received_in_cache;
  return bytes * seconds_per_byte(core.combining, from_memory ? std::numeric_limits<double>::infinity() : touched);
}

void LocalWork::note_buffer(std::int64_t bytes, std::int64_t written, bool filled_by_core) {
  if (options().new_buffers <= 0.0) return;
  const bool on_heap = static_cast<double>(bytes) < options().new_buffers;
  Filled& filled = on_heap ? on_heap_ : new_;
  (filled_by_core ? filled.by_core : filled.by_card) += written;
  if (!on_heap) return;
  heap_bytes_ += bytes;
  heap_largest_ = std::max(heap_largest_, bytes);
}

double LocalWork::take_seconds(RankId rank, double touched) {
  if (copied_ == 0 && heap_bytes_ == 0 && new_.by_core == 0 && new_.by_card == 0) return 0.0;
  constexpr double kByCore = 2.5e9, kByCard = 9e9;         // bytes/s of pages of 4 KiB (docs/models.md)
  constexpr std::int64_t kKept = std::int64_t{128} << 10;  // of the heap (M_TOP_PAD); least M_MMAP_THRESHOLD
  const std::int64_t bytes = std::exchange(heap_bytes_, 0), largest = std::exchange(heap_largest_, 0);
  Filled filled = std::exchange(new_, {});
  const Filled heap = std::exchange(on_heap_, {});
  if (bytes > kKept && (largest < kKept || bytes >= 2 * largest)) {  // given back in the last call
    const double part = 1.0 - static_cast<double>(kKept) / static_cast<double>(bytes);
    filled.by_core += static_cast<std::int64_t>(part * static_cast<double>(heap.by_core));
    filled.by_card += static_cast<std::int64_t>(part * static_cast<double>(heap.by_card));
  }
  // The rate at which a core fills new memory contains the copy.
  const std::int64_t copied = std::max<std::int64_t>(std::exchange(copied_, 0) - filled.by_core, 0);
  double seconds = static_cast<double>(filled.by_core) / kByCore + static_cast<double>(filled.by_card) / kByCard;
  if (!cores_.empty() && copied > 0) {
    seconds += static_cast<double>(copied) * seconds_per_byte(core_of(rank).copying, touched);
  }
  return seconds;
}

void local_copy(const void* source, std::int64_t source_count, std::int32_t source_type, void* destination,
                std::int64_t destination_count, std::int32_t destination_type) {
  copy(source, source_count, source_type, destination, destination_count, destination_type);
  if ((source == destination && !is_folded(source)) || !LocalWork::current().takes_time()) return;
  LocalWork::current().note_copied(std::min(source_count * find_datatype(source_type)->size,
                                            destination_count * find_datatype(destination_type)->size));
}

bool spend_combining(RankId rank, std::int64_t bytes, const char* call) {
  if (!LocalWork::exists() || !inside_rank()) return true;
  const auto size = static_cast<double>(bytes);
  const double seconds = LocalWork::current().combining(rank, size, 2 * size);
  if (seconds <= 0.0) return true;
  return sleep_for(seconds, call, Spent::kWorkingOnData);
}

}  // namespace pysmpi

using namespace pysmpi;

void pysmpi_set_local_work(int64_t host, int32_t combining_points, const double* combining, int32_t copying_points,
                           const double* copying, double received_in_cache) {
  const auto curve = [](std::int32_t count, const double* numbers) {
    WorkCurve points;
    for (std::int32_t i = 0; i < count; ++i) points.push_back({numbers[2 * i], numbers[2 * i + 1]});
    return points;
  };
  WorkingCore core{curve(combining_points, combining), curve(copying_points, copying), received_in_cache};
  if (host < 0) {
    LocalWork::current().set_core_of_all(std::move(core));
  } else {
    LocalWork::current().set_core_of_host(static_cast<HostId>(host), std::move(core));
  }
}
