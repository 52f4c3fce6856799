// Building blocks of allreduce algorithms: trees, recursive doubling, recursive halving and the ring.
#include "collectives/allreduce/stages.hpp"

#include <utility>

namespace pysmpi {

Schedule combine_lower(Runner& run, const Arguments& args, char* lower, char* result) {
  co_await run.reduce(args.reduction, args.receive_type, lower, result, args.receive_count);
}

Schedule combine_higher(Runner& run, const Arguments& args, char* higher, char* result) {
  if (args.reduction.commutative) {
    co_await run.reduce(args.reduction, args.receive_type, higher, result, args.receive_count);
  } else {
    co_await run.reduce(args.reduction, args.receive_type, result, higher, args.receive_count);
    local_copy(higher, args.receive_count, args.receive_type, result, args.receive_count, args.receive_type);
  }
}

Schedule fold_in(Runner& run, const Arguments& args, PowerOfTwo among, char* result, char* other) {
  if (!among.in_pair()) co_return;
  if (among.number() < 0) {
    co_await run.send_now(among.neighbour(), result, args.receive_count, args.receive_type);
  } else {
    co_await run.receive_now(among.neighbour(), other, args.receive_count, args.receive_type);
    co_await (among.standing == 1 ? combine_lower : combine_higher)(run, args, other, result);
  }
}

Schedule fold_out(Runner& run, const Arguments& args, PowerOfTwo among, char* result) {
  if (!among.in_pair()) co_return;
  if (among.number() < 0) {
    co_await run.receive_now(among.neighbour(), result, args.receive_count, args.receive_type);
  } else {
    co_await run.send_now(among.neighbour(), result, args.receive_count, args.receive_type);
  }
}

Schedule reduce_to_first(Runner& run, Arguments args, Line line, char* result, char* other) {
  for (int distance = 1; distance < line.size; distance *= 2) {
    if (line.index & distance) {
      co_await run.send_now(line.rank_of(line.index - distance), result, args.receive_count, args.receive_type);
      co_return;
    }
    if (line.index + distance >= line.size) continue;
    co_await run.receive_now(line.rank_of(line.index + distance), other, args.receive_count, args.receive_type);
    co_await combine_higher(run, args, other, result);
  }
}

Schedule spread_from_first(Runner& run, Arguments args, Line line, char* result) {
  int distance = 1;
  while (distance < line.size && !(line.index & distance)) distance *= 2;
  if (line.index != 0) {
    co_await run.receive_now(line.rank_of(line.index - distance), result, args.receive_count, args.receive_type);
  }
  for (distance /= 2; distance > 0; distance /= 2) {
    if (line.index + distance >= line.size) continue;
    co_await run.send_now(line.rank_of(line.index + distance), result, args.receive_count, args.receive_type);
  }
}

Schedule exchange_doubling(Runner& run, Arguments args, Line line, char* result, char* other) {
  const PowerOfTwo among(line, 1);
  const int number = among.number();
  co_await fold_in(run, args, among, result, other);
  for (int distance = 1; number >= 0 && distance < among.power; distance *= 2) {
    const int partner = among.rank_of(number ^ distance);
    co_await run.exchange(partner, result, args.receive_count, args.receive_type, partner, other, args.receive_count,
                          args.receive_type);
    if (args.reduction.commutative) {
      co_await run.reduce(args.reduction, args.receive_type, other, result, args.receive_count);
    } else {
      co_await (number & distance ? combine_lower : combine_higher)(run, args, other, result);
    }
  }
  co_await fold_out(run, args, among, result);
}

namespace {

template <Cut cut>
Schedule halve_and_gather(Runner& run, Arguments args, Line line, char* result, char* other) {
  const PowerOfTwo among(line, 1);
  co_await fold_in(run, args, among, result, other);
  if (among.number() >= 0) {
    const Halves halves(args.receive_count, among, among.number(), cut);
    co_await reduce_halves(run, args, among, halves, result, other);
    co_await gather_halves(run, args, among, halves, result);
  }
  co_await fold_out(run, args, among, result);
}

}  // namespace

Schedule exchange_halves(Runner& run, Arguments args, Line line, char* result, char* other) {
  return halve_and_gather<Cut::kParts>(run, args, line, result, other);
}

Schedule exchange_even_halves(Runner& run, Arguments args, Line line, char* result, char* other) {
  return halve_and_gather<Cut::kEvenParts>(run, args, line, result, other);
}

// All parts have the same length, except that the last one also gets the remainder. With fewer elements than ranks, the
// ring transfers whole vectors, as in SMPI's smp_rsag_lr: in the first P - 1 steps the ranks' own vectors, which each
// rank reduces. The other P - 1 steps only cost time, because all ranks already have the result.
Schedule exchange_round(Runner& run, Arguments args, Line line, char* result, char* other) {
  const int size = line.size;
  const std::int64_t part = args.receive_count / size, extent = args.receive_extent();
  if (part == 0) {
    const Scratch travelling(args.receive_count, args.receive_type, result);
    char *out = travelling.data(), *in = other;
    local_copy(result, args.receive_count, args.receive_type, out, args.receive_count, args.receive_type);
    for (int step = 0; step < 2 * (size - 1); ++step) {
      co_await run.exchange(line.right(), out, args.receive_count, args.receive_type, line.left(), in,
                            args.receive_count, args.receive_type);
      if (step < size - 1) co_await run.reduce(args.reduction, args.receive_type, in, result, args.receive_count);
      std::swap(in, out);
    }
    co_return;
  }
  const auto begin = [part, extent](int i) { return i * part * extent; };
  const auto length = [&args, part, size](int i) { return i == size - 1 ? args.receive_count - i * part : part; };
  for (int step = 0; step < size - 1; ++step) {
    const int out = (line.index - 1 - step + size) % size, in = (line.index - 2 - step + 2 * size) % size;
    co_await run.exchange(line.right(), result + begin(out), length(out), args.receive_type, line.left(), other,
                          length(in), args.receive_type);
    co_await run.reduce(args.reduction, args.receive_type, other, result + begin(in), length(in));
  }
  for (int step = 0; step < size - 1; ++step) {
    const int out = (line.index - step + size) % size, in = (line.index - 1 - step + size) % size;
    co_await run.exchange(line.right(), result + begin(out), length(out), args.receive_type, line.left(),
                          result + begin(in), length(in), args.receive_type);
  }
}

}  // namespace pysmpi
