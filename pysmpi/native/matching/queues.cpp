// Matching queues: a hash table of exact matches, and ordered lists for wildcards.
#include "matching/queues.hpp"

#include <algorithm>

#include "matching/protocol.hpp"

namespace pysmpi {

namespace {

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  a ^= b * 0x9e3779b97f4a7c15ULL;
  a ^= a >> 32;
  a *= 0xd6e8feb86659fd93ULL;
  return a ^ (a >> 32);
}

bool has_wildcard(const Request& r) { return r.peer == kAnySource || r.tag == kAnyTag; }

// Return whether a receive with this context, sender and tag accepts the message.
bool accepts(std::uint32_t context, RankId sender, std::int32_t tag, const Request& send) {
  return send.context == context && (sender == kAnySource || sender == send.owner) &&
         (tag == kAnyTag || tag == send.tag);
}

}  // namespace

void MatchingQueues::reset(RankId ranks) {
  table_.assign(1024, Chain{});
  used_ = 0;
  latest_ = Chain{};
  wildcard_receives_.assign(ranks, List{});
  sends_in_order_.assign(ranks, Waiting{});
}

void MatchingQueues::extend(RankId ranks) {
  wildcard_receives_.resize(ranks);
  sends_in_order_.resize(ranks);
}

std::size_t MatchingQueues::find_slot(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) const {
  const std::uint64_t hash =
      mix((static_cast<std::uint64_t>(static_cast<std::uint32_t>(receiver)) << 32) | context,
          (static_cast<std::uint64_t>(static_cast<std::uint32_t>(sender)) << 32) | static_cast<std::uint32_t>(tag));
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = hash & mask;
  while (!table_[slot].empty()) {
    const Chain& chain = table_[slot];
    if (chain.receiver == receiver && chain.context == context && chain.sender == sender && chain.tag == tag) break;
    slot = (slot + 1) & mask;
  }
  latest_ = {receiver, sender, context, tag};
  return latest_slot_ = slot;
}

void MatchingQueues::grow() {
  std::vector<Chain, LargePages<Chain>> old = std::move(table_);
  table_.assign(old.size() * 2, Chain{});
  latest_ = Chain{};
  for (const Chain& chain : old) {
    if (!chain.empty()) table_[slot_of(chain.receiver, chain.context, chain.sender, chain.tag)] = chain;
  }
}

void MatchingQueues::List::append(RequestId id) {
  Request& r = request(id);
  r.previous_in_order = last;
  r.next_in_order = kNone;
  (last == kNone ? first : request(last).next_in_order) = id;
  last = id;
}

void MatchingQueues::List::append_by_call(RequestId id) {
  if (last != kNone) {
    const std::uint64_t before = request(last).call_order, order = request(id).call_order;
    if (follows_in_instant(before, order)) {
      in_order = false;
    } else if (!in_order && !follows_in_instant(order, before)) {
      sort();  // a new instant begins
    }
  }
  append(id);
}

void MatchingQueues::List::remove(RequestId id) {
  const Request& r = request(id);
  (r.previous_in_order == kNone ? first : request(r.previous_in_order).next_in_order) = r.next_in_order;
  (r.next_in_order == kNone ? last : request(r.next_in_order).previous_in_order) = r.previous_in_order;
}

void MatchingQueues::List::sort() {
  if (in_order) return;
  in_order = true;
  const auto instant = [](RequestId id) { return request(id).call_order >> 40; };
  std::vector<RequestId> of_instant;
  while (last != kNone && (of_instant.empty() || instant(last) == instant(of_instant.back()))) {
    of_instant.push_back(last);
    last = request(last).previous_in_order;
  }
  (last == kNone ? first : request(last).next_in_order) = kNone;
  std::ranges::reverse(of_instant);
  std::ranges::stable_sort(of_instant, {}, [](RequestId id) { return request(id).call_order; });
  for (const RequestId id : of_instant) append(id);
}

void MatchingQueues::append(RankId receiver, RequestId id, std::int32_t tag, RankId sender) {
  if (2 * (used_ + 1) > table_.size()) grow();
  Request& r = request(id);
  Chain& chain = table_[slot_of(receiver, r.context, sender, tag)];
  r.next = kNone;
  r.previous = chain.last;
  if (chain.empty()) {
    chain = {receiver, sender, r.context, tag, id, id};
    ++used_;
  } else {
    request(chain.last).next = id;
    chain.last = id;
  }
}

