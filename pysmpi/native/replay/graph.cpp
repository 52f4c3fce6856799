// Simulation of a GOAL program on a platform: operations occupy processors, and messages go through matching and the
// network.
#include "replay/graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "collectives/arguments.hpp"
#include "engine/deferred_actions.hpp"
#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/protocol.hpp"
#include "matching/requests.hpp"
#include "rank_memory/folded.hpp"

namespace pysmpi {

namespace {

class Graph;

// An operation in progress. It either occupies its processor (a computation, or the overhead of a message) or waits for
// its message.
class Occupation final : public Waiter {
 public:
  explicit Occupation(Graph& graph) : graph_(graph) {}
  void wake() override;

  OperationId id = kNone;
  bool on_processor = false;
  RequestId request = kNone;

 private:
  Graph& graph_;
};

class Graph final : public NativeProgram {
 public:
  explicit Graph(const GoalProgram& program)
      : program_(program),
        awaited_(program.operations.size()),
        next_(program.operations.size(), kNone),
        lanes_(static_cast<std::size_t>(program.ranks()) * program.processors),
        ranks_(static_cast<std::size_t>(program.ranks())) {
    for (std::size_t i = 0; i < awaited_.size(); ++i) awaited_[i] = program.operations[i].awaited;
  }

  Schedule run(Runner& run, RankId rank) override;
  Position position(RankId rank) const override;

  void go_on(Occupation& which);
  std::vector<GoalWait> waits() const;

 private:
  // A processor of a rank. The processor runs one operation at a time; operations run in the order in which they became
  // ready.
  struct Lane {
    OperationId first = kNone, last = kNone;
    bool busy = false;
  };
  struct RankState {
    Runner* runner = nullptr;
    OperationId left = 0;
    bool waits = false;
  };

  Lane& lane_of(const GoalOperation& op) {
    return lanes_[static_cast<std::size_t>(op.rank) * program_.processors + op.processor];
  }
  Occupation& take() {
    if (unused_.empty()) unused_.push_back(&occupations_.emplace_back(*this));
    Occupation& taken = *unused_.back();
    unused_.pop_back();
    return taken;
  }
  void give(Occupation& which) { unused_.push_back(&which); }

  std::vector<OperationId> unmatched_sends() const;
  void may_begin(OperationId id);
  void queue(OperationId id);
  void occupy(OperationId id);
  void post(OperationId id);
  void has_begun(OperationId id) {
    program_.each_after_beginning(id, [&](OperationId after) { free(after); });
  }
  void is_done(OperationId id);
  void free(OperationId id) {
    if (--awaited_[id] == 0) may_begin(id);
  }

