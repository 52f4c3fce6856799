// Recursive doubling with a radix (Zheng and Marguinaud, "Simulation of the performance and scalability of MPI
// communications of atmospheric models running on exascale supercomputers", Geoscientific Model Development 11, 2018).
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"

namespace pysmpi {

namespace {

// The vectors of several ranks in the order of operands. The rank's own vector is the receive buffer.
class Operands {
 public:
  Operands(const Arguments& a, std::int64_t others, int own)
      : room_(others * a.receive_count, a.receive_type, a.receive),
        result_(static_cast<char*>(a.receive)),
        step_(a.receive_count * a.receive_extent()),
        own_(own) {}
  char* operator[](int i) const { return i == own_ ? result_ : room_.data() + (i < own_ ? i : i - 1) * step_; }

 private:
  Scratch room_;
  char* result_;
  std::int64_t step_;
  int own_;
};

Schedule combine(Runner& run, const Arguments& a, const Operands& operands, int count) {
  for (int i = count - 2; i >= 0; --i) {
    co_await run.reduce(a.reduction, a.receive_type, operands[i], operands[count - 1], a.receive_count);
  }
  copy(operands[count - 1], a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
}

}  // namespace

// In each stage, groups of k ranks whose numbers differ in one digit exchange their vectors. If the number of ranks is
// not a power of k, neighbouring ranks form `power` runs, each represented by its first rank. The first stage reduces
// within the runs; the last one distributes the result.
//
// Example with 10 ranks and k = 3: power = 9, so ranks 0 and 1 form the first run. The representatives 0, 2, 3, ..., 9
// exchange in two stages of groups of three.
Schedule allreduce_recursive(Runner& run, Arguments a) {
  const int size = run.size, radix = std::min(std::max(a.parameter, 2), std::max(size, 2));
  int power = 1;
  while (power <= size / radix) power *= radix;
  // length of the shorter runs; number of runs that are longer by one
  const int shorter = size / power, longer = size % power;
  const auto first_of = [shorter, longer](int number) { return number * shorter + std::min(number, longer); };
  int number = std::min(run.rank / shorter, power - 1);
  while (first_of(number) > run.rank) --number;
  const int first = first_of(number), members = shorter + (number < longer);
  copy(a.send, a.receive_count, a.receive_type, a.receive, a.receive_count, a.receive_type);
  if (run.rank != first) {
    co_await run.send_now(first, a.receive, a.receive_count, a.receive_type);
    co_await run.receive_now(first, a.receive, a.receive_count, a.receive_type);
    co_return;
  }
  {
    const Operands operands(a, members - 1, 0);
    for (int i = 1; i < members; ++i) run.receive(first + i, operands[i], a.receive_count, a.receive_type);
    co_await run.round();
    co_await combine(run, a, operands, members);
  }
  for (int distance = 1; distance < power; distance *= radix) {
    const int digit = number / distance % radix;
    const Operands operands(a, radix - 1, digit);
    for (int i = 1; i < radix; ++i) {
      const int other = (digit + i) % radix, peer = first_of(number + (other - digit) * distance);
      run.receive(peer, operands[other], a.receive_count, a.receive_type);
      run.send(peer, a.receive, a.receive_count, a.receive_type);
    }
    co_await run.round();
    co_await combine(run, a, operands, radix);
  }
  for (int i = 1; i < members; ++i) run.send(first + i, a.receive, a.receive_count, a.receive_type);
  co_await run.round();
}

}  // namespace pysmpi
