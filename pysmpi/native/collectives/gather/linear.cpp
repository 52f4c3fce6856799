// Linear gathers: one message from each rank to the root.
#include "collectives/gather/gather.hpp"

namespace pysmpi {

namespace {

// Returns the number of elements that make up `bytes` bytes, rounded to the nearest integer, or `count` if the block is
// shorter.
std::int64_t beginning_of(std::int64_t count, std::int64_t element, std::int64_t bytes) {
  if (element > bytes || count * element <= bytes) return count;
  return bytes / element + (bytes % element > element / 2);
}

}  // namespace

Schedule gather_linear(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    run.send(args.root, args.send, args.send_count, args.send_type);
  } else {
    local_copy(args.send, args.send_count, args.send_type, args.receive_at(run.rank * args.receive_count),
               args.receive_count, args.receive_type);
    for (int other = 0; other < run.size; ++other) {
      if (other != run.rank)
        run.receive(other, args.receive_at(other * args.receive_count), args.receive_count, args.receive_type);
    }
  }
  co_await run.round();
}

// The root receives the blocks one after the other, in rank order; each other rank sends one message.
Schedule gather_in_order(Runner& run, Arguments args) {
  if (run.rank != args.root) {
    co_await run.send_now(args.root, args.send, args.send_count, args.send_type);
    co_return;
  }
  for (int other = 0; other < run.size; ++other) {
    char* block = args.receive_at(other * args.receive_count);
    if (other == run.rank) {
      local_copy(args.send, args.send_count, args.send_type, block, args.receive_count, args.receive_type);
    } else {
      co_await run.receive_now(other, block, args.receive_count, args.receive_type);
    }
  }
}

// Linear with synchronisation (Open MPI's coll_tuned, with SMPI's segment sizes). Each rank sends its block in two
// parts when the root asks for it. The root asks the next rank as soon as the first part has arrived; the second part
// may arrive later. The cut lies between two of the sender's elements, even if the root receives elements of another
// size.
Schedule gather_in_turns(Runner& run, Arguments args) {
  const bool at_root = run.rank == args.root;
  const std::int64_t block = args.gather_bytes(run.rank);
  const std::int64_t element = find_datatype(args.send_type)->size;
  const std::int64_t beginning = beginning_of(args.send_count, element, block > 90 * 1024 ? 32 * 1024 : 1024);
  if (!at_root) {
    co_await run.receive_now(args.root, nullptr, 0, kByte);
    co_await run.send_now(args.root, args.send, beginning, args.send_type);
    co_await run.send_now(args.root, args.send_at(beginning), args.send_count - beginning, args.send_type);
    co_return;
  }
  const bool own_element = find_datatype(args.receive_type)->size == element;
  const Scratch packed(own_element ? 0 : run.size * block, kByte, args.receive);
  const auto part = [&](int other, std::int64_t begin) {
    return own_element ? args.receive_at(other * args.receive_count + begin)
                       : packed.data() + other * block + begin * element;
  };
  const std::int64_t unit = own_element ? 1 : element;
  const std::int32_t type = own_element ? args.receive_type : kByte;
  for (int other = 0; other < run.size; ++other) {
    if (other == run.rank) continue;
    const RequestId begun = run.start_receive(other, part(other, 0), beginning * unit, type);
    co_await run.send_now(other, nullptr, 0, kByte);
    run.receive(other, part(other, beginning), (args.send_count - beginning) * unit, type);
    co_await run.finish(begun);
  }
  local_copy(args.send, args.send_count, args.send_type, args.receive_at(run.rank * args.receive_count),
             args.receive_count, args.receive_type);
  co_await run.round();
  for (int other = 0; other < run.size && !own_element; ++other) {
    if (other == run.rank) continue;
    local_copy(part(other, 0), block, kByte, args.receive_at(other * args.receive_count), args.receive_count,
               args.receive_type);
  }
}

}  // namespace pysmpi