  const GoalProgram& program_;
  std::vector<std::uint32_t> awaited_;
  std::vector<OperationId> next_;  // the next operation queued in the same lane
  std::vector<Lane> lanes_;
  std::vector<RankState> ranks_;
  std::deque<Occupation> occupations_;
  std::vector<Occupation*> unused_;
  AbsentMemory memory_;
};

void Occupation::wake() { graph_.go_on(*this); }

Schedule Graph::run(Runner& run, RankId rank) {
  RankState& state = ranks_[rank];
  state.runner = &run;
  show_native_wait(rank, "operations", WaitKind::kOther);
  const OperationId first = program_.first[rank], end = program_.first[rank + 1];
  state.left = end - first;
  for (OperationId id = first; id < end; ++id) {
    if (program_.operations[id].awaited == 0) may_begin(id);
  }
  if (state.left == 0) co_return;
  state.waits = true;
  co_await run.until_woken();
}

// The position of a rank is its first operation that is not done. This operation waits for other operations or for its
// message.
Position Graph::position(RankId rank) const {
  for (OperationId id = program_.first[rank]; id < program_.first[rank + 1]; ++id) {
    if (awaited_[id] == kNone) continue;
    constexpr const char* kNames[] = {"send", "recv", "calc"};
    return {program_.operations[id].line, kNames[static_cast<std::size_t>(program_.operations[id].kind)]};
  }
  return {0, "the end"};
}

std::vector<GoalWait> Graph::waits() const {
  const auto progress = [this](OperationId id) {
    return awaited_[id] == kNone ? GoalProgress::kDone
           : awaited_[id] == 0   ? GoalProgress::kPosted
                                 : GoalProgress::kWaits;
  };
  return goal_waits(program_, progress, unmatched_sends());
}

// The requests of unmatched messages do not name their operations. Messages of one sender, receiver, tag and size are
// matched in order, so the unmatched ones are the last that the sender has posted.
std::vector<OperationId> Graph::unmatched_sends() const {
  using Message = std::tuple<std::int32_t, std::int32_t, std::int32_t, std::int64_t>;  // sender, receiver, tag, size
  std::map<Message, std::int64_t> unmatched;
  for (RequestId id = 0; id < RequestPool::current().size(); ++id) {
    const Request& r = request(id);
    if (r.owner >= 0 && r.is_send() && (r.flags & kHeld) && !(r.flags & kMatched)) {
      ++unmatched[{r.owner, r.peer, r.tag, r.bytes}];
    }
  }
  std::vector<OperationId> found;
  for (auto id = static_cast<OperationId>(program_.operations.size()); id-- > 0 && !unmatched.empty();) {
    const GoalOperation& op = program_.operations[id];
    if (op.kind != OperationKind::kSend || (awaited_[id] != 0 && awaited_[id] != kNone)) continue;
    const auto place = unmatched.find({op.rank, op.peer, op.tag, op.size});
    if (place == unmatched.end()) continue;
    found.push_back(id);
    if (--place->second == 0) unmatched.erase(place);
  }
  return found;
}

void Graph::may_begin(OperationId id) {
  if (program_.operations[id].kind == OperationKind::kReceive) {
    has_begun(id);
    post(id);
  } else {
    queue(id);
  }
}

void Graph::queue(OperationId id) {
  Lane& lane = lane_of(program_.operations[id]);
  if (lane.busy) {
    next_[id] = kNone;
    (lane.first == kNone ? lane.first : next_[lane.last]) = id;
    lane.last = id;
  } else {
    lane.busy = true;
    occupy(id);
  }
}

void Graph::occupy(OperationId id) {
  const GoalOperation& op = program_.operations[id];
  Simulation& engine = simulation();
  Occupation& which = take();
  which.id = id;
  which.on_processor = true;
  which.request = kNone;
  which.pending = 1;
  if (op.kind != OperationKind::kReceive) has_begun(id);
  double seconds = 0.0;
  switch (op.kind) {
    case OperationKind::kCompute: {
      seconds = 1e-9 * static_cast<double>(op.size);
      if (seconds > 0.0) {
        const double flops = seconds * engine.processors.speed(engine.host_of(op.rank));
        deferred_actions().compute(engine.call_order(), op.rank, flops, &which);
        return;
      }
      break;
    }
    case OperationKind::kSend:
      seconds = send_overhead(op.size, true, SendMode::kStandard);
      break;
    case OperationKind::kReceive:
      seconds = receive_overhead(op.size, is_detached(op.size, SendMode::kStandard));
      break;
  }
  if (seconds > 0.0) {
    deferred_actions().sleep(engine.call_order(), op.rank, engine.now + seconds, &which);
  } else {
    which.pending = 0;
    engine.ready.push_back(&which);
  }
}

void Graph::post(OperationId id) {
  const GoalOperation& op = program_.operations[id];
  const Communicator& world = ranks_[op.rank].runner->communicator();
  char* const buffer = reinterpret_cast<char*>(folded_begin);
  const Datatype& bytes = *find_datatype(kByte);
  Occupation& which = take();
  which.id = id;
  which.on_processor = false;
  which.pending = 0;
  const Envelope envelope{op.peer, op.tag, world.context};
  which.request = op.kind == OperationKind::kSend
                      ? post_send(op.rank, world, envelope, SendMode::kStandard, buffer, op.size, bytes)
                      : post_receive(op.rank, world, envelope, buffer, op.size, bytes);
  if (is_complete(which.request)) {
    simulation().ready.push_back(&which);
  } else {
    await(which.request, &which);
  }
}

void Graph::go_on(Occupation& which) {
  const OperationId id = which.id;
  const GoalOperation& op = program_.operations[id];
  if (which.on_processor) {
    Lane& lane = lane_of(op);
    const OperationId following = lane.first;
    lane.busy = following != kNone;
    if (lane.busy) {
      lane.first = next_[following];
      if (lane.first == kNone) lane.last = kNone;
    }
    give(which);
    if (op.kind == OperationKind::kSend) {
      post(id);
    } else {
      is_done(id);
    }
    if (following != kNone) occupy(following);
    return;
  }
  const Fault fault = request(which.request).fault;
  release(which.request);
  give(which);
  if (fault.error != 0) {
    fail_natively(op.rank,
                  fault.error == kErrTruncate ? "a message is longer than the receive buffer" : describe(fault));
  } else if (op.kind == OperationKind::kReceive) {
    queue(id);
  } else {
    is_done(id);
  }
}

void Graph::is_done(OperationId id) {
  RankState& state = ranks_[program_.operations[id].rank];
  awaited_[id] = kNone;
  program_.each_after_end(id, [&](OperationId after) { free(after); });
  if (--state.left == 0 && state.waits) state.runner->wake();
}

}  // namespace

std::vector<GoalWait> waits_of(const NativeProgram& graph) { return static_cast<const Graph&>(graph).waits(); }

std::unique_ptr<NativeProgram> graph_of(const GoalProgram& program) { return std::make_unique<Graph>(program); }

}  // namespace pysmpi
