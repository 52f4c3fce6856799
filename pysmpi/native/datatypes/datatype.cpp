// The registry of datatypes, and packing and unpacking.
#include "datatypes/datatype.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/observer.hpp"
#include "datatypes/composition.hpp"
#include "datatypes/move.hpp"
#include "datatypes/predefined.hpp"
#include "engine/c_api.h"
#include "rank_memory/zones.hpp"

namespace pysmpi {

namespace {

constexpr std::uint32_t kBuiltin = 0x4c000000U, kDynamic = 0x8c000000U, kKindMask = 0xfc000000U,
                        kIndexMask = 0x03ffffffU;
constexpr std::uint32_t kFirstDerived = 16;

Datatype builtin_type(const Predefined& item) {
  Datatype type;
  type.size = type.extent = type.true_extent = item.size;
  type.basic = item.basic;
  type.basic_size = item.size;
  type.committed = true;
  type.alignment = item.alignment;
  type.signature = std::make_shared<const Signature>(Signature{{1, item.size, &item, nullptr}});
  type.handle = builtin_handle(item.number, item.size);
  return type;
}

Datatype pair_type(const PredefinedPair& pair, const Datatype& value, const Datatype& location) {
  Composition parts;
  parts.add(value, 1, 0);
  parts.add(location, 1, std::max<std::int64_t>(value.size, location.size));  // C aligns an int to its size
  Datatype type = parts.finish_structure();
  type.basic = pair.basic;
  type.basic_size = static_cast<std::int32_t>(type.size);
  type.committed = true;
  return type;
}

struct Registry {
  std::array<Datatype, 256> builtin;
  std::array<Datatype, kFirstDerived> pairs;
  std::vector<std::unique_ptr<Datatype>> derived;
  std::vector<std::uint32_t> free_places;

  Registry() {
    for (const Predefined& item : predefined_types()) builtin[item.number] = builtin_type(item);
    for (const std::uint8_t marker : {kLowerBoundMarker, kUpperBoundMarker}) {
      builtin[marker].handle = builtin_handle(marker, 0);
      builtin[marker].committed = true;
      builtin[marker].signature = std::make_shared<const Signature>();
    }
    std::uint32_t index = 0;
    for (const PredefinedPair& pair : predefined_pairs()) {
      pairs[index] = pair_type(pair, builtin[pair.value], builtin[0x05]);
      pairs[index].handle = pair_handle(index);
      ++index;
    }
  }
};

Registry registry;

}  // namespace

Datatype* find_datatype(std::int32_t handle) {
  const auto bits = static_cast<std::uint32_t>(handle);
  if ((bits & kKindMask) == kBuiltin) {
    Datatype& type = registry.builtin[bits & 0xff];
    return type.handle == handle ? &type : nullptr;
  }
  if ((bits & kKindMask) != kDynamic) return nullptr;
  const std::uint32_t index = bits & kIndexMask;
  if (index < kFirstDerived) return registry.pairs[index].handle == handle ? &registry.pairs[index] : nullptr;
  return index - kFirstDerived < registry.derived.size() ? registry.derived[index - kFirstDerived].get() : nullptr;
}

std::int32_t add_datatype(Datatype type) {
  if (registry.free_places.empty()) {
    registry.free_places.push_back(static_cast<std::uint32_t>(registry.derived.size()));
    registry.derived.emplace_back();
  }
  const std::uint32_t place = registry.free_places.back();
  registry.free_places.pop_back();
  type.handle = static_cast<std::int32_t>(kDynamic | (place + kFirstDerived));
  type.creator = pysmpi_running_rank();
  type.handles = type.references = 1;
  type.committed = false;
  for (const std::int32_t used : type.construction.types) hold_datatype(*find_datatype(used));
  registry.derived[place] = std::make_unique<Datatype>(std::move(type));
  return registry.derived[place]->handle;
}

void hold_datatype(const Datatype& type) {
  if (type.references > 0) ++const_cast<Datatype&>(type).references;
}

void release_datatype(const Datatype& type) {
  if (type.references == 0 || --const_cast<Datatype&>(type).references > 0) return;
  const std::uint32_t place = (static_cast<std::uint32_t>(type.handle) & kIndexMask) - kFirstDerived;
  const std::unique_ptr<Datatype> last = std::move(registry.derived[place]);
  registry.free_places.push_back(place);
  for (const std::int32_t used : last->construction.types) release_datatype(*find_datatype(used));
}

void free_datatype(Datatype& type) {
  if (--type.handles == 0 && observers) notify(&Observer::object_freed, ObjectKind::kDatatype, type.handle);
  release_datatype(type);
}

DatatypesOfRanks::~DatatypesOfRanks() {
  for (std::size_t place = registry.derived.size(); place-- > 0;) {
    if (!registry.derived[place] || registry.derived[place]->creator < 0) continue;
    registry.derived[place] = nullptr;
    registry.free_places.push_back(static_cast<std::uint32_t>(place));
  }
}

namespace {

// Copies pieces of equal length, at a constant stride in memory, to or from consecutive packed bytes. kZoned: parts of
// the memory may be folded (rank_memory/zones.hpp), and their bytes are not copied.
template <bool kPacking, bool kZoned>
struct Mover {
  char* packed;

