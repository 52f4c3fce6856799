// Temporary buffers of collectives.
#include "schedule/pool.hpp"

#include <algorithm>

#include "datatypes/copy.hpp"
#include "datatypes/layout.hpp"
#include "rank_memory/folded.hpp"
#include "schedule/local_work.hpp"

namespace pysmpi {

Scratch::Scratch(std::int64_t count, std::int32_t type, const void* like, FilledBy filled_by, std::int64_t allocated) {
  const Span span = span_of(count, type);
  if (span.length <= 0) return;
  if (LocalWork::exists()) {
    const std::int64_t written = filled_by == FilledBy::kCardByHalf ? span.length / 2 : span.length;
    LocalWork::current().note_buffer(std::max(span.length, allocated), written, filled_by == FilledBy::kCore);
  }
  const auto length = static_cast<std::uintptr_t>(span.length);
  if (is_folded(like) && (length <= folded_length || extend_folded(length))) {
    first_ = reinterpret_cast<char*>(folded_begin);
    return;
  }
  bytes_ = static_cast<std::size_t>(span.length);
  block_ = take_block(bytes_);
  first_ = shifted(block_, -span.begin);
}

Scratch::Scratch(std::int64_t bytes) {
  if (bytes <= 0) return;
  bytes_ = static_cast<std::size_t>(bytes);
  block_ = take_block(bytes_);
  first_ = static_cast<char*>(block_);
}

Scratch::~Scratch() {
  if (block_) give_block(block_, bytes_);
}

}  // namespace pysmpi
