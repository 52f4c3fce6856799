// Construction of derived datatypes from blocks of existing types.
#include "datatypes/composition.hpp"

#include <algorithm>

namespace pysmpi {
namespace {

// Stores the layout in the type, unless the bytes lie in memory as in packed form: such a type needs no layout.
void set_layout(Datatype& type, Layout layout) {
  const bool in_a_row = layout.size() == 1 && !layout[0].inner && layout[0].count == 1 && layout[0].offset == 0;
  type.contiguous = type.lower_bound == 0 && type.extent == type.size && (in_a_row || type.size == 0);
  type.layout = type.contiguous ? nullptr : std::make_shared<const Layout>(std::move(layout));
}

}  // namespace

void Composition::Bounds::include(std::int64_t first, std::int64_t length) {
  begin = std::min(begin, first);
  end = std::max(end, first + length);  // smaller than `first` if the extent is negative
}

std::int64_t Composition::product(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  overflowed_ |= __builtin_mul_overflow(a, b, &result);
  return result;
}

std::int64_t Composition::sum(std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  overflowed_ |= __builtin_add_overflow(a, b, &result);
  return result;
}

std::int64_t Composition::length(const Bounds& bounds) {
  std::int64_t result = 0;
  overflowed_ |= __builtin_sub_overflow(bounds.end, bounds.begin, &result);
  return result;
}

void Composition::add(const Datatype& type, std::int64_t count, std::int64_t displacement, std::int64_t stride) {
  if (count == 0 || (type.size == 0 && !type.explicit_bounds)) return;  // adds nothing to the type map
  made_.alignment = std::max(made_.alignment, type.alignment);
  const std::int64_t last = sum(displacement, product(count - 1, stride));
  for (const std::int64_t base : {displacement, last}) {
    const std::int64_t lower = sum(base, type.lower_bound);
    sum(lower, type.extent);
    sum(sum(base, type.true_lower_bound), type.true_extent);
    if (overflowed_) return;
    bounds_.include(lower, type.extent);
    if (type.explicit_bounds) explicit_bounds_.include(lower, type.extent);
    if (type.size > 0) true_bounds_.include(base + type.true_lower_bound, type.true_extent);
  }
  made_.explicit_bounds |= type.explicit_bounds;
  if (first_) {
    made_.basic = type.basic;
    made_.basic_size = type.basic_size;
    first_ = false;
  } else if (type.basic != made_.basic || type.basic_size != made_.basic_size) {
    made_.basic = Basic::kMixed;
    made_.basic_size = 0;
  }
  if (type.size == 0) return;
  made_.size = sum(made_.size, product(count, type.size));
  if (overflowed_) return;
  append(layout_, {displacement, count, stride, type.size, type.layout});
  append(signature_, {count, type.size, nullptr, type.signature});
}

Datatype Composition::finish() {
  const Bounds& bounds = explicit_bounds_.any() ? explicit_bounds_ : bounds_;
  if (bounds.any()) {
    made_.lower_bound = bounds.begin;
    made_.extent = length(bounds);
  }
  if (true_bounds_.any()) {
    made_.true_lower_bound = true_bounds_.begin;
    made_.true_extent = length(true_bounds_);
  }
  made_.signature = std::make_shared<const Signature>(std::move(signature_));
  set_layout(made_, std::move(layout_));
  return std::move(made_);
}

Datatype Composition::finish_structure() {
  Bounds& bounds = bounds_;
  if (!explicit_bounds_.any() && bounds.any()) {
    const std::int64_t beyond = length(bounds) % made_.alignment;
    if (beyond != 0) bounds.end = sum(bounds.end, made_.alignment - beyond);
  }
  return finish();
}

Datatype resize(const Datatype& type, std::int64_t lower_bound, std::int64_t extent) {
  Composition same;
  same.add(type, 1, 0);
  Datatype made = same.finish();
  const Layout layout = made.layout ? *made.layout : Layout{{0, 1, 0, made.size, nullptr}};
  made.lower_bound = lower_bound;
  made.extent = extent;
  made.explicit_bounds = true;
  set_layout(made, made.size > 0 ? layout : Layout{});
  return made;
}

}  // namespace pysmpi
