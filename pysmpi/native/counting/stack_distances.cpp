// Stack distances. An index of the bytes by the time of their last access returns the bytes accessed since a given time
// in logarithmic time (B. T. Bennett, V. J. Kruskal, "LRU stack processing", IBM Journal of Research and Development
// 19(4), 1975).
#include "counting/stack_distances.hpp"

#include <bit>
#include <utility>

namespace pysmpi {

namespace {

constexpr std::size_t kMostPieces = 1024;     // pieces of an array; beyond, the oldest one is forgotten
constexpr std::size_t kMostTimes = 1U << 16;  // times of all arrays; beyond, the oldest half is forgotten

}  // namespace

void StackDistances::change(std::uint64_t time, std::int64_t bytes) {
  total_ += static_cast<std::uint64_t>(bytes);
  for (; time < sums_.size(); time += time & (~time + 1)) sums_[time] += static_cast<std::uint64_t>(bytes);
}

std::uint64_t StackDistances::bytes_after(std::uint64_t time) const {
  std::uint64_t until = 0;
  for (; time > 0; time &= time - 1) until += sums_[time];
  return total_ - until;
}

void StackDistances::remove(Pieces& pieces) {
  for (const Piece& piece : pieces) change(piece.time, -static_cast<std::int64_t>(piece.bytes));
  pieces.clear();
}

void StackDistances::free(Array& array) {
  if (!array.pieces.empty()) freed_[array.length].push_back(std::exchange(array.pieces, {}));
}

void StackDistances::forget(std::uint64_t array) {
  const auto found = arrays_.find(array);
  if (found == arrays_.end()) return;
  free(found->second);
  arrays_.erase(found);
}

StackDistances::Array& StackDistances::find(std::uint64_t array, const Box& whole, std::uint64_t length) {
  const auto [found, is_new] = arrays_.try_emplace(array);
  Array& known = found->second;
  if (!is_new && known.whole == whole && known.length == length) return known;
  free(known);
  known.whole = whole;
  known.length = length;
  const auto memory = freed_.find(length);
  if (memory != freed_.end()) {
    remove(memory->second.back());
    memory->second.pop_back();
    if (memory->second.empty()) freed_.erase(memory);
  }
  return known;
}

std::optional<std::uint64_t> StackDistances::access(std::uint64_t array, const Box& whole, std::uint64_t length,
                                                    const Box& part, std::uint64_t bytes) {
  if (now_ + 1 >= sums_.size()) renumber();
  Pieces& pieces = find(array, whole, length).pieces;
  std::optional<std::uint64_t> distance;
  const std::int64_t volume = part.volume();
  std::int64_t rest = volume;  // indices whose last access is not found yet
  for (std::size_t i = pieces.size(); i-- > 0 && rest > 0;) {
    Piece& piece = pieces[i];
    const std::int64_t common = piece.box.common(part);
    if (common == 0) continue;
    const std::int64_t taken = std::min(common, rest);
    rest -= taken;
    if (!distance && 2 * (volume - rest) >= volume) distance = bytes_after(piece.time);
    const auto share = static_cast<double>(taken) / static_cast<double>(volume);
    const auto moved = std::min(piece.bytes, static_cast<std::uint64_t>(share * static_cast<double>(bytes)));
    const bool goes = moved == piece.bytes || common == piece.box.volume();
    change(piece.time, -static_cast<std::int64_t>(goes ? piece.bytes : moved));
    piece.bytes -= moved;
    if (goes) pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (pieces.size() == kMostPieces) {
    change(pieces.front().time, -static_cast<std::int64_t>(pieces.front().bytes));
    pieces.erase(pieces.begin());
  }
  pieces.push_back({part, ++now_, bytes});
  change(now_, static_cast<std::int64_t>(bytes));
  return distance;
}

// Numbers the times of all pieces from 1 again, and makes room for as many further accesses.
void StackDistances::renumber() {
  std::vector<std::uint64_t> times;
  const auto each = [&](auto&& act) {
    for (auto& [key, array] : arrays_) act(array.pieces);
    for (auto& [length, all] : freed_) {
      for (Pieces& pieces : all) act(pieces);
    }
  };
  each([&](const Pieces& pieces) {
    for (const Piece& piece : pieces) times.push_back(piece.time);
  });
  std::sort(times.begin(), times.end());
  if (times.size() > kMostTimes) times.erase(times.begin(), times.end() - kMostTimes / 2);
  sums_.assign(std::max<std::size_t>(1024, 4 * std::bit_ceil(times.size() + 1)), 0);
  total_ = 0;
  now_ = times.size();
  each([&](Pieces& pieces) {
    std::erase_if(pieces, [&](const Piece& piece) { return piece.time < times.front(); });
    for (Piece& piece : pieces) {
      piece.time =
          static_cast<std::uint64_t>(std::lower_bound(times.begin(), times.end(), piece.time) - times.begin()) + 1;
      change(piece.time, static_cast<std::int64_t>(piece.bytes));
    }
  });
  std::erase_if(arrays_, [](const auto& item) { return item.second.pieces.empty(); });
  for (auto& [length, all] : freed_) {
    std::erase_if(all, [](const Pieces& pieces) { return pieces.empty(); });
  }
  std::erase_if(freed_, [](const auto& item) { return item.second.empty(); });
}

}  // namespace pysmpi
