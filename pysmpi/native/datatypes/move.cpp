// Copies of message bytes, which bypass the caches for large messages.
#include "datatypes/move.hpp"

#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "rank_memory/zones.hpp"

namespace pysmpi {

#ifdef __SSE2__

namespace {

constexpr std::size_t kPastCaches = std::size_t{1} << 19;  // approximate size of a core's private cache
constexpr std::size_t kLine = 64;

// Copies whole cache lines to an aligned address, bypassing the caches.
void stream(char* to, const char* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kLine) {
    const auto* source = reinterpret_cast<const __m128i*>(from + at);
    auto* target = reinterpret_cast<__m128i*>(to + at);
    const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(target, a);
    _mm_stream_si128(target + 1, b);
    _mm_stream_si128(target + 2, c);
    _mm_stream_si128(target + 3, d);
  }
  _mm_sfence();
}

}  // namespace

void move_message(void* to, const void* from, std::size_t bytes) {
  if (bytes < kPastCaches || may_have_zones(to) || may_have_zones(from)) {
    move_bytes(to, from, bytes);
    return;
  }
  auto* target = static_cast<char*>(to);
  const auto* source = static_cast<const char*>(from);
  const std::size_t head = -reinterpret_cast<std::uintptr_t>(to) % kLine;
  const std::size_t lines = (bytes - head) / kLine * kLine;
  std::memcpy(target, source, head);
  stream(target + head, source + head, lines);
  std::memcpy(target + head + lines, source + head + lines, bytes - head - lines);
}

#else

void move_message(void* to, const void* from, std::size_t bytes) { move_bytes(to, from, bytes); }

#endif

}  // namespace pysmpi
