// Posts, awaits and ends nonblocking collectives whose messages are posted at once.
#include "collectives/posted.hpp"

#include <algorithm>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "datatypes/copy.hpp"
#include "engine/computation.hpp"
#include "engine/simulation.hpp"
#include "matching/mailboxes.hpp"
#include "matching/polling.hpp"
#include "matching/requests.hpp"
#include "schedule/running.hpp"

namespace pysmpi {

namespace {

auto& all_posted() { return PostedCollectives::current().by_request; }
PostedCollective& posted_of(RequestId id) { return *all_posted().at(id); }

// Lists the messages of a collective in the order in which SMPI posts them.
class Lister {
 public:
  explicit Lister(PostedCollective& posted)
      : posted_(posted), a_(posted.args), rank_(posted.runner.rank), size_(posted.runner.size) {}

  void list() {
    switch (posted_.operation) {
      case Operation::kBarrier:
        return barrier();
      case Operation::kBcast:
        return bcast();
      case Operation::kGather:
      case Operation::kGatherv:
        return gather();
      case Operation::kScatter:
      case Operation::kScatterv:
        return scatter();
      case Operation::kAllgather:
      case Operation::kAllgatherv:
        copy_own();
        return each_other([&](int i) {
          send_all(i);
          receive_block(i);
        });
      case Operation::kAlltoall:
        return alltoall();
      case Operation::kAlltoallv:
      case Operation::kAlltoallw:
        copy_own();
        each_other([&](int i) { receive_block(i); });
        return each_other([&](int i) { send_block(i); });
      case Operation::kReduce:
        return reduce();
      case Operation::kAllreduce:
        return operands(0, size_, a_.send, a_.receive_count, [&](int i, char* room) {
          send_operand(i, a_.send, a_.receive_count);
          receive_operand(i, room);
        });
      case Operation::kReduceScatter:
        return reduce_scatter();
      case Operation::kScan:
        return scan(rank_ + 1);
      case Operation::kExscan:
        return scan(rank_);
      default:
        return;
    }
  }

 private:
  template <class Visit>
  void each_other(Visit&& visit) {
    for (int i = 0; i < size_; ++i) {
      if (i != rank_) visit(i);
    }
  }

  void send(int to, const void* buffer, std::int64_t count, std::int32_t type) {
    posted_.to_post.push_back({true, to, const_cast<void*>(buffer), count, type});
  }
  void receive(int from, void* buffer, std::int64_t count, std::int32_t type) {
    posted_.to_post.push_back({false, from, buffer, count, type});
  }

  void barrier() {
    if (rank_ > 0) {
      send(0, nullptr, 0, kByte);
      return receive(0, nullptr, 0, kByte);
    }
    for (int i = 1; i < size_; ++i) {
      receive(i, nullptr, 0, kByte);
      send(i, nullptr, 0, kByte);
    }
  }

  void bcast() {
    if (rank_ != a_.root) return receive(a_.root, a_.receive, a_.receive_count, a_.receive_type);
    each_other([&](int i) { send(i, a_.receive, a_.receive_count, a_.receive_type); });
  }

  void gather() {
    if (rank_ != a_.root) return send_all(a_.root);
    copy_own();
    each_other([&](int i) { receive_block(i); });
  }

  void scatter() {
    if (rank_ != a_.root) return receive(a_.root, a_.receive, a_.receive_count, a_.receive_type);
    copy_own();
    each_other([&](int i) { send_block(i); });
  }

  void alltoall() {
    copy_own();
    for (int step = 1; step < size_; ++step) receive_block((rank_ + step) % size_);
    for (int step = 1; step < size_; ++step) send_block((rank_ - step + size_) % size_);
  }

  void reduce() {
    if (rank_ != a_.root) return send_operand(a_.root, a_.send, a_.receive_count);
    operands(0, size_, a_.send, a_.receive_count, [&](int i, char* room) { receive_operand(i, room); });
  }

