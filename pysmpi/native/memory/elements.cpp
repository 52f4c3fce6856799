#include "memory/elements.hpp"

#include <algorithm>

namespace pysmpi {

namespace {

struct Period {
  std::int64_t bytes = 0, items = 0;
  explicit Period(const Datatype& type) {
    for (const Items& run : type.items) {
      bytes += run.size * run.count;
      items += run.count;
    }
  }
};

}  // namespace

std::int64_t items_in(const Datatype& type, std::int64_t bytes) {
  if (type.size == 0) return bytes == 0 ? 0 : -1;
  if (type.items.empty()) return bytes % type.basic_size == 0 ? bytes / type.basic_size : -1;
  const Period period(type);
  std::int64_t found = bytes / period.bytes * period.items;
  bytes %= period.bytes;
  for (const Items& run : type.items) {
    const std::int64_t whole = std::min(bytes / run.size, run.count);
    found += whole;
    bytes -= whole * run.size;
    if (whole < run.count) break;
  }
  return bytes == 0 ? found : -1;
}

std::int64_t bytes_of_items(const Datatype& type, std::int64_t count) {
  if (type.items.empty()) return count * type.basic_size;
  const Period period(type);
  std::int64_t bytes = count / period.items * period.bytes;
  count %= period.items;
  for (const Items& run : type.items) {
    const std::int64_t taken = std::min(count, run.count);
    bytes += taken * run.size;
    count -= taken;
  }
  return bytes;
}

}  // namespace pysmpi
