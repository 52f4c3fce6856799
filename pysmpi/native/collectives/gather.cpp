// Gathering at one rank.
#include "collectives/algorithms.hpp"

namespace pysmpi {

Schedule gather_linear(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    run.send(a.root, a.send, a.send_count, a.send_type);
  } else {
    copy(a.send, a.send_count, a.send_type, a.receive_at(run.rank * a.receive_count), a.receive_count, a.receive_type);
    for (int other = 0; other < run.size; ++other) {
      if (other != run.rank) run.receive(other, a.receive_at(other * a.receive_count), a.receive_count, a.receive_type);
    }
  }
  co_await run.round();
}

Schedule gatherv_linear(Runner& run, Arguments a) {
  if (run.rank != a.root) {
    run.send(a.root, a.send, a.send_count, a.send_type);
  } else {
    for (int other = 0; other < run.size; ++other) {
      char* block = a.receive_at(a.receive_displacements[other]);
      if (other == run.rank) {
        copy(a.send, a.send_count, a.send_type, block, a.receive_counts[other], a.receive_type);
      } else {
        run.receive(other, block, a.receive_counts[other], a.receive_type);
      }
    }
  }
  co_await run.round();
}

}  // namespace pysmpi