void MatchingQueues::erase_slot(std::size_t hole) {
  const std::size_t mask = table_.size() - 1;
  --used_;
  table_[hole] = Chain{};
  latest_ = Chain{};
  for (std::size_t slot = (hole + 1) & mask; !table_[slot].empty(); slot = (slot + 1) & mask) {
    const Chain chain = table_[slot];
    table_[slot] = Chain{};
    table_[slot_of(chain.receiver, chain.context, chain.sender, chain.tag)] = chain;
  }
  latest_ = Chain{};
}

void MatchingQueues::unlink_chain(RequestId id, RankId receiver, RankId sender) {
  const Request& r = request(id);
  const std::size_t slot = slot_of(receiver, r.context, sender, r.tag);
  Chain& chain = table_[slot];
  (r.previous == kNone ? chain.first : request(r.previous).next) = r.next;
  (r.next == kNone ? chain.last : request(r.next).previous) = r.previous;
  if (chain.empty()) erase_slot(slot);
}

void MatchingQueues::add_receive(RequestId id) {
  const Request& r = request(id);
  if (has_wildcard(r)) {
    wildcard_receives_[r.owner].append(id);
  } else {
    append(r.owner, id, r.tag, r.peer);
  }
}

MatchingQueues::List& MatchingQueues::list_of(const Request& send) {
  Waiting& waiting = sends_in_order_[send.peer];
  return is_eager(send.bytes, send.mode) ? waiting.eager : waiting.others;
}

void MatchingQueues::add_send(RequestId id) {
  const Request& r = request(id);
  append(r.peer, id, r.tag, r.owner);
  list_of(r).append_by_call(id);
}

void MatchingQueues::remove(RequestId id) {
  const Request& r = request(id);
  if (r.is_send()) {
    unlink_chain(id, r.peer, r.owner);
    list_of(r).remove(id);
  } else if (has_wildcard(r)) {
    wildcard_receives_[r.owner].remove(id);
  } else {
    unlink_chain(id, r.owner, r.peer);
  }
}

RequestId MatchingQueues::find_receive(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) const {
  RequestId best = table_[slot_of(receiver, context, sender, tag)].first;
  if (best != kNone && request(best).is_send()) best = kNone;
  for (RequestId id = wildcard_receives_[receiver].first; id != kNone; id = request(id).next_in_order) {
    const Request& r = request(id);
    if (best != kNone && request(best).sequence < r.sequence) break;
    if (r.context == context && (r.peer == kAnySource || r.peer == sender) && (r.tag == kAnyTag || r.tag == tag)) {
      best = id;
      break;
    }
  }
  return best;
}

RequestId MatchingQueues::take_receive(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag) {
  const RequestId id = find_receive(receiver, context, sender, tag);
  if (id != kNone) remove(id);
  return id;
}

RequestId MatchingQueues::find_send(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag,
                                    std::uint64_t before) {
  if (sender != kAnySource && tag != kAnyTag) {
    const RequestId id = table_[slot_of(receiver, context, sender, tag)].first;
    return id != kNone && request(id).is_send() && !follows_in_instant(request(id).call_order, before) ? id : kNone;
  }
  const auto first_from = [&](RequestId id, RankId from) {
    while (id != kNone && !accepts(context, from, tag, request(id))) id = request(id).next_in_order;
    return id == kNone || follows_in_instant(request(id).call_order, before) ? kNone : id;
  };
  Waiting& waiting = sends_in_order_[receiver];
  waiting.eager.sort();
  waiting.others.sort();
  RequestId eager = first_from(waiting.eager.first, sender);
  for (; eager != kNone; eager = first_from(request(eager).next_in_order, sender)) {
    // One sender's messages must not overtake each other (MPI 4.1, section 3.5).
    const RequestId other = first_from(waiting.others.first, request(eager).owner);
    if (other == kNone || request(other).sequence > request(eager).sequence) return eager;
  }
  return first_from(waiting.others.first, sender);
}

RequestId MatchingQueues::take_send(RankId receiver, std::uint32_t context, RankId sender, std::int32_t tag,
                                    std::uint64_t before) {
  const RequestId id = find_send(receiver, context, sender, tag, before);
  if (id != kNone) remove(id);
  return id;
}

}  // namespace pysmpi
