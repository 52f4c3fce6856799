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
  local_copy(operands[count - 1], args.receive_count, args.receive_type, args.receive, args.receive_count,
             args.receive_type);
}

}  // namespace

// Recursive doubling with radix k: in each stage, groups of k ranks whose numbers differ in one digit of base k
// exchange their vectors. This needs a power of k; `power` is the largest one up to the number of ranks. The ranks are
// divided into `power` groups of neighbours, and the first rank of each group represents it. Before the first stage,
// each group reduces to its representative, which distributes the result after the last stage.
//
// Example with 10 ranks and k = 3: power = 9, so ranks 0 and 1 form a group, and each other rank is a group of its own.
// The representatives 0, 2, 3, ..., 9 exchange their vectors in two stages, in groups of three.
Schedule allreduce_recursive(Runner& run, Arguments args) {
  const int size = run.size, radix = std::min(std::max(args.parameter, 2), std::max(size, 2));
  int power = 1;
  while (power <= size / radix) power *= radix;
  // Each group has `shorter` ranks, and the first `longer` groups have one rank more.
  const int shorter = size / power, longer = size % power;
  const auto first_of = [shorter, longer](int number) { return number * shorter + std::min(number, longer); };
  int number = std::min(run.rank / shorter, power - 1);
  while (first_of(number) > run.rank) --number;
  const int first = first_of(number), members = shorter + (number < longer);
  local_copy(args.send, args.receive_count, args.receive_type, args.receive, args.receive_count, args.receive_type);
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
  if (power > 1) run.expect_messages(2 * (radix - 1));
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
