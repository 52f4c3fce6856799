// Amounts of data of collective calls, and the check that what ranks send equals what others expect from them.
#include "instrumentation/check/blocks.hpp"

#include <algorithm>
#include <utility>

#include "instrumentation/check/call_order.hpp"
#include "instrumentation/check/places.hpp"
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

namespace {

void add_block(Way& way, const Amount& amount) {
  if (amount.bytes == 0) return;
  way.bytes += amount.bytes;
  way.lengths += mix(1, amount.bytes);
  way.print += mix(1, amount.print);
  way.untyped |= amount.untyped;
}

// Return the data that the running rank exchanges with each other rank, in the order of their numbers (places.hpp).
// Ranks with which it exchanges nothing are left out.
std::vector<Exchange> exchanges_of(const CollectiveCall& call, const Places& places) {
  const Communicator& communicator = *call.communicator;
  const Arguments& a = call.a;
  std::vector<std::int32_t> sources, destinations;
  if (is_neighbourhood(call.operation)) {
    communicator.topology->neighbours(communicator.my_rank(), sources, destinations);
  } else {
    for (std::int32_t i = 0; i < a.receive_blocks; ++i) sources.push_back(places.first_peer + i);
    destinations = sources;
  }
  const std::vector<Amount> received = received_blocks(a), sent = a.send == kInPlace ? received : sent_blocks(a);
  const auto block = [](const std::vector<Amount>& blocks, std::size_t i) -> const Amount& {
    return blocks.size() == 1 ? blocks[0] : blocks[i];
  };
  std::vector<Exchange> all;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i] >= 0) add_block(all.emplace_back(Exchange{destinations[i], {}, {}}).sent, block(sent, i));
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] >= 0) add_block(all.emplace_back(Exchange{sources[i], {}, {}}).received, block(received, i));
  }
  std::ranges::stable_sort(all, {}, &Exchange::peer);
  std::size_t kept = 0;
  const auto add = [](Way& way, const Way& other) {
    way.bytes += other.bytes;
    way.lengths += other.lengths;
    way.print += other.print;
    way.untyped |= other.untyped;
  };
  for (const Exchange& each : all) {
    if (each.sent.bytes == 0 && each.received.bytes == 0) continue;
    if (kept == 0 || all[kept - 1].peer != each.peer) {
      all[kept++] = each;
    } else {
      add(all[kept - 1].sent, each.sent);
      add(all[kept - 1].received, each.received);
    }
  }
  all.resize(kept);
  return all;
}

bool are_equal(const Way& sent, const Way& received) {
  return sent.bytes == received.bytes && sent.lengths == received.lengths &&
         (sent.print == received.print || sent.untyped || received.untyped);
}

void report(const CollectiveCall& call, const Party& sender, const Party& receiver, const Way& sent,
            const Way& received) {
  const bool of_types = sent.bytes == received.bytes && sent.lengths == received.lengths;
  Finding* const found = note_finding(of_types ? "mismatched-datatype" : "mismatched-count", sender, receiver);
  if (!found) return;
  const bool self = sender.rank == receiver.rank;
  std::string& text = found->text;
  text = "rank " + std::to_string(sender.rank) + " calls " + call.signature.call + at(sender);
  text += self ? ": " : ", and rank " + std::to_string(receiver.rank) + at(receiver) + ": ";
  if (of_types) {
    text += "the datatypes sent differ from those received";
  } else if (sent.bytes == received.bytes) {
    text += "the lengths sent differ from the lengths received";
  } else {
    text += (self ? "it sends itself " : "the first sends ") + std::to_string(std::abs(sent.bytes - received.bytes)) +
            " bytes " + (sent.bytes > received.bytes ? "more" : "less") + " than " +
            (self ? "it receives from itself" : "the second receives from it") + " (" + std::to_string(sent.bytes) +
            ", not " + std::to_string(received.bytes) + ")";
  }
  text += on(*call.communicator);
}

}  // namespace

void compare_exchanges(const CollectiveCall& call, const Party& own, Meeting& meeting) {
  const Places places(*call.communicator);
  meeting.entered.resize(places.all);
  meeting.awaiting.resize(places.all);
  meeting.entered[places.mine] = own;
  const auto compare = [&](const Party& sender, const Party& receiver, const Way& sent, const Way& received) {
    if (are_equal(sent, received)) return;
    report(call, sender, receiver, sent, received);
    meeting.differs = true;
  };
  std::vector<Exchange> theirs = std::exchange(meeting.awaiting[places.mine], {});
  std::ranges::sort(theirs, {}, &Exchange::peer);
  auto other = theirs.begin();
  const auto compare_with = [&](const Exchange& mine, const Exchange& its) {
    const Party& party = *meeting.entered[mine.peer];
    compare(own, party, mine.sent, its.received);
    compare(party, own, its.sent, mine.received);
  };
  for (const Exchange& mine : exchanges_of(call, places)) {
    for (; other != theirs.end() && other->peer < mine.peer; ++other) compare_with({other->peer, {}, {}}, *other);
    if (mine.peer == places.mine && !call.communicator->inter()) {
      if (!are_equal(mine.sent, mine.received) && !meeting.self) meeting.self = {own, mine};
    } else if (other != theirs.end() && other->peer == mine.peer) {
      compare_with(mine, *other++);
    } else if (meeting.entered[mine.peer]) {
      compare_with(mine, {mine.peer, {}, {}});
    } else {
      meeting.awaiting[mine.peer].push_back({places.mine, mine.sent, mine.received});
    }
  }
  for (; other != theirs.end(); ++other) compare_with({other->peer, {}, {}}, *other);
}

void settle_exchanges(const CollectiveCall& call, const Meeting& meeting) {
  if (meeting.differs || !meeting.self) return;
  const auto& [party, exchange] = *meeting.self;
  report(call, party, party, exchange.sent, exchange.received);
}

}  // namespace pysmpi
