#include "collectives/trees.hpp"

namespace pysmpi {

Schedule spread_in_subtree(Runner& run, int distance, int complete, void* data, std::int64_t count, std::int32_t type) {
  for (int step = distance / 2; step > 0; step /= 2) {
    const int peer = run.rank ^ step, first_without = (run.rank & ~(2 * step - 1)) + complete;
    if (peer > run.rank && run.rank < first_without && peer >= first_without) {
      co_await run.send_now(peer, data, count, type);
    } else if (peer < run.rank && peer < first_without && run.rank >= first_without) {
      co_await run.receive_now(peer, data, count, type);
    }
  }
}

}  // namespace pysmpi
