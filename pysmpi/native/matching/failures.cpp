// Effects of failed ranks and links on requests.
#include "matching/failures.hpp"

#include "base/observer.hpp"
#include "engine/simulation.hpp"
#include "matching/progress.hpp"
#include "matching/requests.hpp"

namespace pysmpi {

namespace {

void set_fault(RequestId id, const Fault& fault) {
  Request& r = request(id);
  r.fault = fault;
  if (r.is_receive()) r.bytes = 0;
}

// End a message whose flow was stopped, because a rank or a link failed; both sides of the message get the fault.
void end_transfer(RequestId token, const Fault& fault) {
  set_fault(token, fault);
  if (request(token).partner != kNone) set_fault(request(token).partner, fault);
  flow_finished(token);
}

void stop_flow(Request& r) {
  if (r.flow == kNone) return;
  simulation().carrier->cancel(simulation().now, r.flow);
  --simulation().flows_under_way;
  r.flow = kNone;
}

// End a pending request that belongs to the failed rank or waits for it.
void end_waiting(RequestId id, RankId failed) {
  Request& r = request(id);
  const bool sent_by_failed = r.is_send() && r.owner == failed;
  if (sent_by_failed && (r.flags & kArrived)) return;  // the message has arrived and can still be received
  set_fault(id, failure_of(failed));
  if (sent_by_failed && (r.flags & kMatched)) {  // a matched probe took the message: its MPI_Mrecv must fail
    stop_flow(r);
    end_loan(r);
    end_wait(r);
    r.flags |= kArrived;
    return;
  }
  if (!(r.flags & kComplete)) complete(id);
  withdraw(id);
}

}  // namespace

void fail_rank(RankId rank) {
  Simulation& engine = simulation();
  if (engine.fibers[rank].state == FiberState::kEnded) return;
  ++engine.failed_ranks;
  freeze(engine.fibers[rank]);
  for (Fiber& thread : engine.threads) {
    if (thread.rank == rank) freeze(thread);
  }
  for (RequestId id = 0; id < RequestPool::current().size(); ++id) {
    Request& r = request(id);
    if (!(r.flags & kHeld) || (r.owner != rank && r.peer != rank)) continue;
    if (waits(r)) {
      end_waiting(id, rank);
    } else if (r.flow != kNone) {
      engine.carrier->cancel(engine.now, r.flow);
      end_transfer(id, failure_of(rank));
    } else if (r.flags & kDelayed) {
      Progress::current().forget(id);
      ++engine.flows_under_way;  // as if the flow had started, because end_transfer counts its end
      end_transfer(id, failure_of(rank));
    }
  }
  wake_probes(rank);
}

void fail_transfer(std::uint32_t token, LinkId link) { end_transfer(token, {kErrOther, link}); }

bool has_failed(RankId rank) {
  const Simulation& engine = simulation();
  return rank >= 0 && engine.failed_ranks > 0 && engine.fibers[rank].failed_at >= 0.0;
}

std::string describe(const Fault& fault) {
  const Platform& platform = *current_platform();
  if (fault.error == kErrProcFailed) {
    const HostId host = simulation().host_of(static_cast<RankId>(fault.culprit));
    return "rank " + std::to_string(fault.culprit) + " of MPI_COMM_WORLD (host " + platform.host(host).name +
           ") has failed";
  }
  return "link " + platform.link(fault.culprit).name + " failed while the message was in flight";
}

}  // namespace pysmpi