  // `number`: how many ranks, from rank 0 on, contribute to this rank's result.
  void scan(int number) {
    operands(0, number, a_.send, a_.receive_count, [&](int i, char* room) { receive_operand(i, room); });
    for (int i = rank_ + 1; i < size_; ++i) send_operand(i, a_.send, a_.receive_count);
  }

  // A block of the send or receive side.
  struct Block {
    char* buffer;
    std::int64_t count;
    std::int32_t type;
  };
  Block sent(int i) const {
    char* const buffer = static_cast<char*>(const_cast<void*>(a_.send));
    if (a_.send_types) {
      return {buffer + a_.send_displacements[i], a_.send_counts[i], static_cast<std::int32_t>(a_.send_types[i])};
    }
    const std::int64_t place = a_.send_counts ? a_.send_displacements[i] : i * a_.send_count;
    return {buffer + place * a_.send_extent(), a_.send_counts ? a_.send_counts[i] : a_.send_count, a_.send_type};
  }
  Block received(int i) const {
    if (a_.receive_types) {
      return {static_cast<char*>(a_.receive) + a_.receive_displacements[i], a_.receive_counts[i],
              static_cast<std::int32_t>(a_.receive_types[i])};
    }
    const std::int64_t place = a_.receive_counts ? a_.receive_displacements[i] : i * a_.receive_count;
    return {a_.receive_at(place), a_.receive_count_of(i), a_.receive_type};
  }
  void send_block(int i) {
    const Block block = sent(i);
    send(i, block.buffer, block.count, block.type);
  }
  void receive_block(int i) {
    const Block block = received(i);
    receive(i, block.buffer, block.count, block.type);
  }
  void send_all(int to) { send(to, a_.send, a_.send_count, a_.send_type); }

  // Copies the block that the rank keeps. A gather sends, and a scatter receives, one block only.
  void copy_own() {
    const Operation of = posted_.operation;
    const bool gathers = of == Operation::kGather || of == Operation::kGatherv || of == Operation::kAllgather ||
                         of == Operation::kAllgatherv;
    const bool scatters = of == Operation::kScatter || of == Operation::kScatterv;
    const Block from =
        gathers ? Block{static_cast<char*>(const_cast<void*>(a_.send)), a_.send_count, a_.send_type} : sent(rank_);
    const Block to =
        scatters ? Block{static_cast<char*>(a_.receive), a_.receive_count, a_.receive_type} : received(rank_);
    if (from.buffer != to.buffer) copy(from.buffer, from.count, from.type, to.buffer, to.count, to.type);
  }

  void send_operand(int to, const void* buffer, std::int64_t count) { send(to, buffer, count, a_.receive_type); }
  void receive_operand(int from, char* room) { receive(from, room, posted_.length, a_.receive_type); }

  // Makes room for the operands of ranks `begin` to `end` - 1, of which this rank's own is at `own`, and calls
  // `exchange(rank, room)` for each other rank.
  template <class Exchange>
  void operands(int begin, int end, const void* own, std::int64_t length, Exchange&& exchange) {
    posted_.length = length;
    const std::int64_t others = end - begin - (rank_ >= begin && rank_ < end ? 1 : 0);
    const std::int64_t step = length * a_.receive_extent();
    char* room = posted_.runner.keep(Scratch(others * length, a_.receive_type, a_.receive));
    for (int i = begin; i < end; ++i) {
      posted_.operands.push_back(i == rank_ ? own : room);
      if (i == rank_) continue;
      exchange(i, room);
      room += step;
    }
  }

  void reduce_scatter() {
    std::vector<const void*> blocks;
    std::int64_t place = 0;
    for (int i = 0; i < size_; ++i) {
      blocks.push_back(static_cast<const char*>(a_.send) + place * a_.receive_extent());
      place += a_.receive_count_of(i);
    }
    operands(0, size_, blocks[rank_], a_.receive_count_of(rank_), [&](int i, char* room) {
      send_operand(i, blocks[i], a_.receive_count_of(i));
      receive_operand(i, room);
    });
  }

