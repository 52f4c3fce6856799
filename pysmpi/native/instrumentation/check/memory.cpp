// Overlap and change of memory regions that may have gaps.
#include "instrumentation/check/memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "datatypes/copy.hpp"
#include "rank_memory/zones.hpp"

namespace pysmpi {

namespace {

constexpr std::uint32_t kNoRequest = 0xffffffffU;
// Highest number of pieces of a region with gaps that are compared one by one. Regions with more pieces count as not
// overlapping.
constexpr std::size_t kMostPieces = 1 << 16;

std::pair<std::uintptr_t, std::uintptr_t> range_of(const MemoryRegion& region) {
  const Span span = span_of(region.count, region.type->handle);
  const auto begin = reinterpret_cast<std::uintptr_t>(region.buffer) + span.begin;
  return {begin, begin + span.length};
}

// A regular pattern: pieces of equal length at a constant stride.
struct Stripes {
  std::uintptr_t begin = 0;
  std::int64_t length = 0, stride = 0;  // a stride of 0 means that the elements have no such pattern
};

Stripes stripes_of(const MemoryRegion& region) {
  if (region.type->contiguous || region.count != 1 || region.type->layout->size() != 1) return {};
  const Piece& piece = region.type->layout->front();
  if (piece.inner || piece.stride < piece.length) return {};
  return {reinterpret_cast<std::uintptr_t>(region.buffer) + piece.offset, piece.length, piece.stride};
}

// Return whether two patterns interleave without touching, as different columns of one matrix do.
bool are_side_by_side(const Stripes& one, const Stripes& other) {
  if (one.stride == 0 || one.stride != other.stride) return false;
  const auto difference = static_cast<std::int64_t>(other.begin - one.begin);
  const std::int64_t shift = (difference % one.stride + one.stride) % one.stride;
  return shift >= one.length && shift + other.length <= one.stride;
}

template <class Visit>
void each_piece(const MemoryRegion& region, std::int64_t bytes, Visit&& visit) {
  if (region.type->contiguous) {
    visit(region.buffer, 1, 0, bytes);
    return;
  }
  std::int64_t skip = 0;
  for (char* element = region.buffer; bytes > 0; element += region.type->extent) {
    for (const Piece& piece : *region.type->layout) walk(piece, element, skip, bytes, visit);
  }
}

using Pieces = std::vector<std::pair<std::uintptr_t, std::uintptr_t>>;

bool list_pieces(const MemoryRegion& region, Pieces& pieces) {
  const auto add = [&pieces](char* at, std::int64_t count, std::int64_t stride, std::int64_t length) {
    for (; count > 0 && pieces.size() <= kMostPieces; --count, at += stride) {
      const auto begin = reinterpret_cast<std::uintptr_t>(at);
      pieces.emplace_back(begin, begin + length);
    }
  };
  const std::int64_t size = region.type->size * region.count;
  each_piece(region, size, add);
  std::sort(pieces.begin(), pieces.end());
  return pieces.size() <= kMostPieces;
}

// A hash with four independent sums, so that the processor can overlap their multiplications.
class Hash {
 public:
  void add(const char* bytes, std::int64_t length) {
    for (; length >= 32; bytes += 32, length -= 32) {
      for (int lane = 0; lane < 4; ++lane) mix(lane, word(bytes + 8 * lane));
    }
    for (; length >= 8; bytes += 8, length -= 8) mix(0, word(bytes));
    std::uint64_t rest = 0;
    std::memcpy(&rest, bytes, length);
    if (length > 0) mix(0, rest);
  }
  std::uint64_t value() const {
    std::uint64_t all = 0;
    for (const std::uint64_t lane : lanes_) all = (all ^ lane) * 0xd6e8feb86659fd93ULL;
    return all ^ all >> 32;
  }

 private:
  static std::uint64_t word(const char* bytes) {
    std::uint64_t value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
  }
  void mix(int lane, std::uint64_t value) {
    lanes_[lane] = (lanes_[lane] ^ value) * 0x9e3779b97f4a7c15ULL;
    lanes_[lane] ^= lanes_[lane] >> 29;
  }

  std::uint64_t lanes_[4] = {1, 2, 3, 4};
};

}  // namespace

bool overlap(const MemoryRegion& one, const MemoryRegion& other) {
  const auto [first, last] = range_of(one);
  const auto [begin, end] = range_of(other);
  if (end <= first || last <= begin) return false;
  if (one.type->contiguous && other.type->contiguous) return true;
  if (are_side_by_side(stripes_of(one), stripes_of(other))) return false;
  Pieces pieces, others;
  if (!list_pieces(one, pieces) || !list_pieces(other, others)) return false;
  auto piece = pieces.begin();
  for (const auto& [from, to] : others) {
    while (piece != pieces.end() && piece->second <= from) ++piece;
    if (piece == pieces.end()) return false;
    if (piece->first < to) return true;
  }
  return false;
}

std::uint64_t hash_bytes(const MemoryRegion& region) {
  constexpr std::int64_t kSample = 64;
  Hash hash;
  const std::int64_t bytes = region.type->size * region.count;
  if (region.type->contiguous && bytes > kMostHashed) {
    const std::int64_t samples = kMostHashed / kSample;
    for (std::int64_t i = 0; i < samples; ++i) {
      hash.add(region.buffer + (bytes - kSample) / (samples - 1) * i, kSample);
    }
    hash.add(region.buffer + bytes - kSample, kSample);
    return hash.value();
  }
  each_piece(region, std::min(bytes, kMostHashed),
             [&hash](char* at, std::int64_t count, std::int64_t stride, std::int64_t length) {
               for (; count > 0; --count, at += stride) hash.add(at, length);
             });
  return hash.value();
}

std::uint32_t OwnedMemory::Side::find(const MemoryRegion& region) const {
  const auto [begin, end] = range_of(region);
  auto area = areas.lower_bound(begin > longest ? begin - longest : 0);
  for (; area != areas.end() && area->first < end; ++area) {
    if (area->second.end > begin && overlap(region, area->second.region)) return area->second.request;
  }
  return kNoRequest;
}

std::uint32_t OwnedMemory::find_conflict(const MemoryRegion& region, bool writes) const {
  const std::uint32_t found = written_.find(region);
  return found != kNoRequest || !writes ? found : read_.find(region);
}

OwnedMemory::Areas::iterator OwnedMemory::add(const MemoryRegion& region, bool writes, std::uint32_t request) {
  Side& side = writes ? written_ : read_;
  const auto [begin, end] = range_of(region);
  if (side.areas.empty()) side.longest = 0;
  side.longest = std::max(side.longest, end - begin);
  return side.areas.emplace(begin, Area{end, region, request});
}

void OwnedMemory::remove(Areas::iterator area, bool writes) { (writes ? written_ : read_).areas.erase(area); }

}  // namespace pysmpi
