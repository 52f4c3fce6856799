// Collects measured intervals, writes them, and computes how much intervals at the same place differ.
#include "engine/interval_record.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

namespace pysmpi {

std::uint32_t hash_of_message(std::int32_t source, std::int32_t tag, std::int64_t bytes) {
  std::uint64_t hash = static_cast<std::uint32_t>(source);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)), static_cast<std::uint64_t>(bytes)}) {
    hash = (hash ^ part) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint32_t>(hash >> 32);
}

double IntervalRecord::add(std::int32_t thread, std::uint32_t place, double seconds) {
  const auto kept = static_cast<float>(seconds);
  ++count_;
  intervals_[{thread, place}].push_back(kept);
  return kept;
}

std::vector<IntervalRecord::Place> IntervalRecord::sorted_places() const {
  std::vector<Place> places;
  places.reserve(intervals_.size());
  for (const auto& [place, seconds] : intervals_) places.push_back(place);
  std::sort(places.begin(), places.end());
  return places;
}

int IntervalRecord::write(const std::string& path) const {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
  if (!file) return errno;
  const std::vector<Place> places = sorted_places();
  RecordHeader header{{}, places.size(), messages_.size(), 0, 0};
  std::memcpy(header.format, kRecordFormat, sizeof header.format);
  std::vector<RecordRow> rows;
  rows.reserve(places.size() + messages_.size());
  for (const Place& place : places) {
    const std::size_t count = intervals_.at(place).size();
    rows.push_back({place.first, place.second, header.intervals, count});
    header.intervals += count;
  }
  for (const auto& [thread, hashes] : messages_) {
    rows.push_back({thread, 0, header.messages, hashes.size()});
    header.messages += hashes.size();
  }
  bool whole = true;
  const auto put = [&](const void* data, std::size_t size, std::size_t count) {
    whole = whole && (count == 0 || std::fwrite(data, size, count, file.get()) == count);
  };
  put(&header, sizeof header, 1);
  put(rows.data(), sizeof(RecordRow), rows.size());
  for (const Place& place : places) put(intervals_.at(place).data(), sizeof(float), intervals_.at(place).size());
  for (const auto& [thread, hashes] : messages_) put(hashes.data(), sizeof(std::uint32_t), hashes.size());
  whole = whole && std::fflush(file.get()) == 0;
  return whole ? 0 : errno;
}

double IntervalRecord::longest() const {
  std::unordered_map<std::int32_t, double> sums;
  double longest = 0.0;
  for (const auto& [place, seconds] : intervals_) {
    double& sum = sums[place.first];
    for (const float each : seconds) sum += each;
    longest = std::max(longest, sum);
  }
  return longest;
}

double IntervalRecord::spread() const {
  struct Difference {
    double fraction, weight;
  };
  std::vector<Difference> differences;
  double all = 0.0;
  const auto compare = [&](double one, double other) {
    if (one + other <= 0.0) return;
    differences.push_back({2.0 * std::abs(one - other) / (one + other), one + other});
    all += one + other;
  };
  // By place: the interval (s) of the previous thread that has only one interval there.
  std::unordered_map<std::uint32_t, float> single;
  for (const Place& place : sorted_places()) {
    const std::vector<float>& seconds = intervals_.at(place);
    for (std::size_t i = 1; i < seconds.size(); ++i) compare(seconds[i - 1], seconds[i]);
    if (seconds.size() > 1) continue;
    const auto [before, is_first] = single.try_emplace(place.second, seconds[0]);
    if (!is_first) compare(std::exchange(before->second, seconds[0]), seconds[0]);
  }
  std::sort(differences.begin(), differences.end(),
            [](const Difference& one, const Difference& other) { return one.fraction < other.fraction; });
  double below = 0.0;
  for (const Difference& each : differences) {
    below += each.weight;
    if (below >= 0.9 * all) return each.fraction;
  }
  return -1.0;
}

}  // namespace pysmpi
