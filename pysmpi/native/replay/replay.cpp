// Replay of time-independent traces: each action becomes messages, collectives or time, as in SMPI's replay.
#include "replay/replay.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/observer.hpp"
#include "base/options.hpp"
#include "collectives/catalogue.hpp"
#include "collectives/nodes.hpp"
#include "engine/simulation.hpp"
#include "matching/failures.hpp"
#include "matching/protocol.hpp"
#include "rank_memory/folded.hpp"
#include "schedule/ledger.hpp"

namespace pysmpi {

namespace {

// MPICH's handles of a datatype for each entry of kLengths: MPI_BYTE, SHORT, INT, DOUBLE, LONG_DOUBLE,
// C_LONG_DOUBLE_COMPLEX.
constexpr std::int32_t kTypes[] = {0x4c00010d, 0x4c000203, 0x4c000405, 0x4c00080b, 0x4c00100c, 0x4c002042};

// A request for which no wait action has been executed yet.
struct OpenRequest {
  RankId sender, receiver;
  std::int32_t tag;
  RequestId id;  // kNone if a test has completed the request
};

struct RankState {
  std::size_t next = 0;  // index of the next action
  std::vector<OpenRequest> open;
  std::uint32_t collectives = 0;
};

class Replay final : public NativeProgram {
 public:
  explicit Replay(std::vector<RankTrace> traces)
      : traces_(std::move(traces)), states_(traces_.size()), no_displacements_(traces_.size(), 0) {}

  Schedule run(Runner& run, RankId rank) override;
  Position position(RankId rank) const override {
    const std::vector<Action>& actions = traces_[rank].actions;
    const std::size_t next = states_[rank].next;
    if (next >= actions.size()) return {0, "the end of the trace"};
    return {actions[next].line, kActionNames[static_cast<std::size_t>(actions[next].kind)]};
  }

 private:
  // The contents of these buffers are never read. The buffers are far apart so that algorithms do not mistake them for
  // one buffer.
  char* send_buffer() const { return reinterpret_cast<char*>(folded_begin); }
  char* receive_buffer() const { return reinterpret_cast<char*>(folded_begin + folded_length / 2); }

  Schedule message(Runner& run, RankId rank, const Action& action);
  Schedule test(Runner& run, RankId rank, const Action& action);
  Schedule sleep(Runner& run, double seconds);
  Schedule collective_action(Runner& run, RankId rank, const Action& action, Operation operation);
  Arguments arguments(RankId rank, const Action& action, Operation operation) const;

