// Recursive doubling with a radix (Zheng and Marguinaud, "Simulation of the performance and scalability of MPI
// communications of atmospheric models running on exascale supercomputers", Geoscientific Model Development 11, 2018).
#include <algorithm>

#include "collectives/allreduce/allreduce.hpp"

namespace pysmpi {

namespace {

// The vectors of several ranks in the order of operands. The rank's own vector is the receive buffer.
class Operands {
 public:
  Operands(const Arguments& args, std::int64_t others, int own)
      : room_(others * args.receive_count, args.receive_type, args.receive),
        result_(static_cast<char*>(args.receive)),
        step_(args.receive_count * args.receive_extent()),
        own_(own) {}
  char* operator[](int i) const { return i == own_ ? result_ : room_.data() + (i < own_ ? i : i - 1) * step_; }

 private:
  Scratch room_;
  char* result_;
  std::int64_t step_;
  int own_;
};

Schedule combine(Runner& run, const Arguments& args, const Operands& operands, int count) {
  for (int i = count - 2; i >= 0; --i) {
    co_await run.reduce(args.reduction, args.receive_type, operands[i], operands[count - 1], args.receive_count);
  }
  copy(operands[count - 1], args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
}

}  // namespace

// In each stage, groups of k ranks whose numbers differ in one digit exchange their vectors. If the number of ranks is
// not a power of k, neighbouring ranks form `power` runs, each represented by its first rank. The first stage reduces
// within the runs; the last one distributes the result.
//
// Example with 10 ranks and k = 3: power = 9, so ranks 0 and 1 form the first run. The representatives 0, 2, 3, ..., 9
// exchange in two stages of groups of three.
Schedule allreduce_recursive(Runner& run, Arguments args) {
  const int size = run.size, radix = std::min(std::max(args.parameter, 2), std::max(size, 2));
  int power = 1;
  while (power <= size / radix) power *= radix;
  // `shorter`: length of the shorter runs. `longer`: number of runs that are longer by one rank.
  const int shorter = size / power, longer = size % power;
  const auto first_of = [shorter, longer](int number) { return number * shorter + std::min(number, longer); };
  int number = std::min(run.rank / shorter, power - 1);
  while (first_of(number) > run.rank) --number;
  const int first = first_of(number), members = shorter + (number < longer);
  copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
  if (run.rank != first) {
    co_await run.send_now(first, args.receive, args.receive_count, args.receive_type);
    co_await run.receive_now(first, args.receive, args.receive_count, args.receive_type);
    co_return;
  }
  {
    const Operands operands(args, members - 1, 0);
    for (int i = 1; i < members; ++i) run.receive(first + i, operands[i], args.receive_count, args.receive_type);
    co_await run.round();
    co_await combine(run, args, operands, members);
  }
  for (int distance = 1; distance < power; distance *= radix) {
    const int digit = number / distance % radix;
    const Operands operands(args, radix - 1, digit);
    for (int i = 1; i < radix; ++i) {
      const int other = (digit + i) % radix, peer = first_of(number + (other - digit) * distance);
      run.receive(peer, operands[other], args.receive_count, args.receive_type);
      run.send(peer, args.receive, args.receive_count, args.receive_type);
    }
    co_await run.round();
    co_await combine(run, args, operands, radix);
  }
  for (int i = 1; i < members; ++i) run.send(first + i, args.receive, args.receive_count, args.receive_type);
  co_await run.round();
}

}  // namespace pysmpi
