// Event-driven simulation of a GOAL program under the LogGOPS model.
#include "replay/loggops.hpp"

#include <algorithm>
#include <queue>

#include "base/types.hpp"

namespace pysmpi {

namespace {

// Unmatched receives and unmatched messages, in order of arrival. If no receive uses a wildcard, each channel (sender,
// receiver, tag) has its own list; otherwise each receiver has one list of receives and one of messages.
class Waiting {
 public:
  explicit Waiting(const GoalProgram& program) : program_(program), next_(program.operations.size(), kNone) {
    const std::size_t count = program.operations.size();
    if (program.has_wildcards) {
      lists_.resize(2 * static_cast<std::size_t>(program.ranks()));
      return;
    }
    channel_.resize(count);
    std::size_t size = 1024;
    while (size < 2 * count) size *= 2;
    std::vector<std::uint32_t> table(size, kNone);  // hash table: one operation of each channel
    for (OperationId id = 0; id < count; ++id) {
      const GoalOperation& op = program.operations[id];
      if (op.kind == OperationKind::kCompute) continue;
      std::size_t slot = hash(op) & (size - 1);
      while (table[slot] != kNone && !same_channel(program.operations[table[slot]], op)) slot = (slot + 1) & (size - 1);
      if (table[slot] == kNone) {
        table[slot] = id;
        channel_[id] = static_cast<std::uint32_t>(lists_.size());
        lists_.emplace_back();
      } else {
        channel_[id] = channel_[table[slot]];
      }
    }
  }

  void add(OperationId id) {
    List& list = lists_[list_of(id, program_.operations[id].kind)];
    next_[id] = kNone;
    (list.first == kNone ? list.first : next_[list.last]) = id;
    list.last = id;
    list.kind = program_.operations[id].kind;
  }

  // Remove and return the first waiting operation that matches, or kNone.
  OperationId take_match(OperationId id) {
    const GoalOperation& op = program_.operations[id];
    const OperationKind wanted = op.kind == OperationKind::kSend ? OperationKind::kReceive : OperationKind::kSend;
    List& list = lists_[list_of(id, wanted)];
    if (list.first == kNone || list.kind != wanted) return kNone;
    OperationId before = kNone, found = list.first;
    while (found != kNone && !(op.kind == OperationKind::kSend ? matches(op, program_.operations[found])
                                                               : matches(program_.operations[found], op))) {
      before = found;
      found = next_[found];
    }
    if (found == kNone) return kNone;
    (before == kNone ? list.first : next_[before]) = next_[found];
    if (list.last == found) list.last = before;
    return found;
  }

  std::vector<OperationId> unmatched_sends() const {
    std::vector<OperationId> found;
    for (const List& list : lists_) {
      if (list.kind != OperationKind::kSend) continue;
      for (OperationId id = list.first; id != kNone; id = next_[id]) found.push_back(id);
    }
    return found;
  }

 private:
  struct List {
    OperationId first = kNone, last = kNone;
    OperationKind kind = OperationKind::kSend;
  };

  static std::int32_t receiver(const GoalOperation& op) { return op.kind == OperationKind::kSend ? op.peer : op.rank; }
  static std::int32_t sender(const GoalOperation& op) { return op.kind == OperationKind::kSend ? op.rank : op.peer; }
  static bool same_channel(const GoalOperation& a, const GoalOperation& b) {
    return receiver(a) == receiver(b) && sender(a) == sender(b) && a.tag == b.tag;
  }
  static bool matches(const GoalOperation& send, const GoalOperation& receive) {
    return (receive.peer == GoalProgram::kAnyPeer || receive.peer == send.rank) &&
           (receive.tag == GoalProgram::kAnyTag || receive.tag == send.tag);
  }
  static std::size_t hash(const GoalOperation& op) {
    std::uint64_t h = (std::uint64_t{static_cast<std::uint32_t>(receiver(op))} << 32) ^
                      static_cast<std::uint32_t>(sender(op)) ^
                      (std::uint64_t{static_cast<std::uint32_t>(op.tag)} * 0x9e3779b97f4a7c15ULL);
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdULL;
    return h ^ (h >> 33);
  }
  std::size_t list_of(OperationId id, OperationKind kind) const {
    if (!program_.has_wildcards) return channel_[id];
    return 2 * static_cast<std::size_t>(receiver(program_.operations[id])) + (kind == OperationKind::kSend);
  }

