#include "base/library_behaviour.hpp"

namespace pysmpi {

constinit LibraryBehaviour current_behaviour;

bool set_library_behaviour(std::string_view name, double value) {
  if (name == "library/largest-tag") {
    current_behaviour.largest_tag = static_cast<std::int32_t>(value);
  } else if (name == "library/reductions") {
    current_behaviour.reductions = static_cast<ReductionRules>(value);
  } else if (name == "library/copies-to-itself") {
    current_behaviour.copies_to_itself = value != 0;
  } else if (name == "library/scatters-nearest-first") {
    current_behaviour.scatters_nearest_first = value != 0;
  } else if (name == "library/asks-self-first") {
    current_behaviour.asks_self_first = value != 0;
  } else if (name == "library/io-rank") {
    current_behaviour.io_rank = static_cast<std::int32_t>(value);
  } else if (name == "library/clock-is-global") {
    current_behaviour.clock_is_global = value != 0;
  } else if (name == "library/only-world-has-attributes") {
    current_behaviour.only_world_has_attributes = value != 0;
  } else if (name == "library/checks-tags-first") {
    current_behaviour.checks_tags_first = value != 0;
  } else {
    return false;
  }
  return true;
}

}  // namespace pysmpi
