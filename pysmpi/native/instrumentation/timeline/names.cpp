// Table of the names in a timeline.
#include "instrumentation/timeline/timeline_writer.hpp"

namespace pysmpi {

std::uint32_t Names::number(std::string_view text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), number);
  return number;
}

std::uint32_t Names::number_of_literal(const char* text) {
  const auto [found, is_new] = numbers_of_literals_.try_emplace(text, 0);
  if (is_new) found->second = number(text);
  return found->second;
}

}  // namespace pysmpi