  const GoalProgram& program_;
  std::vector<std::uint32_t> channel_;  // list number of each operation
  std::vector<List> lists_;
  std::vector<OperationId> next_;
};

class LogGops {
 public:
  LogGops(const GoalProgram& program, const LogGopsParameters& parameters)
      : program_(program),
        p_(parameters),
        waiting_(program),
        awaited_(program.operations.size()),
        processor_free_(static_cast<std::size_t>(program.ranks()) * program.processors, 0.0),
        may_send_(static_cast<std::size_t>(program.ranks()) * program.adapters, 0.0),
        may_receive_(may_send_) {
    for (std::size_t i = 0; i < awaited_.size(); ++i) awaited_[i] = program.operations[i].awaited;
  }

  LogGopsOutcome run() {
    begin();
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.is_message) {
        arrive(event);
      } else {
        execute(event);
      }
      if (!freed_.empty()) queue_freed();
    }
    return conclude();
  }

 private:
  struct Event {
    double time;
    // Number of the event in the order of insertion, which decides among events of the same time. An event that is
    // inserted again keeps its number.
    std::uint64_t sequence;
    OperationId id;
    bool is_message;                            // the message of send `id` arrives at its receiver
    bool operator<(const Event& other) const {  // std::priority_queue keeps the greatest event on top
      return time > other.time || (time == other.time && sequence > other.sequence);
    }
  };

  static constexpr std::uint32_t kDone = kNone;

  double& processor(std::int32_t rank, const GoalOperation& op) {
    return processor_free_[static_cast<std::size_t>(rank) * program_.processors + op.processor];
  }
  std::size_t adapter(std::int32_t rank, const GoalOperation& op) const {
    return static_cast<std::size_t>(rank) * program_.adapters + op.adapter;
  }
  static double further_bytes(const GoalOperation& op) {
    return static_cast<double>(std::max<std::int64_t>(op.size - 1, 0));
  }

  void begin() {
    for (std::int32_t rank = 0; rank < program_.ranks(); ++rank) {
      for (OperationId id = program_.first[rank]; id < program_.first[rank + 1]; ++id) {
        if (awaited_[id] == 0) freed_.push_back(id);
      }
      queue_freed();
    }
  }

  void has_begun(OperationId id) {
    program_.each_after_beginning(id, [&](OperationId after) { free(after); });
  }
  void is_done(OperationId id) {
    ++done_;
    awaited_[id] = kDone;
    program_.each_after_end(id, [&](OperationId after) { free(after); });
  }
  void free(OperationId id) {
    if (--awaited_[id] == 0) freed_.push_back(id);
  }

  // Queue ready operations by rank, and within a rank sends before receives before computations, as LogGOPSim does.
  void queue_freed() {
    if (freed_.size() > 1) {
      std::stable_sort(freed_.begin(), freed_.end(), [&](OperationId a, OperationId b) {
        const GoalOperation &x = program_.operations[a], &y = program_.operations[b];
        return x.rank != y.rank ? x.rank < y.rank : x.kind < y.kind;
      });
    }
    for (const OperationId id : freed_) {
      const GoalOperation& op = program_.operations[id];
      double time = processor(op.rank, op);
      if (op.kind == OperationKind::kSend) time = std::max(time, may_send_[adapter(op.rank, op)]);
      events_.push({time, next_sequence_++, id, false});
    }
    freed_.clear();
  }

  void put_back(Event event, double time) {
    event.time = time;
    events_.push(event);
  }