  std::vector<RankTrace> traces_;
  std::vector<RankState> states_;
  std::vector<std::int32_t> no_displacements_;
  AbsentMemory memory_;
};

std::vector<OpenRequest>::iterator find_open(RankState& state, const Action& action) {
  return std::find_if(state.open.begin(), state.open.end(), [&](const OpenRequest& each) {
    return each.sender == action.source && each.receiver == action.peer && each.tag == action.tag;
  });
}

// Remove the open request that the action names, and return it; kNone if none is open, or if a test has completed it.
RequestId take_open(RankState& state, const Action& action) {
  const auto found = find_open(state, action);
  if (found == state.open.end()) return kNone;
  const RequestId id = found->id;
  state.open.erase(found);
  return id;
}

// Let the next wait for a round include all open requests.
void add_open_to_round(Runner& run, RankState& state) {
  for (const OpenRequest& each : std::exchange(state.open, {})) {
    if (each.id != kNone) run.add_to_round(each.id);
  }
}

WaitKind wait_kind(ActionKind kind) {
  switch (kind) {
    case ActionKind::kSend:
    case ActionKind::kRecv:
    case ActionKind::kSendrecv:
    case ActionKind::kWait:
    case ActionKind::kWaitall:
    case ActionKind::kFinalize:
      return WaitKind::kOther;
    case ActionKind::kCompute:
    case ActionKind::kSleep:
    case ActionKind::kTest:
      return WaitKind::kTime;
    default:
      return WaitKind::kCollective;
  }
}

// Return whether a rank exchanges a message with itself, which takes no time.
bool is_own_copy(const Action& action, RankId rank) { return action.peer == rank && action.source == rank; }

bool is_call(ActionKind kind) {
  return kind != ActionKind::kInit && kind != ActionKind::kFinalize && kind != ActionKind::kNothing &&
         kind != ActionKind::kCompute && kind != ActionKind::kSleep;
}

std::optional<Operation> operation_of(ActionKind kind) {
  switch (kind) {
    case ActionKind::kBarrier:
      return Operation::kBarrier;
    case ActionKind::kBcast:
      return Operation::kBcast;
    case ActionKind::kReduce:
      return Operation::kReduce;
    case ActionKind::kAllreduce:
      return Operation::kAllreduce;
    case ActionKind::kAlltoall:
      return Operation::kAlltoall;
    case ActionKind::kAlltoallv:
      return Operation::kAlltoallv;
    case ActionKind::kGather:
      return Operation::kGather;
    case ActionKind::kGatherv:
      return Operation::kGatherv;
    case ActionKind::kScatter:
      return Operation::kScatter;
    case ActionKind::kScatterv:
      return Operation::kScatterv;
    case ActionKind::kAllgather:
      return Operation::kAllgather;
    case ActionKind::kAllgatherv:
      return Operation::kAllgatherv;
    case ActionKind::kReduceScatter:
      return Operation::kReduceScatter;
    case ActionKind::kScan:
      return Operation::kScan;
    case ActionKind::kExscan:
      return Operation::kExscan;
    default:
      return std::nullopt;
  }
}

bool reduces(Operation operation) {
  return operation == Operation::kReduce || operation == Operation::kAllreduce || operation == Operation::kScan ||
         operation == Operation::kExscan || operation == Operation::kReduceScatter;
}

Arguments Replay::arguments(RankId rank, const Action& action, Operation operation) const {
  const auto ranks = static_cast<std::int32_t>(traces_.size());
  const auto counts = [&](std::int64_t begin) { return Integers(traces_[rank].numbers.data() + begin); };
  Arguments a;
  a.send = send_buffer();
  a.receive = receive_buffer();
  a.send_blocks = a.receive_blocks = ranks;
  a.root = action.peer;
  a.at_root = rank == action.peer;
  a.send_type = kTypes[action.type];
  a.receive_type = kTypes[action.other_type];
  a.send_count = a.receive_count = action.count;
  switch (operation) {
    case Operation::kAlltoall:
    case Operation::kGather:
    case Operation::kScatter:
    case Operation::kAllgather:
      a.receive_count = action.other;
      break;
    case Operation::kGatherv:
    case Operation::kAllgatherv:
      a.receive_counts = counts(action.other);
      a.receive_count = 0;
      break;
    case Operation::kScatterv:
      a.send_counts = counts(action.other);
      a.send_count = 0;
      break;
    case Operation::kAlltoallv:
      a.send_counts = counts(action.count);
      a.receive_counts = counts(action.other);
      a.send_count = a.receive_count = 0;
      break;
    case Operation::kReduceScatter:
      a.receive_counts = counts(action.count);
      a.receive_type = a.send_type;
      a.send_count = a.receive_count = a.total_receive_count();
      break;
    default:  // the other operations have one count and one datatype
      a.receive_type = a.send_type;
  }
  if (a.send_counts) a.send_displacements = no_displacements_.data();
  if (a.receive_counts) a.receive_displacements = no_displacements_.data();
  // SMPI replays reductions with MPI_OP_NULL; only its scans treat that operation as non-commutative.
  const bool scans = operation == Operation::kScan || operation == Operation::kExscan;
  if (reduces(operation)) a.reduction = {.kind = ReductionKind::kSum, .commutative = !scans, .name = "MPI_SUM"};
  return a;
}

Schedule Replay::collective_action(Runner& run, RankId rank, const Action& action, Operation operation) {
  const std::uint32_t number = states_[rank].collectives;
  states_[rank].collectives += 2;
  CollectiveSignature signature{.call = kActionNames[static_cast<std::size_t>(action.kind)]};
  signature.nodes_known = have_looked_for_nodes(run.communicator());
  const CollectiveMismatch mismatch = enter_collective(run.communicator(), rank, number, signature);
  if (mismatch.error_class != 0) {
    fail_natively(rank, mismatch.text);
    co_return;
  }
  run.speak_for_collective(number);
  run.knows_nodes = signature.nodes_known;
  co_await collective(operation, run, arguments(rank, action, operation));
  if (reduces(operation) && action.amount > 0.0) co_await run.compute(action.amount);
}

Schedule Replay::message(Runner& run, RankId rank, const Action& action) {
  std::vector<OpenRequest>& open = states_[rank].open;
  const std::int32_t type = kTypes[action.type];
  run.speak_for_program(action.tag);
  switch (action.kind) {
    case ActionKind::kSend:
      co_await run.send_now(action.peer, send_buffer(), action.count, type);
      break;
    case ActionKind::kIsend: {
      const std::int64_t bytes = action.count * kLengths[action.type];
      co_await run.sleep(send_overhead(bytes, true, SendMode::kStandard));
      open.push_back({rank, action.peer, action.tag, run.post(action.peer, send_buffer(), action.count, type)});
      break;
    }
    default: {  // the other actions are kRecv and kIrecv
      std::int64_t count = action.count;
      if (count < 0) {  // the trace does not say how long the message is
        if (options().iprobe_cost <= 0.0) co_await run.appearance(action.peer);
        while (!co_await run.probe_on(action.peer) && !run.probes_are_pointless()) {
        }
        count = folded_length / (2 * kLengths[std::size(kLengths) - 1]);
      }
      const RequestId id = run.expect(action.peer, receive_buffer(), count, type);
      if (action.kind == ActionKind::kRecv) {
        co_await run.finish(id);
      } else {
        open.push_back({action.peer, rank, action.tag, id});
      }
    }
  }
}

// Replay MPI_Test as SMPI does: the test takes smpi/test seconds multiplied by the number of consecutive failed tests
// of all ranks.
Schedule Replay::test(Runner& run, RankId rank, const Action& action) {
  RankState& state = states_[rank];
  const auto found = find_open(state, action);
  if (found == state.open.end()) co_return;
  // The tested request moves behind the other open requests with the same sender, receiver and tag, as in SMPI. The
  // next wait or test with these values therefore takes another one of them, if any.
  const OpenRequest tested = *found;
  state.open.erase(found);
  if (tested.id == kNone) co_return;
  Simulation& engine = simulation();
  co_await run.sleep(static_cast<double>(engine.failed_tests) * options().test_cost);
  if (is_complete(tested.id)) {
    engine.failed_tests = 1;
    co_await run.finish(tested.id);
    state.open.push_back({tested.sender, tested.receiver, tested.tag, kNone});
  } else {
    ++engine.counters.failed_probes;
    if (options().grow_injected_times) ++engine.failed_tests;
    state.open.push_back(tested);
  }
}

// Replay a sleep of the program.
Schedule Replay::sleep(Runner& run, double seconds) {
  if (observers) notify(&Observer::sleep_begins, simulation().now, run.thread());
  co_await run.sleep(seconds);
  if (observers) notify(&Observer::sleep_ends, simulation().now, run.thread());
}

// Return whether the rank's replay has failed; a fault that its messages have met makes it fail.
bool has_failed(const Runner& run, RankId rank) {
  if (run.has_met_fault()) {
    fail_natively(rank, run.fault().error == kErrTruncate ? "a message is longer than the receive buffer"
                                                          : describe(run.fault()));
  }
  return native_failure().rank == rank;
}

Schedule Replay::run(Runner& run, RankId rank) {
  const RankTrace& trace = traces_[rank];
  RankState& state = states_[rank];
  co_await run.sleep(options().init_cost);
  for (; state.next < trace.actions.size(); ++state.next) {
    const Action& action = trace.actions[state.next];
    const char* const name = kActionNames[static_cast<std::size_t>(action.kind)];
    show_native_wait(rank, name, wait_kind(action.kind));
    std::optional<ObservedAction> observed;
    if (is_call(action.kind)) observed.emplace(rank, name);
    switch (action.kind) {
      case ActionKind::kInit:
      case ActionKind::kFinalize:
      case ActionKind::kNothing:
        continue;
      case ActionKind::kCompute:
        if (options().simulate_computation) co_await run.compute(action.amount);
        continue;
      case ActionKind::kSleep:
        co_await sleep(run, action.amount);
        continue;
      case ActionKind::kSend:
      case ActionKind::kIsend:
      case ActionKind::kRecv:
      case ActionKind::kIrecv:
        co_await message(run, rank, action);
        break;
      case ActionKind::kSendrecv:
        if (is_own_copy(action, rank)) continue;
        run.speak_for_program(0);
        co_await run.exchange(action.peer, send_buffer(), action.count, kTypes[action.type], action.source,
                              receive_buffer(), action.other, kTypes[action.other_type]);
        break;
      case ActionKind::kTest:
        co_await test(run, rank, action);
        break;
      case ActionKind::kWait:
        if (const RequestId id = take_open(state, action); id != kNone) co_await run.finish(id);
        break;
      case ActionKind::kWaitall:
        add_open_to_round(run, state);
        co_await run.round();
        break;
      default:
        co_await collective_action(run, rank, action, *operation_of(action.kind));
    }
    if (has_failed(run, rank)) co_return;
  }
  show_native_wait(rank, "the end of the trace", WaitKind::kOther);
  add_open_to_round(run, state);
  co_await run.round();
}

}  // namespace

std::unique_ptr<NativeProgram> replay_of(std::vector<RankTrace> traces) {
  return std::make_unique<Replay>(std::move(traces));
}

}  // namespace pysmpi
