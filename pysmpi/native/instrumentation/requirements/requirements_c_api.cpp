// C interface to requirements.
#include <memory>

#include "instrumentation/c_api.h"
#include "instrumentation/instruments.hpp"
#include "instrumentation/observing.hpp"
#include "instrumentation/requirements/requirements.hpp"

using namespace pysmpi;

namespace {

std::unique_ptr<Requirements>& requirements() { return Instruments::current().requirements; }

}  // namespace

void pysmpi_begin_requirements(void) {
  requirements() = std::make_unique<Requirements>();
  begin_observing(*requirements());
}

void pysmpi_end_requirements(void) {
  if (requirements()) remove_observer(*requirements());
  requirements().reset();
}

uint32_t pysmpi_requirement_rows(void) { return requirements()->pairs().size(); }

void pysmpi_read_requirements(pysmpi_requirement_row* out) {
  const PairIndex& pairs = requirements()->pairs();
  for (std::uint32_t i = 0; i < pairs.size(); ++i) {
    const Requirements::Row& row = requirements()->row(i);
    out[i] = {pairs.first(i),     pairs.second(i),       row.sent_bytes, row.sent_messages,
              row.received_bytes, row.received_messages, row.asked_bytes};
  }
}

uint32_t pysmpi_requirement_places(void) { return requirements()->places().size(); }

void pysmpi_read_requirement_places(pysmpi_requirement_row* out) {
  const PairIndex& places = requirements()->places();
  for (std::uint32_t i = 0; i < places.size(); ++i) {
    const Requirements::Row& row = requirements()->row_of_place(i);
    out[i] = {places.first(i), places.second(i), row.sent_bytes, row.sent_messages, 0, 0, 0};
  }
}

uint32_t pysmpi_requirement_choices(void) { return static_cast<uint32_t>(requirements()->choices().size()); }
const char* pysmpi_requirement_operation(uint32_t choice) { return requirements()->choices()[choice].operation; }
const char* pysmpi_requirement_algorithm(uint32_t choice) { return requirements()->choices()[choice].algorithm; }

const char* pysmpi_requirement_function(uint32_t kind) {
  const auto& functions = requirements()->functions();
  const std::uint32_t place = kind - Requirements::kFirstFunction;
  return place < functions.size() ? functions[place] : nullptr;
}

double pysmpi_unseen_computation(void) { return requirements()->unseen(); }