  void operator()(char* at, std::int64_t count, std::int64_t stride, std::int64_t length) {
    switch (length) {
      case 1:
        return move_items<1>(at, count, stride);
      case 2:
        return move_items<2>(at, count, stride);
      case 4:
        return move_items<4>(at, count, stride);
      case 8:
        return move_items<8>(at, count, stride);
      case 16:
        return move_items<16>(at, count, stride);
      default:
        for (; count > 0; --count, at += stride, packed += length) move(at, length);
    }
  }

 private:
  void move(char* at, std::size_t length) {
    char* const to = kPacking ? packed : at;
    const char* const from = kPacking ? at : packed;
    if constexpr (kZoned) {
      move_unfolded(to, from, length);
    } else {
      std::memcpy(to, from, length);
    }
  }

  template <std::size_t kLength>
  void move_items(char* at, std::int64_t count, std::int64_t stride) {
    for (; count > 0; --count, at += stride, packed += kLength) move(at, kLength);
  }
};

template <bool kPacking, bool kZoned>
void move_elements(const Datatype& type, char* packed, std::int64_t bytes, char* buffer) {
  Mover<kPacking, kZoned> mover{packed};
  std::int64_t skip = 0;
  for (char* element = buffer; bytes > 0; element += type.extent) {
    for (const Piece& piece : *type.layout) walk(piece, element, skip, bytes, mover);
  }
}

template <bool kPacking>
void move_any(const Datatype& type, char* packed, std::int64_t bytes, char* buffer) {
  if (may_have_zones(buffer) || may_have_zones(packed)) {
    move_elements<kPacking, true>(type, packed, bytes, buffer);
  } else {
    move_elements<kPacking, false>(type, packed, bytes, buffer);
  }
}

}  // namespace

void pack(const Datatype& type, const void* buffer, std::int64_t count, void* packed) {
  if (type.size == 0 || count == 0) return;
  if (type.contiguous) {
    move_message(packed, buffer, type.size * count);
  } else {
    move_any<true>(type, static_cast<char*>(packed), type.size * count, static_cast<char*>(const_cast<void*>(buffer)));
  }
}

void unpack(const Datatype& type, const void* packed, std::int64_t bytes, void* buffer) {
  if (bytes == 0) return;
  if (type.contiguous) {
    move_message(buffer, packed, bytes);
  } else {
    move_any<false>(type, static_cast<char*>(const_cast<void*>(packed)), bytes, static_cast<char*>(buffer));
  }
}

}  // namespace pysmpi
