// Neighbourhood collectives (MPI 4.1, section 8.6): one message along each edge of the communicator's topology, all at
// once.
#include <vector>

#include "collectives/neighbourhood/neighbourhood.hpp"
#include "collectives/variants.hpp"
#include "matching/topology.hpp"

namespace pysmpi {

namespace {

// Address, count and datatype of a block.
struct Block {
  char* data;
  std::int64_t count;
  std::int32_t type;
};

// The edges of one rank, in an order that makes messages match.
//
// Edges of a graph keep the program's order. In each dimension of a Cartesian topology, a rank has a lower and an upper
// neighbour. Both are the same rank if a periodic dimension has one or two ranks. Their messages then match in the
// order of posting: the first receive is the one from the lower neighbour, so it must get the message that this
// neighbour sends to its own upper neighbour. Therefore each rank sends to its upper neighbour first.
struct Edges {
  std::vector<std::int32_t> sources, destinations;
  std::vector<int> sending;  // indices of destinations, in the order of sending

  explicit Edges(const Runner& run) {
    const Topology& topology = run.topology();
    topology.neighbours(run.rank, sources, destinations);
    const bool cartesian = topology.kind == TopologyKind::kCartesian;
    for (int i = 0; i < static_cast<int>(destinations.size()); ++i) sending.push_back(cartesian ? i ^ 1 : i);
  }
};

// Posts the receives, then the sends. A rank that is its own neighbour copies the block, as in other collectives, or
// sends itself a message, as Open MPI does. MPI_PROC_NULL is skipped; its blocks keep their contents.
template <class Out, class In>
Schedule exchange_along_edges(Runner& run, OwnBlock own_block, Empty empty, Out out, In in) {
  const Edges edges(run);
  const auto is_message = [empty](const Block& block) {
    return empty == Empty::kMessage || (block.count > 0 && find_datatype(block.type)->size > 0);
  };
  std::vector<int> own;  // edges from the rank to itself
  for (int i = 0; i < static_cast<int>(edges.sources.size()); ++i) {
    if (own_block == OwnBlock::kCopy && edges.sources[i] == run.rank) {
      own.push_back(i);
    } else if (edges.sources[i] >= 0) {
      const Block block = in(i);
      if (is_message(block)) run.receive(edges.sources[i], block.data, block.count, block.type);
    }
  }
  std::size_t copied = 0;
  for (const int i : edges.sending) {
    if (edges.destinations[i] < 0) continue;
    const Block block = out(i);
    if (own_block == OwnBlock::kMessage || edges.destinations[i] != run.rank) {
      if (is_message(block)) run.send(edges.destinations[i], block.data, block.count, block.type);
    } else if (copied < own.size()) {
      const Block into = in(own[copied++]);
      local_copy(block.data, block.count, block.type, into.data, into.count, into.type);
    }
  }
  co_await run.round();
}

char* at(const void* buffer, std::int64_t bytes) { return static_cast<char*>(const_cast<void*>(buffer)) + bytes; }

// Functions that return the block of edge i: equal blocks in a row, blocks with their own counts and displacements, or
// the whole buffer for every edge.
auto sent_blocks(const Arguments& args) {
  return [args](int i) {
    return Block{const_cast<char*>(args.send_at(i * args.send_count)), args.send_count, args.send_type};
  };
}
auto received_blocks(const Arguments& args) {
  return
      [args](int i) { return Block{args.receive_at(i * args.receive_count), args.receive_count, args.receive_type}; };
}
auto received_vector(const Arguments& args) {
  return [args](int i) {
    return Block{args.receive_at(args.receive_displacements[i]), args.receive_counts[i], args.receive_type};
  };
}
auto sent_whole(const Arguments& args) {
  return [args](int) { return Block{at(args.send, 0), args.send_count, args.send_type}; };
}

Schedule exchange_allgather(Runner& run, Arguments args, OwnBlock own, Empty empty = Empty::kMessage) {
  return exchange_along_edges(run, own, empty, sent_whole(args), received_blocks(args));
}

Schedule exchange_allgatherv(Runner& run, Arguments args, OwnBlock own) {
  return exchange_along_edges(run, own, Empty::kMessage, sent_whole(args), received_vector(args));
}

Schedule exchange_alltoall(Runner& run, Arguments args, OwnBlock own, Empty empty = Empty::kMessage) {
  return exchange_along_edges(run, own, empty, sent_blocks(args), received_blocks(args));
}

Schedule exchange_alltoallv(Runner& run, Arguments args, OwnBlock own) {
  const auto out = [args](int i) {
    return Block{const_cast<char*>(args.send_at(args.send_displacements[i])), args.send_counts[i], args.send_type};
  };
  return exchange_along_edges(run, own, Empty::kMessage, out, received_vector(args));
}

Schedule exchange_alltoallw(Runner& run, Arguments args, OwnBlock own) {
  const auto out = [args](int i) {
    return Block{at(args.send, args.send_displacements[i]), args.send_counts[i],
                 static_cast<std::int32_t>(args.send_types[i])};
  };
  const auto in = [args](int i) {
    return Block{at(args.receive, args.receive_displacements[i]), args.receive_counts[i],
                 static_cast<std::int32_t>(args.receive_types[i])};
  };
  return exchange_along_edges(run, own, Empty::kMessage, out, in);
}

}  // namespace

Schedule neighbor_allgather_linear(Runner& run, Arguments args) {
  return exchange_allgather(run, args, OwnBlock::kCopy);
}
Schedule neighbor_allgather_openmpi(Runner& run, Arguments args) {
  return exchange_allgather(run, args, OwnBlock::kMessage);
}
Schedule neighbor_allgather_openmpi_blocking(Runner& run, Arguments args) {
  return exchange_allgather(run, args, OwnBlock::kMessage, Empty::kNone);
}

Schedule neighbor_allgatherv_linear(Runner& run, Arguments args) {
  return exchange_allgatherv(run, args, OwnBlock::kCopy);
}
Schedule neighbor_allgatherv_openmpi(Runner& run, Arguments args) {
  return exchange_allgatherv(run, args, OwnBlock::kMessage);
}

Schedule neighbor_alltoall_linear(Runner& run, Arguments args) { return exchange_alltoall(run, args, OwnBlock::kCopy); }
Schedule neighbor_alltoall_openmpi(Runner& run, Arguments args) {
  return exchange_alltoall(run, args, OwnBlock::kMessage);
}
Schedule neighbor_alltoall_openmpi_blocking(Runner& run, Arguments args) {
  return exchange_alltoall(run, args, OwnBlock::kMessage, Empty::kNone);
}

Schedule neighbor_alltoallv_linear(Runner& run, Arguments args) {
  return exchange_alltoallv(run, args, OwnBlock::kCopy);
}
Schedule neighbor_alltoallv_openmpi(Runner& run, Arguments args) {
  return exchange_alltoallv(run, args, OwnBlock::kMessage);
}

Schedule neighbor_alltoallw_linear(Runner& run, Arguments args) {
  return exchange_alltoallw(run, args, OwnBlock::kCopy);
}
Schedule neighbor_alltoallw_openmpi(Runner& run, Arguments args) {
  return exchange_alltoallw(run, args, OwnBlock::kMessage);
}

}  // namespace pysmpi
