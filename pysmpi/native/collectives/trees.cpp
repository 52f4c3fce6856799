#include "collectives/trees.hpp"

namespace pysmpi {

Schedule spread_in_subtree(Runner& run, int distance, int complete, void* data, std::int64_t count, std::int32_t type,
                           int root) {
  const int number = (run.rank - root + run.size) % run.size;
  for (int step = distance / 2; step > 0; step /= 2) {
    const int peer = number ^ step, first_without = (number & ~(2 * step - 1)) + complete;
    if (peer > number && number < first_without && peer >= first_without) {
      co_await run.send_now((peer + root) % run.size, data, count, type);
    } else if (peer < number && peer < first_without && number >= first_without) {
      co_await run.receive_now((peer + root) % run.size, data, count, type);
    }
  }
}

}  // namespace pysmpi
