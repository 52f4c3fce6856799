#include "objects/layout.hpp"

#include <algorithm>
#include <limits>
#include <ranges>

namespace pysmpi {
namespace {

// The lowest and the highest byte position that elements span.
class Bounds {
 public:
  void include(std::int64_t begin, std::int64_t end) {
    begin_ = std::min(begin_, begin);
    end_ = std::max(end_, end);
  }
  std::int64_t begin() const { return any() ? begin_ : 0; }
  std::int64_t length() const { return any() ? end_ - begin_ : 0; }

 private:
  bool any() const { return begin_ != std::numeric_limits<std::int64_t>::max(); }
  std::int64_t begin_ = std::numeric_limits<std::int64_t>::max(), end_ = std::numeric_limits<std::int64_t>::min();
};

void append(std::vector<Segment>& segments, Segment next) {
  if (next.length == 0) return;
  if (!segments.empty() && segments.back().offset + segments.back().length == next.offset) {
    segments.back().length += next.length;
  } else {
    segments.push_back(next);
  }
}

void append_elements(std::vector<Segment>& segments, const Block& block) {
  const Datatype& type = *block.type;
  if (type.contiguous) {
    append(segments, {block.displacement, block.count * type.size});
    return;
  }
  for (std::int64_t i = 0; i < block.count; ++i) {
    const std::int64_t base = block.displacement + i * type.extent;
    for (const Segment& segment : type.segments) append(segments, {base + segment.offset, segment.length});
  }
}

void append(std::vector<Items>& items, Items next) {
  if (!items.empty() && items.back().size == next.size) {
    items.back().count += next.count;
  } else {
    items.push_back(next);
  }
}

// Of a type that holds any: the sizes of its basic items, which repeat themselves.
std::vector<Items> pattern(const Datatype& type) {
  return type.items.empty() ? std::vector<Items>{{type.basic_size, 1}} : type.items;
}

void append_items(std::vector<Items>& items, const Block& block) {
  const std::vector<Items> runs = pattern(*block.type);
  std::int64_t period = 0;
  for (const Items& run : runs) period += run.size * run.count;
  const std::int64_t times = block.count * block.type->size / period;
  if (runs.size() == 1) return append(items, {runs[0].size, runs[0].count * times});
  for (std::int64_t i = 0; i < times; ++i) {
    for (const Items& run : runs) append(items, run);
  }
}

std::vector<Items> items_of(std::span<const Block> blocks) {
  auto holding = blocks | std::views::filter([](const Block& block) { return block.count * block.type->size > 0; });
  if (holding.empty()) return {};
  std::vector<Items> items = pattern(*holding.front().type);
  if (std::ranges::all_of(holding, [&](const Block& block) { return pattern(*block.type) == items; })) return items;
  items.clear();
  for (const Block& block : holding) append_items(items, block);
  return items;
}

// A type whose bytes lie as in its packed form needs no segments.
void simplify(Datatype& type) {
  const bool single = type.segments.size() == 1 && type.segments[0].offset == 0 && type.segments[0].length == type.size;
  type.contiguous = type.lower_bound == 0 && type.extent == type.size && (single || type.size == 0);
  if (type.contiguous) type.segments = {};
}

}  // namespace

Datatype compose(std::span<const Block> blocks, std::int64_t alignment) {
  Datatype made;
  Bounds bounds, true_bounds;
  bool first = true;
  for (const Block& block : blocks) {
    if (block.count == 0) continue;
    const Datatype& type = *block.type;
    for (const std::int64_t i : {std::int64_t{0}, block.count - 1}) {
      const std::int64_t base = block.displacement + i * type.extent;
      bounds.include(base + type.lower_bound, base + type.lower_bound + type.extent);
      if (type.size > 0)
        true_bounds.include(base + type.true_lower_bound, base + type.true_lower_bound + type.true_extent);
    }
    made.size += block.count * type.size;
    append_elements(made.segments, block);
    const bool same = type.basic == made.basic && type.basic_size == made.basic_size;
    if (first) {
      made.basic = type.basic;
      made.basic_size = type.basic_size;
      first = false;
    } else if (!same) {
      made.basic = Basic::kMixed;
      made.basic_size = 0;
    }
  }
  made.items = items_of(blocks);
  made.lower_bound = bounds.begin();
  made.extent = (bounds.length() + alignment - 1) / alignment * alignment;
  made.true_lower_bound = true_bounds.begin();
  made.true_extent = true_bounds.length();
  simplify(made);
  return made;
}

Datatype resize(const Datatype& type, std::int64_t lower_bound, std::int64_t extent) {
  Datatype made = type;
  if (type.contiguous && type.size > 0) made.segments = {{0, type.size}};
  made.lower_bound = lower_bound;
  made.extent = extent;
  simplify(made);
  return made;
}

}  // namespace pysmpi