  PostedCollective& posted_;
  const Arguments& a_;
  const int rank_, size_;
};

// Lets the rank enter a barrier. The last rank completes the entries of the others.
void enter_barrier(PostedCollective& posted, RankId owner) {
  auto& entering = PostedCollectives::current().entering;
  const std::uint64_t key = std::uint64_t{posted.communicator.context} << 32 | posted.sequence;
  PostedCollectives::Entering& barrier = entering[key];
  if (++barrier.ranks == posted.runner.size) {
    const std::vector<RequestId> waiting = std::move(barrier.waiting);
    entering.erase(key);
    for (const RequestId id : waiting) {
      complete(id);
      release_hold(id);
    }
    return;
  }
  posted.entered = allocate_request();
  Request& r = request(posted.entered);
  r.kind = RequestKind::kSchedule;
  r.flags = kNonblocking | kMatched | kHeld;
  r.owner = owner;
  r.communicator = posted.communicator.handle;
  r.call = posted.call;
  barrier.waiting.push_back(posted.entered);
}

Steps<bool> post_all(PostedCollective& posted, RankId owner) {
  Communicator& communicator = posted.communicator;
  const auto tag = static_cast<std::int32_t>(posted.sequence * 4 & 0x7fffffff);
  for (const PostedCollective::Message& message : posted.to_post) {
    const Datatype& type = *find_datatype(message.type);
    const Envelope envelope{message.peer, tag, communicator.context + 1};
    if (message.is_send) {
      const double seconds = send_overhead(message.count * type.size, true, SendMode::kStandard);
      if (seconds > 0.0) {
        const bool going = co_await sleeping(seconds, posted.call, Spent::kSendOverhead);
        if (!going) co_return false;
      }
    }
    if (observers) notify(&Observer::schedule_posts, posted.call);
    RequestId id = kNone;
    if (message.is_send) {
      id = co_await post_send_in_call(owner, communicator, envelope, SendMode::kStandard, message.buffer, message.count,
                                      type, posted.call);
    } else {
      id = co_await post_receive_in_call(owner, communicator, envelope, message.buffer, message.count, type,
                                         posted.call);
    }
    if (observers) notify(&Observer::schedule_posts, static_cast<const char*>(nullptr));
    if (id == kNone) co_return false;
    posted.messages.push_back(id);
  }
  posted.to_post.clear();
  co_return true;
}

// Returns the seconds that combining the operands takes.
double seconds_of_reduction(const PostedCollective& posted) {
  if (posted.operands.size() < 2) return 0.0;
  const auto others = static_cast<std::int64_t>(posted.operands.size()) - 1;
  return posted.runner.combining_seconds(posted.args.receive_type, others * posted.length);
}

RequestId first_incomplete(const std::vector<RequestId>& parts) {
  const auto found = std::find_if_not(parts.begin(), parts.end(), is_complete);
  return found == parts.end() ? kNone : *found;
}

Blocked blocked_in(RequestId id, const std::vector<RequestId>& parts, const char* call) {
  request(id).partner = first_incomplete(parts);
  return Blocked({.call = call, .request = id, .requests = 1, .communicator = request(id).communicator});
}

// Waits for all parts at once, which suffices without overheads of receives.
Steps<bool> await_all(RequestId id, const std::vector<RequestId>& parts, const char* call) {
  Fiber& fiber = running_fiber();
  for (const RequestId part : parts) {
    if (is_complete(part)) wait_for_complete(part);
  }
  for (const RequestId part : parts) await(part, &fiber);
  co_return co_await blocked_in(id, parts, call);
}

// Waits for the parts in the order of their completion, and for the overhead of each one.
Steps<bool> await_each(RequestId id, std::vector<RequestId>& parts, const char* call) {
  Fiber& fiber = running_fiber();
  std::vector<RequestId> left = parts;
  while (!left.empty()) {
    auto found = std::find_if(left.begin(), left.end(), is_complete);
    if (found == left.end()) {
      for (const RequestId part : left) request(part).waiter = &fiber;
      fiber.pending = 1;
      fiber.place = simulation().next_call();
      const bool going = co_await blocked_in(id, left, call);
      if (!going) co_return false;
      fiber.pending = 0;
      for (const RequestId part : left) request(part).waiter = nullptr;
      found = std::find(left.begin(), left.end(), fiber.last);
    }
    const RequestId part = *found;
    left.erase(found);
    const double seconds = receive_overhead(part);
    request(part).flags |= kTested;
    if (seconds <= 0.0) continue;
    const bool going = co_await sleeping(seconds, call, Spent::kReceiveOverhead);
    if (!going) co_return false;
  }
  co_return true;
}

// Combines the operands of a reduction, in the order of ranks.
void combine(PostedCollective& posted) {
  const std::vector<const void*> operands = std::exchange(posted.operands, {});
  if (operands.empty()) return;
  const Arguments& a = posted.args;
  auto operand = operands.rbegin();
  copy(*operand, posted.length, a.receive_type, a.receive, posted.length, a.receive_type);
  for (++operand; operand != operands.rend(); ++operand) {
    reduce(a.reduction, a.receive_type, *operand, a.receive, posted.length);
  }
}

// Makes the request complete; its fault is the first fault of a message.
void settle(RequestId id) {
  Request& r = request(id);
  if (r.flags & kComplete) return;
  for (const RequestId part : posted_of(id).messages) {
    if (r.fault.error == 0) r.fault = request(part).fault;
  }
  r.partner = kNone;
  complete(id);
}

}  // namespace

bool posts_messages(const CollectiveCall& call) {
  return options().nonblocking_collectives == NonblockingCollectives::kLinear && !call.communicator->inter() &&
         !call.algorithm && call.operation < Operation::kNeighborAllgather;
}

PostedCollective::PostedCollective(const CollectiveCall& call, Arguments args, Runner& runner, std::uint32_t sequence)
    : operation(call.operation),
      communicator(*call.communicator),
      args(args),
      runner(runner),
      sequence(sequence),
      call(call.signature.call) {
  hold_communicator(communicator);
  Lister(*this).list();
}

PostedCollective::~PostedCollective() {
  release_communicator(communicator);
  give_runner(runner);
}

RequestId add_posted(std::unique_ptr<PostedCollective> posted) {
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.kind = RequestKind::kPosted;
  r.flags = kNonblocking | kMatched | kHeld;
  r.owner = inside_rank() ? simulation().running : 0;
  r.communicator = posted->communicator.handle;
  r.call = posted->call;
  all_posted()[id] = std::move(posted);
  return id;
}

bool post_messages(RequestId id) {
  PostedCollective& posted = posted_of(id);
  // SMPI makes no request for a broadcast on one rank.
  const bool is_nothing = posted.operation == Operation::kBcast && posted.runner.size == 1;
  if (is_nothing || !inside_rank()) {
    request(id).flags |= kTested;
    settle(id);
    return true;
  }
  const RankId owner = request(id).owner;
  if (posted.operation == Operation::kBarrier && posted.runner.size > 1) enter_barrier(posted, owner);
  return run(post_all(posted, owner));
}

std::vector<RequestId> parts_of_posted(RequestId id) {
  const PostedCollective& posted = posted_of(id);
  std::vector<RequestId> parts = posted.messages;
  if (posted.entered != kNone && !is_complete(posted.entered)) parts.push_back(posted.entered);
  return parts;
}

bool all_parts_complete(RequestId id) {
  if (is_complete(id)) return true;
  return first_incomplete(parts_of_posted(id)) == kNone;
}

bool ends_by_itself(RequestId id) {
  const PostedCollective& posted = posted_of(id);
  const bool all_entered = posted.entered == kNone || is_complete(posted.entered);
  return all_entered && std::ranges::all_of(posted.messages, [](RequestId part) {
           return (request(part).flags & (kComplete | kMatched)) != 0;
         });
}

Steps<bool> await_posted(RequestId id, const char* call) {
  if (is_complete(id)) co_return true;
  if (running_fiber().stopping) co_return false;
  std::vector<RequestId> parts = parts_of_posted(id);
  Steps<bool> waiting = options().receive_overhead.empty() ? await_all(id, parts, call) : await_each(id, parts, call);
  const bool arrived = co_await waiting;
  if (!arrived) co_return false;
  const double seconds = seconds_of_reduction(posted_of(id));
  if (seconds > 0.0) {
    const bool going = co_await sleeping(seconds, call, Spent::kWorkingOnData);
    if (!going) co_return false;
  }
  settle(id);
  co_return true;
}

bool poll_posted(RequestId id, const char* call, bool& complete) {
  bool going = true;
  const auto test_all = [&] {
    bool all = true;
    for (const RequestId part : parts_of_posted(id)) {
      Request& r = request(part);
      bool found = true;
      if (r.flags & kTested) {  // SMPI's test takes time again, although the result is known
        const Poll again;
        going = options().test_cost <= 0.0 || sleep_in_test(&Simulation::failed_tests, call);
      } else if (part != posted_of(id).entered) {
        const auto look = [&going, part, call] {
          if (!is_complete(part)) return false;
          const double seconds = receive_overhead(part);
          going = seconds <= 0.0 || sleep_for(seconds, call, Spent::kReceiveOverhead);
          request(part).flags |= kTested;
          return true;
        };
        const bool asks = !r.is_send() || !(r.flags & kDetached);
        going = poll(&Simulation::failed_tests, call, look, found, asks) && going;
      } else {
        found = is_complete(part);
      }
      if (!going) return false;
      all = all && found;
    }
    return all;
  };
  if (!poll(&Simulation::failed_tests, call, test_all, complete, false) || !going) return false;
  if (!complete) return true;
  if (const double seconds = seconds_of_reduction(posted_of(id)); seconds > 0.0) {
    if (!sleep_for(seconds, call, Spent::kWorkingOnData)) return false;
  }
  settle(id);
  if (request(id).fault.error == 0) combine(posted_of(id));  // the program may look at the result before it waits
  return true;
}

bool ends_in_program(RequestId id) {
  const PostedCollective& posted = posted_of(id);
  return posted.operands.size() > 1 && posted.args.reduction.kind == ReductionKind::kUser;
}

void end_posted(RequestId id) {
  const std::unique_ptr<PostedCollective> posted = std::move(all_posted().at(id));
  all_posted().erase(id);
  if (request(id).fault.error == 0) combine(*posted);
  for (const RequestId part : posted->messages) release(part);
  if (posted->entered != kNone) release(posted->entered);
  release_hold(id);
}

RequestId posted_under_way(RankId rank) {
  for (const auto& [id, posted] : all_posted()) {
    if (request(id).owner == rank && !is_complete(id)) return id;
  }
  return kNone;
}

void forget_posted(RankId rank) {
  for (auto at = all_posted().begin(); at != all_posted().end();) {
    const auto [id, posted] = std::pair(at->first, at->second.get());
    ++at;
    if (request(id).owner != rank) continue;
    for (const RequestId part : posted->messages) abandon(part);
    if (posted->entered != kNone) release(posted->entered);
    all_posted().erase(id);
    release_hold(id);
  }
}

void show_waiting_posted() {
  for (const auto& [id, posted] : all_posted()) {
    if (!is_complete(id)) request(id).partner = first_incomplete(parts_of_posted(id));
  }
}

}  // namespace pysmpi
