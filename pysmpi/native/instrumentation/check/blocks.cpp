// Amounts of data of collective calls, and the check that what ranks send equals what others expect from them.
#include "instrumentation/check/blocks.hpp"

#include "instrumentation/check/signatures.hpp"

namespace pysmpi {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a = (a ^ b) * 0x9e3779b97f4a7c15ULL;
  a ^= a >> 32;
  a *= 0xd6e8feb86659fd93ULL;
  return a ^ a >> 29;
}

std::vector<Amount> blocks_of(std::int64_t count, std::int32_t type, const Integers& counts, const Integers& types,
                              std::int32_t blocks) {
  if (!counts) return {amount_of(count, type)};
  std::vector<Amount> found(blocks);
  for (std::int32_t i = 0; i < blocks; ++i) {
    found[i] = amount_of(counts[i], types ? static_cast<std::int32_t>(types[i]) : type);
  }
  return found;
}

// Numbers of the ranks that enter a collective. In an intercommunicator the ranks of the second group follow those of
// the first.
struct Places {
  std::int32_t mine, first_peer, all;
  explicit Places(const Communicator& communicator) {
    const std::int32_t own = communicator.size();
    const std::int32_t others = communicator.inter() ? communicator.remote->size() : 0;
    const bool second = communicator.inter() && !communicator.first;
    mine = communicator.my_rank() + (second ? others : 0);
    first_peer = communicator.inter() && !second ? own : 0;
    all = own + others;
  }
};

class Exchanges {
 public:
  Exchanges(Meeting& meeting) : meeting_(meeting) {}

  void add(std::int32_t from, std::int32_t to, const Amount& amount, bool sent) {
    if (amount.bytes == 0) return;
    meeting_.untyped |= amount.untyped;
    const std::uint64_t way = mix(static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to), 1);
    const Balance balance{amount.bytes, mix(way, amount.bytes), mix(way, amount.print)};
    count(meeting_.senders[from], balance, sent);
    count(meeting_.receivers[to], balance, !sent);
  }

 private:
  static void count(Balance& sum, const Balance& one, bool adds) {
    sum.bytes += adds ? one.bytes : -one.bytes;
    sum.lengths += adds ? one.lengths : -one.lengths;
    sum.print += adds ? one.print : -one.print;
  }

  Meeting& meeting_;
};

bool is_neighbourhood(Operation operation) { return operation >= Operation::kNeighborAllgather; }

}  // namespace

Amount amount_of(std::int64_t count, std::int32_t type) {
  const Datatype* const datatype = find_datatype(type);
  if (!datatype || count <= 0) return {0, 0, type, 0, 0, true};
  const std::int64_t bytes = count * datatype->size;
  return {count, bytes, type, fingerprint(*datatype, bytes), 0, is_untyped(*datatype)};
}

std::vector<Amount> sent_blocks(const Arguments& arguments) {
  return blocks_of(arguments.send_count, arguments.send_type, arguments.send_counts, arguments.send_types,
                   arguments.send_blocks);
}

std::vector<Amount> received_blocks(const Arguments& arguments) {
  return blocks_of(arguments.receive_count, arguments.receive_type, arguments.receive_counts, arguments.receive_types,
                   arguments.receive_blocks);
}

Amount all_of(const std::vector<Amount>& blocks) {
  if (blocks.size() == 1) return blocks[0];
  Amount all{-1, 0, 0, 0, 0, false};
  for (const Amount& block : blocks) {
    all.bytes += block.bytes;
    all.counts = mix(all.counts, block.bytes);
    all.print = mix(all.print, block.print);
    all.untyped |= block.untyped && block.bytes > 0;
  }
  return all;
}

void add_exchanges(const CollectiveCall& call, const Party& own, Meeting& meeting) {
  const Communicator& communicator = *call.communicator;
  const Arguments& a = call.a;
  const Places places(communicator);
  if (meeting.senders.empty()) {
    meeting.senders.resize(places.all);
    meeting.receivers.resize(places.all);
    meeting.parties.resize(places.all);
  }
  meeting.parties[places.mine] = own;
  std::vector<std::int32_t> sources, destinations;
  if (is_neighbourhood(call.operation)) {
    communicator.topology->neighbours(communicator.my_rank(), sources, destinations);
  } else {
    for (std::int32_t i = 0; i < a.receive_blocks; ++i) sources.push_back(places.first_peer + i);
    destinations = sources;
  }
  const std::vector<Amount> received = received_blocks(a), sent = a.send == kInPlace ? received : sent_blocks(a);
  const auto block = [](const std::vector<Amount>& blocks, std::size_t i) {
    return blocks.size() == 1 ? blocks[0] : blocks[i];
  };
  Exchanges exchanges(meeting);
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i] >= 0) exchanges.add(places.mine, destinations[i], block(sent, i), true);
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] >= 0) exchanges.add(sources[i], places.mine, block(received, i), false);
  }
}

void settle_exchanges(const CollectiveCall& call, const Meeting& meeting) {
  const auto is_even = [&](const Balance& balance) {
    return balance.bytes == 0 && balance.lengths == 0 && (balance.print == 0 || meeting.untyped);
  };
  const auto first_uneven = [&](const std::vector<Balance>& balances) {
    std::size_t i = 0;
    while (i < balances.size() && is_even(balances[i])) ++i;
    return i;
  };
  const std::size_t from = first_uneven(meeting.senders), to = first_uneven(meeting.receivers);
  if (from == meeting.senders.size() || to == meeting.receivers.size()) return;
  const Balance& balance = meeting.senders[from];
  const bool of_types = balance.bytes == 0 && balance.lengths == 0;
  const Party &sender = meeting.parties[from], &receiver = meeting.parties[to];
  Finding* const found = note_finding(of_types ? "mismatched-datatype" : "mismatched-count", sender, receiver);
  if (!found) return;
  const std::string other = "rank " + std::to_string(receiver.rank);
  found->text = "rank " + std::to_string(sender.rank) + " calls " + call.signature.call + at(sender) + ", and " +
                other + at(receiver) + ": ";
  if (of_types) {
    found->text += "the datatypes sent differ from those received";
  } else if (balance.bytes != 0) {
    found->text += "the first sends " + std::to_string(std::abs(balance.bytes)) + " bytes " +
                   (balance.bytes > 0 ? "more" : "less") + " than the second receives from it";
  } else {
    found->text += "the length sent differs from the length received";
  }
}

}  // namespace pysmpi
