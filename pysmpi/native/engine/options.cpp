#include "engine/options.hpp"

namespace pysmpi {

Options& options() {
  static Options instance;
  return instance;
}

double step_value(const SizeTable& table, double size, double otherwise) {
  double current = otherwise;
  for (const SizeStep& step : table) {
    if (size <= step.above) break;
    current = step.value;
  }
  return current;
}

}  // namespace pysmpi
