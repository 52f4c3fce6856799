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
  } else {
    return false;
  }
  return true;
}

}  // namespace pysmpi
