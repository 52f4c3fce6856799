// The split-binary-tree broadcast: the two halves of the buffer go down the two branches of a binary tree; then pairs
// of ranks exchange their halves. (Open MPI, coll_base_bcast.c of 4.1.2; SMPI: ompi_split_bintree.)
#include <algorithm>
#include <array>
#include <optional>

#include "collectives/bcast/bcast.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

struct Half {
  std::int64_t begin, count, segment;  // elements
  std::int64_t segments() const { return (count + segment - 1) / segment; }
  std::int64_t at(std::int64_t i) const { return begin + i * segment; }
  std::int64_t length(std::int64_t i) const { return std::min(segment, count - i * segment); }
};

// Return the two halves of the buffer in segments of `segment` bytes (0: each half is one segment), or nothing if the
// buffer does not fill one segment in each half.
std::optional<std::array<Half, 2>> halves_of(const Arguments& args, std::int64_t segment) {
  const std::int64_t bytes = args.receive_bytes(), first = (args.receive_count + 1) / 2,
                     second = args.receive_count - first;
  if (bytes == 0 || second == 0) return std::nullopt;
  const std::int64_t size = bytes / args.receive_count;
  if (segment == 0) return std::array<Half, 2>{{{0, first, first}, {first, second, second}}};
  segment = std::max(segment, size);
  if (segment > second * size) return std::nullopt;
  return std::array<Half, 2>{{{0, first, segment / size}, {first, second, segment / size}}};
}

// `segment`: bytes of a segment, or 0 for a whole half. `too_small`: the algorithm for buffers that do not fill one
// segment in each half.
Schedule split(Runner& run, Arguments args, std::int64_t segment, Algorithm too_small) {
  if (run.size == 1) co_return;
  const std::optional<std::array<Half, 2>> divided = halves_of(args, segment);
  if (!divided) {
    args.parameter = 0;
    co_await too_small(run, args);
    co_return;
  }
  const std::array<Half, 2>& halves = *divided;
  const LevelTree tree(args.root, run.size, run.rank);
  const int number = tree.number;
  const int mine = number % 2 == 0;  // half that the rank receives first: odd numbers are in the left branch
  const Half& half = halves[mine];
  const std::int64_t segments = half.segments();

  if (number == 0) {
    for (std::int64_t i = 0; i < halves[0].segments(); ++i) {
      for (int branch = 0; branch < 2; ++branch) {
        const Half& h = halves[branch];
        if (tree.children[branch] == LevelTree::kNobody || i >= h.segments()) continue;
        co_await run.send_now(tree.children[branch], args.receive_at(h.at(i)), h.length(i), args.receive_type);
      }
    }
  } else {
    const bool leaf = tree.children[0] == LevelTree::kNobody;
    for (std::int64_t i = 0; i < segments; ++i) {
      if (i == 0 || leaf)
        run.start_receive(tree.parent, args.receive_at(half.at(i)), half.length(i), args.receive_type);
      if (i + 1 < segments && !leaf) {
        run.start_receive(tree.parent, args.receive_at(half.at(i + 1)), half.length(i + 1), args.receive_type);
      }
      co_await run.finish_first();
      for (const int child : tree.children) {
        if (child == LevelTree::kNobody) continue;
        co_await run.send_now(child, args.receive_at(half.at(i)), half.length(i), args.receive_type);
      }
    }
  }

  const Half& other = halves[1 - mine];
  const int pair = (run.rank + (mine == 0 ? 1 : run.size - 1)) % run.size;
  const bool root_has_pair = run.size % 2 == 0;
  if (number == 0) {
    const Half& second = halves[1];
    if (root_has_pair) co_await run.send_now(pair, args.receive_at(second.begin), second.count, args.receive_type);
  } else if (root_has_pair && number == run.size - 1) {
    const Half& second = halves[1];
    co_await run.receive_now(args.root, args.receive_at(second.begin), second.count, args.receive_type);
  } else {
    co_await run.exchange(pair, args.receive_at(half.begin), half.count, args.receive_type, pair,
                          args.receive_at(other.begin), other.count, args.receive_type);
  }
}

}  // namespace

Schedule bcast_split_binary_tree(Runner& run, Arguments args) {
  return split(run, args, args.parameter, bcast_pipeline);
}

Schedule bcast_smpi_split_binary_tree(Runner& run, Arguments args) {
  return split(run, args, args.receive_bytes() < 370728 ? 1 << 10 : 8 << 10, bcast_nodes_chain);
}

}  // namespace pysmpi
