// Counting of basic items in type signatures.
#include "datatypes/signature.hpp"

#include <algorithm>

#include "datatypes/predefined.hpp"

namespace pysmpi {
namespace {

std::int64_t items_of(const Signature& signature);

std::int64_t items_each(const Run& run) { return run.item ? run.item->items : items_of(*run.nested); }

std::int64_t items_of(const Signature& signature) {
  std::int64_t sum = 0;
  for (const Run& run : signature) sum += run.count * items_each(run);
  return sum;
}

// Returns the number of items in the first `bytes` bytes of one element, or -1 if the last item is incomplete. `bytes`
// is less than the size of the element.
std::int64_t items_in_part(const Signature& signature, std::int64_t bytes) {
  std::int64_t items = 0;
  for (const Run& run : signature) {
    if (bytes == 0) break;
    const std::int64_t whole = std::min(run.count, bytes / run.bytes);
    items += whole * items_each(run);
    bytes -= whole * run.bytes;
    if (whole == run.count || bytes == 0) continue;
    if (run.nested) {
      const std::int64_t rest = items_in_part(*run.nested, bytes);
      return rest < 0 ? -1 : items + rest;
    }
    const std::int64_t each = run.item->size / run.item->items;
    return bytes % each == 0 ? items + bytes / each : -1;
  }
  return items;
}

std::int64_t bytes_of_part(const Signature& signature, std::int64_t items) {
  std::int64_t bytes = 0;
  for (const Run& run : signature) {
    const std::int64_t each = items_each(run);
    const std::int64_t whole = std::min(run.count, items / each);
    bytes += whole * run.bytes;
    items -= whole * each;
    if (items == 0) return bytes;
    if (whole == run.count) continue;
    return bytes + (run.nested ? bytes_of_part(*run.nested, items) : items * (run.item->size / run.item->items));
  }
  return bytes;
}

}  // namespace

void append(Signature& signature, Run run) {
  while (run.nested && run.nested->size() == 1) {
    const Run only = run.nested->front();
    run = {run.count * only.count, only.bytes, only.item, only.nested};
  }
  if (!signature.empty() && signature.back().item == run.item && signature.back().nested == run.nested) {
    signature.back().count += run.count;
  } else {
    signature.push_back(std::move(run));
  }
}

std::int64_t items_in(const Signature& signature, std::int64_t size, std::int64_t bytes) {
  if (size == 0) return bytes == 0 ? 0 : -1;
  const std::int64_t rest = items_in_part(signature, bytes % size);
  return rest < 0 ? -1 : bytes / size * items_of(signature) + rest;
}

std::int64_t bytes_of(const Signature& signature, std::int64_t size, std::int64_t items) {
  if (size == 0) return 0;
  const std::int64_t each = items_of(signature);
  return items / each * size + bytes_of_part(signature, items % each);
}

}  // namespace pysmpi
