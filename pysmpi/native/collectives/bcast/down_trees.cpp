// Broadcasts down trees, of the whole buffer at once or in segments: Open MPI's generic algorithm (coll_base_bcast.c of
// 4.1.2, bcast_intra_generic, with the trees of coll_base_topo.c). Each rank has two receives posted and sends each
// segment to all its children at once.
#include <algorithm>
#include <vector>

#include "collectives/bcast/bcast.hpp"
#include "collectives/trees.hpp"

namespace pysmpi {

namespace {

struct TreePlace {
  int parent = 0;
  std::vector<int> children;
};

// Executes the broadcast on one rank. `place` names the rank's parent and children in the tree; `elements` is the
// number of elements in a segment.
Schedule down(Runner& run, Arguments args, TreePlace place, std::int64_t elements) {
  if (run.size == 1 || args.receive_bytes() == 0) co_return;
  const std::int64_t segments = (args.receive_count + elements - 1) / elements;
  const auto at = [&](std::int64_t i) { return args.receive_at(i * elements); };
  const auto length = [&](std::int64_t i) { return std::min(elements, args.receive_count - i * elements); };
  const bool receives = run.rank != args.root;
  if (receives) run.start_receive(place.parent, at(0), length(0), args.receive_type);
  for (std::int64_t i = 0; i < segments; ++i) {
    if (receives) {
      if (i + 1 < segments) run.start_receive(place.parent, at(i + 1), length(i + 1), args.receive_type);
      co_await run.finish_first();
    }
    for (const int child : place.children) run.send(child, at(i), length(i), args.receive_type);
    if (!place.children.empty()) co_await run.round();
  }
}

// Returns the elements of a segment of `bytes` bytes, rounded to the nearest integer as in Open MPI.
std::int64_t elements_in(const Arguments& args, std::int64_t bytes) {
  const std::int64_t size = args.receive_count == 0 ? 0 : args.receive_bytes() / args.receive_count;
  if (bytes == 0 || bytes < size || bytes >= args.receive_bytes()) return std::max<std::int64_t>(1, args.receive_count);
  return bytes / size + (bytes % size > size / 2);
}

int number_of(const Runner& run, int root) { return (run.rank - root + run.size) % run.size; }
int rank_of(const Runner& run, int root, int number) { return (number + root) % run.size; }

Schedule down_chain(Runner& run, Arguments args, std::int64_t segment) {
  const int number = number_of(run, args.root);
  TreePlace place{rank_of(run, args.root, number + run.size - 1), {}};
  if (number + 1 < run.size) place.children.push_back(rank_of(run, args.root, number + 1));
  return down(run, args, std::move(place), elements_in(args, segment));
}

}  // namespace

Schedule bcast_pipeline(Runner& run, Arguments args) { return down_chain(run, args, args.parameter); }

// Broadcasts down a chain of ranks. The size of the segments comes from Open MPI 1's decision table, or is 128 KiB
// where the table has no entry.
Schedule bcast_smpi_pipeline(Runner& run, Arguments args) {
  struct Choice {
    double ranks_per_byte, ranks;
    std::int64_t segment;
  };
  constexpr Choice kChoices[] = {
      {1.6134e-6, 2.1102, 128 << 10}, {2.3679e-6, 1.1787, 64 << 10}, {3.2118e-6, 8.7936, 16 << 10}};
  std::int64_t segment = 128 << 10;
  for (const Choice& choice : kChoices) {
    if (run.size >= choice.ranks_per_byte * static_cast<double>(args.receive_bytes()) + choice.ranks) continue;
    segment = choice.segment;
    break;
  }
  return down_chain(run, args, segment);
}

// Ranks other than the root are divided evenly, in order, among `chains`; the first chains have one rank more if
// needed. Example with 8 ranks, root 0 and 4 chains: 0 sends to 1, 3, 5 and 7; 1 sends to 2, 3 to 4, and 5 to 6.
Schedule bcast_chains(Runner& run, Arguments args) {
  const int others = run.size - 1, number = number_of(run, args.root);
  const int chains = std::max(1, std::min(args.parameter == 0 ? 4 : static_cast<int>(args.parameter), others));
  TreePlace place{args.root, {}};
  int first = 1;
  for (int chain = 0; chain < chains; ++chain) {
    const int last = first + others / chains + (chain < others % chains ? 1 : 0) - 1;
    if (number == 0) {
      if (first <= last) place.children.push_back(rank_of(run, args.root, first));
    } else if (number >= first && number <= last) {
      place.parent = rank_of(run, args.root, number == first ? 0 : number - 1);
      if (number < last) place.children.push_back(rank_of(run, args.root, number + 1));
    }
    first = last + 1;
  }
  return down(run, args, std::move(place), elements_in(args, 0));
}

Schedule bcast_binary_tree(Runner& run, Arguments args) {
  const LevelTree tree(args.root, run.size, run.rank);
  TreePlace place{tree.parent, {}};
  for (const int child : tree.children) {
    if (child != LevelTree::kNobody) place.children.push_back(child);
  }
  return down(run, args, std::move(place), elements_in(args, args.parameter));
}

// A binomial tree in which the number of a rank's parent is the rank's own number without its highest bit, and the
// nearest child comes first. Example with 6 ranks and root 0: 0 sends to 1, 2 and 4; 1 sends to 3 and 5.
Schedule bcast_high_binomial(Runner& run, Arguments args) {
  const int number = number_of(run, args.root);
  int above = 1;
  while (above <= number) above *= 2;
  TreePlace place{rank_of(run, args.root, number - above / 2), {}};
  for (; number + above < run.size; above *= 2) place.children.push_back(rank_of(run, args.root, number + above));
  return down(run, args, std::move(place), elements_in(args, args.parameter));
}

Schedule bcast_knomial(Runner& run, Arguments args) {
  const int radix = args.parameter == 0 ? 4 : std::max(2, args.parameter), number = number_of(run, args.root);
  std::int64_t distance = 1;
  TreePlace place;
  for (; distance < run.size; distance *= radix) {
    const std::int64_t above = distance * radix;
    if (number % above == 0) continue;
    place.parent = rank_of(run, args.root, static_cast<int>(number / above * above));
    break;
  }
  for (distance /= radix; distance > 0; distance /= radix) {
    for (int i = 1; i < radix && number + distance * i < run.size; ++i) {
      place.children.push_back(rank_of(run, args.root, static_cast<int>(number + distance * i)));
    }
  }
  return down(run, args, std::move(place), elements_in(args, 0));
}

}  // namespace pysmpi