  void execute(const Event& event) {
    const GoalOperation& op = program_.operations[event.id];
    double& free_at = processor(op.rank, op);
    switch (op.kind) {
      case OperationKind::kCompute:
        if (free_at > event.time) return put_back(event, free_at);
        free_at = event.time + static_cast<double>(op.size);
        has_begun(event.id);
        is_done(event.id);
        return;
      case OperationKind::kSend: {
        double& may_send = may_send_[adapter(op.rank, op)];
        if (const double at = std::max(free_at, may_send); at > event.time) return put_back(event, at);
        has_begun(event.id);
        free_at = event.time + p_.overhead + further_bytes(op) * p_.overhead_per_byte;
        may_send = event.time + p_.gap + further_bytes(op) * p_.gap_per_byte;
        // The event is the arrival of the first byte; the receiver accounts for the gaps of the other bytes.
        events_.push({event.time + p_.overhead + p_.latency, next_sequence_++, event.id, true});
        if (op.size <= p_.rendezvous_above) is_done(event.id);
        return;
      }
      case OperationKind::kReceive:
        has_begun(event.id);
        if (const OperationId send = waiting_.take_match(event.id); send != kNone) {
          release_sender(send, op, event.time);
          is_done(event.id);
        } else {
          waiting_.add(event.id);
        }
    }
  }

  void arrive(const Event& event) {
    const GoalOperation& op = program_.operations[event.id];
    // Like LogGOPSim, use the sender's numbers of the processor and the adapter at the receiver.
    double& free_at = processor(op.peer, op);
    double& may_receive = may_receive_[adapter(op.peer, op)];
    if (const double at = std::max(free_at, may_receive); at > event.time) return put_back(event, at);
    const double bytes = further_bytes(op);
    free_at = event.time + p_.overhead + std::max(bytes * p_.overhead_per_byte, bytes * p_.gap_per_byte);
    may_receive = event.time + p_.gap + bytes * p_.gap_per_byte;
    ++outcome_.messages;
    outcome_.bytes += static_cast<std::uint64_t>(op.size);
    if (const OperationId receive = waiting_.take_match(event.id); receive != kNone) {
      release_sender(event.id, op, event.time);
      is_done(receive);
    } else {
      waiting_.add(event.id);
    }
  }

  // End a rendezvous for its sender after the send and its receive have been matched. Of the two operations, `last`
  // came later; like LogGOPSim, use its numbers of the processor and the network adapter.
  void release_sender(OperationId send, const GoalOperation& last, double now) {
    const GoalOperation& op = program_.operations[send];
    if (op.size <= p_.rendezvous_above) return;
    double& free_at = processor(op.rank, last);
    double& may_send = may_send_[adapter(op.rank, last)];
    free_at = std::max(free_at, now);
    may_send = std::max(may_send, now);
    is_done(send);
  }

  LogGopsOutcome conclude() {
    outcome_.events = next_sequence_;
    if (done_ < program_.operations.size()) {
      const auto progress = [this](OperationId id) {
        return awaited_[id] == kDone ? GoalProgress::kDone
               : awaited_[id] == 0   ? GoalProgress::kPosted
                                     : GoalProgress::kWaits;
      };
      outcome_.waits = goal_waits(program_, progress, waiting_.unmatched_sends());
    }
    const std::int32_t ranks = program_.ranks();
    outcome_.end_times.resize(static_cast<std::size_t>(ranks));
    for (std::int32_t rank = 0; rank < ranks; ++rank) {
      const auto begin = processor_free_.begin() + static_cast<std::ptrdiff_t>(rank) * program_.processors;
      outcome_.end_times[rank] = *std::max_element(begin, begin + program_.processors);
    }
    return std::move(outcome_);
  }

  const GoalProgram& program_;
  const LogGopsParameters p_;
  Waiting waiting_;
  std::vector<std::uint32_t> awaited_;
  // Time in ns from which a processor is free for the next overhead, indexed by rank and processor.
  std::vector<double> processor_free_;
  // Time in ns from which an adapter may send or receive again after the gap, indexed by rank and adapter.
  std::vector<double> may_send_, may_receive_;
  std::priority_queue<Event> events_;
  std::vector<OperationId> freed_;
  std::uint64_t next_sequence_ = 0;
  std::size_t done_ = 0;
  LogGopsOutcome outcome_;
};

}  // namespace

LogGopsOutcome run_loggops(const GoalProgram& program, const LogGopsParameters& parameters) {
  return LogGops(program, parameters).run();
}

}  // namespace pysmpi
