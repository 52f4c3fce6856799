// Matches receives from any source with messages in the order of SMPI's calls.
#include "matching/undecided.hpp"

#include <algorithm>
#include <tuple>

#include "engine/listener.hpp"
#include "engine/simulation.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

bool UndecidedPosts::is_later(const Post& a, const Post& b) {
  return std::tie(a.order, a.sequence) > std::tie(b.order, b.sequence);
}

void UndecidedPosts::add(RequestId id, RankId receiver, bool waits_already) {
  Request& r = request(id);
  r.flags |= kUndecided;
  posts_.push_back({r.call_order, r.sequence, id, receiver, waits_already, nullptr});
  std::ranges::push_heap(posts_, is_later);
  ++of_receiver_[receiver];
  ++simulation().undecided;
}

bool UndecidedPosts::add_waiter(std::uint64_t order, Waiter* waiter) {
  if (simulation().ready.empty() && posts_.empty()) return false;
  waiter->place = simulation().next_call();
  ++waiter->pending;
  posts_.push_back({order, 0, kNone, -1, false, waiter});
  std::ranges::push_heap(posts_, is_later);
  ++simulation().undecided;
  return true;
}

void UndecidedPosts::decide_next() {
  std::ranges::pop_heap(posts_, is_later);
  const Post post = posts_.back();
  posts_.pop_back();
  --simulation().undecided;
  simulation().continue_from(post.order);
  if (post.waiter) {
    if (--post.waiter->pending == 0) simulation().ready.push_front(post.waiter);
    return;
  }
  --of_receiver_[post.receiver];
  Request& r = request(post.id);
  if (r.sequence != post.sequence || !(r.flags & kUndecided)) return;  // withdrawn, and possibly reused
  r.flags &= ~kUndecided;
  if (r.is_send()) {
    match_or_enqueue_send(post.id, post.waits_already);
  } else {
    match_or_enqueue_receive(post.id);
  }
}

void UndecidedPosts::decide_all() {
  while (!posts_.empty()) decide_next();
}

void UndecidedPosts::decide_before(std::uint64_t order) {
  while (!posts_.empty() && posts_.front().order < order) decide_next();
}

void decide_next_match() { UnmatchedRequests::current().undecided.decide_next(); }

}  // namespace pysmpi
