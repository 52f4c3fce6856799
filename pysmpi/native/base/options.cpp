// The current values of the options, and look-up in tables by message size.
#include "base/options.hpp"

namespace pysmpi {

constinit Options current_options;

double step_value(const SizeTable& table, double size, double otherwise) {
  double current = otherwise;
  for (const SizeStep& step : table) {
    if (size <= step.above) break;
    current = step.value;
  }
  return current;
}

double overhead(const SizeTable& table, double size) {
  if (table.empty()) return 0.0;
  const SizeStep* current = &table.front();
  for (const SizeStep& step : table) {
    if (size <= step.above) break;
    current = &step;
  }
  return current->value + current->per_byte * size;
}

}  // namespace pysmpi
