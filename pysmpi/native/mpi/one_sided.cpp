// MPI_Put, MPI_Get, MPI_Accumulate and related functions: they check the arguments and start the transfer.
#include <cstdarg>
#include <cstdio>

#include "datatypes/checks.hpp"
#include "datatypes/copy.hpp"
#include "engine/call.hpp"
#include "engine/fiber.hpp"
#include "engine/library_variables.hpp"
#include "mpi/message.hpp"
#include "mpi/mpi.h"
#include "mpi/requests.hpp"
#include "mpi/windows.hpp"
#include "objects/errors.hpp"
#include "rma/epochs.hpp"
#include "rma/transfers.hpp"

using namespace pysmpi;

namespace {

// The arguments of an access while they are checked. The first invalid one produces an error code and ends the call.
class CheckedTransfer {
 public:
  CheckedTransfer(const char* function, MPI_Win win, int target)
      : call_(function), function_(function), target_(target) {
    if (call_.stopped()) {
      error_ = kErrorStopped;
      return;
    }
    window_ = checked_window(function, win, error_);
    if (window_ && target != MPI_PROC_NULL) is_member(function, *window_, target, error_);
  }

  // Note that the result depends on the order in which ranks access the target.
  void reads_shared_value() const {
    if (ok() && inside_rank()) simulation().measured_intervals.reads_shared_value();
  }

  int error() const { return error_; }
  bool ok() const { return error_ == MPI_SUCCESS; }
  bool to_nobody() const { return target_ == MPI_PROC_NULL; }
  bool to_itself() const { return target_ == window_->communicator->my_rank(); }

  bool elements(Elements& elements, const void* buffer, MPI_Count count, MPI_Datatype type, const char* name) {
    if (!ok()) return false;
    elements = {permanent(const_cast<void*>(buffer)), count, committed_datatype(type)};
    if (!elements.type) return wrong(MPI_ERR_TYPE, "%s", describe_unusable(type).c_str());
    if (count < 0) return wrong(MPI_ERR_COUNT, "negative count %lld of %s", static_cast<long long>(count), name);
    const char* const fault = to_nobody() ? nullptr : buffer_fault(buffer, count, *elements.type);
    if (fault) return wrong(MPI_ERR_BUFFER, "%s %s", name, fault);
    if (has_library_variables && inside_rank() &&
        refuse_on_stack(function_, Lent::kDuringCall, buffer, *elements.type, count)) {
      error_ = kErrorStopped;
    }
    return ok();
  }

  // Checks the target's datatype, count and displacement, the access epoch, and that the elements lie in the target's
  // memory.
  bool target(MPI_Aint displacement, MPI_Count count, MPI_Datatype type) {
    if (!ok()) return false;
    Elements& there = there_;
    there = {nullptr, count, committed_datatype(type)};
    if (!there.type) return wrong(MPI_ERR_TYPE, "%s", describe_unusable(type).c_str());
    if (count < 0) return wrong(MPI_ERR_COUNT, "negative target count %lld", static_cast<long long>(count));
    if (to_nobody()) return true;
    if (displacement < 0 && window_->flavor != WindowFlavor::kDynamic) {
      return wrong(MPI_ERR_DISP, "negative target displacement %lld", static_cast<long long>(displacement));
    }
    if (!may_access(*window_, target_)) {
      return wrong(MPI_ERR_RMA_SYNC,
                   "no access epoch to rank %d of the window; call MPI_Win_fence, MPI_Win_start, MPI_Win_lock or "
                   "MPI_Win_lock_all first",
                   target_);
    }
    if (memory_is_gone(*window_, target_)) return has_ended();
    const Span span = there.bytes() > 0 ? span_of(count, type) : Span{0, 0};
    there.buffer = address_in(*window_, target_, displacement, span.begin, span.length);
    if (!there.buffer && span.length > 0) return out_of_range(displacement, span);
    return true;
  }

  bool fits(const Elements& from, const Elements& to) {
    if (!ok()) return false;
    return to_nobody() || from.bytes() <= to.bytes() ||
           wrong(MPI_ERR_TRUNCATE, "%lld bytes do not fit in %lld bytes", static_cast<long long>(from.bytes()),
                 static_cast<long long>(to.bytes()));
  }

  // Checks the operation. To be called after target(), because the datatype only matters if the target's elements have
  // any bytes.
  bool operation(MPI_Op op, Reduction& reduction) {
    if (!ok()) return false;
    const std::optional<Reduction> found = find_reduction(op);
    if (!found) return wrong(MPI_ERR_OP, "the handle 0x%08x is not an operation", static_cast<unsigned>(op));
    if (there_.bytes() > 0 && !is_accumulable(*found, *there_.type)) {
      return wrong(MPI_ERR_OP, "%s is not defined on this datatype (handle 0x%08x)%s", found->name,
                   static_cast<unsigned>(there_.type->handle),
                   found->kind == ReductionKind::kUser ? "; only predefined operations can be used here" : "");
    }
    reduction = *found;
    return true;
  }

  const Elements& there() const { return there_; }
  WindowAccess access() const { return {*window_, target_, there_, function_}; }
  int end(const Fault& fault) const { return outcome(*window_, fault, function_); }

  [[gnu::format(printf, 3, 4)]] bool wrong(int error_class, const char* format, ...) {
    char text[256];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    error_ = fail(window_->handle, error_class, function_, "%s", text);
    return false;
  }

 private:
  bool has_ended() {
    const RankId rank = window_->world(target_);
    if (simulation().fibers[rank].failed_at >= 0.0) {
      return wrong(kErrProcFailed, "rank %d of the window has failed", target_);
    }
    return wrong(MPI_ERR_RMA_SYNC, "rank %d of the window has ended, so its memory no longer exists", target_);
  }

  bool out_of_range(MPI_Aint displacement, const Span& span) {
    if (window_->flavor == WindowFlavor::kDynamic) {
      return wrong(MPI_ERR_RMA_RANGE, "rank %d has not attached the %lld bytes at %p to the window", target_,
                   static_cast<long long>(span.length), reinterpret_cast<void*>(displacement + span.begin));
    }
    const WindowMember& member = window_->members[target_];
    return wrong(MPI_ERR_RMA_RANGE,
                 "displacement %lld (units of %lld bytes) plus %lld bytes is outside "
                 "the window, which has %lld bytes at rank %d",
                 static_cast<long long>(displacement), static_cast<long long>(member.displacement_unit),
                 static_cast<long long>(span.begin + span.length), static_cast<long long>(member.size), target_);
  }

  const Call call_;
  const char* function_;
  int target_;
  Window* window_ = nullptr;
  Elements there_;
  int error_ = MPI_SUCCESS;
};

// Returns a request that is already complete. In SMPI it is a detached send, whose test takes time, or no request at
// all (if nothing is sent, and for MPI_Rget_accumulate), whose test takes none.
MPI_Request complete_request(bool sends) {
  const RequestId id = allocate_request();
  Request& r = request(id);
  r.role = Role::kSend;
  r.flags = kComplete | kDetached | (sends ? 0 : kTested);
  r.owner = inside_rank() ? simulation().running : 0;
  return handle_of(id);
}

int give_request(int error, MPI_Request* handle, bool sends = false) {
  if (handle) *handle = error == MPI_SUCCESS ? complete_request(sends) : MPI_REQUEST_NULL;
  return error;
}

Listed listed(const MPI_Request* handle) { return handle ? Listed::kNo : Listed::kYes; }

int put(const char* function, const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target,
        MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request* handle) {
  CheckedTransfer c(function, win, target);
  Elements from;
  if (!c.elements(from, origin, origin_count, origin_type, "origin_addr") ||
      !c.target(displacement, target_count, target_type) || !c.fits(from, c.there())) {
    return c.error();
  }
  if (c.to_nobody()) return give_request(MPI_SUCCESS, handle);
  return give_request(c.end(put(c.access(), from, listed(handle))), handle, !c.to_itself());
}

int get(const char* function, void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target,
        MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_type, MPI_Win win, MPI_Request* handle) {
  CheckedTransfer c(function, win, target);
  Elements to;
  if (!c.elements(to, origin, origin_count, origin_type, "origin_addr") ||
      !c.target(displacement, target_count, target_type) || !c.fits(c.there(), to)) {
    return c.error();
  }
  if (c.to_nobody()) return give_request(MPI_SUCCESS, handle);
  if (refuse_on_stack(function, Lent::kUntilComplete, origin, *to.type, origin_count)) return kErrorStopped;
  RequestId id = kNone;
  const int error = c.end(get(c.access(), to, handle ? &id : nullptr));
  if (error == MPI_SUCCESS && id != kNone) {
    *handle = handle_of(id);
    return MPI_SUCCESS;
  }
  return give_request(error, handle);
}

int accumulate(const char* function, const void* origin, MPI_Count origin_count, MPI_Datatype origin_type, int target,
               MPI_Aint displacement, MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win,
               MPI_Request* handle) {
  CheckedTransfer c(function, win, target);
  Elements from;
  Reduction operation;
  if (!c.elements(from, origin, origin_count, origin_type, "origin_addr") ||
      !c.target(displacement, target_count, target_type) || !c.operation(op, operation) || !c.fits(from, c.there())) {
    return c.error();
  }
  if (operation.kind == ReductionKind::kNoOp) {
    c.wrong(MPI_ERR_OP, "MPI_NO_OP is only valid in functions that fetch");
    return c.error();
  }
  if (c.to_nobody()) return give_request(MPI_SUCCESS, handle);
  return give_request(c.end(accumulate(c.access(), from, operation, listed(handle))), handle, true);
}

int get_accumulate(const char* function, const void* origin, MPI_Count origin_count, MPI_Datatype origin_type,
                   void* result, MPI_Count result_count, MPI_Datatype result_type, int target, MPI_Aint displacement,
                   MPI_Count target_count, MPI_Datatype target_type, MPI_Op op, MPI_Win win, MPI_Request* handle) {
  CheckedTransfer c(function, win, target);
  c.reads_shared_value();
  Elements from, to;
  Reduction operation;
  if (!c.elements(to, result, result_count, result_type, "result_addr") ||
      !c.target(displacement, target_count, target_type) || !c.operation(op, operation)) {
    return c.error();
  }
  const bool only_fetches = operation.kind == ReductionKind::kNoOp;
  if ((!only_fetches && !c.elements(from, origin, origin_count, origin_type, "origin_addr")) ||
      (!only_fetches && !c.fits(from, c.there())) || !c.fits(c.there(), to)) {
    return c.error();
  }
  return give_request(c.to_nobody() ? MPI_SUCCESS : c.end(get_accumulate(c.access(), from, to, operation)), handle);
}

// Compare-and-swap is defined on integers, logicals and bytes (MPI 4.1, section 12.3.4).
bool is_comparable(const Datatype& type) {
  return type.size == type.basic_size && type.contiguous && type.basic >= Basic::kByte && type.basic <= Basic::kUint64;
}

}  // namespace

extern "C" {

int MPI_Put_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return put("MPI_Put", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, nullptr);
}
int MPI_Rput_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
               MPI_Request* request) {
  return put("MPI_Rput", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, request);
}

int MPI_Get_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
              MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win) {
  return get("MPI_Get", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, nullptr);
}
int MPI_Rget_c(void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
               MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Win win,
               MPI_Request* request) {
  return get("MPI_Rget", origin_addr, origin_count, origin_datatype, target_rank, target_disp, target_count,
             target_datatype, win, request);
}

int MPI_Accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                     MPI_Win win) {
  return accumulate("MPI_Accumulate", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, op, win, nullptr);
}
int MPI_Raccumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype, int target_rank,
                      MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                      MPI_Win win, MPI_Request* request) {
  return accumulate("MPI_Raccumulate", origin_addr, origin_count, origin_datatype, target_rank, target_disp,
                    target_count, target_datatype, op, win, request);
}

int MPI_Get_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                         void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                         MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                         MPI_Win win) {
  return get_accumulate("MPI_Get_accumulate", origin_addr, origin_count, origin_datatype, result_addr, result_count,
                        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, nullptr);
}
int MPI_Rget_accumulate_c(const void* origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
                          void* result_addr, MPI_Count result_count, MPI_Datatype result_datatype, int target_rank,
                          MPI_Aint target_disp, MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
                          MPI_Win win, MPI_Request* request) {
  return get_accumulate("MPI_Rget_accumulate", origin_addr, origin_count, origin_datatype, result_addr, result_count,
                        result_datatype, target_rank, target_disp, target_count, target_datatype, op, win, request);
}

int MPI_Fetch_and_op(const void* origin_addr, void* result_addr, MPI_Datatype datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Op op, MPI_Win win) {
  return get_accumulate("MPI_Fetch_and_op", origin_addr, 1, datatype, result_addr, 1, datatype, target_rank,
                        target_disp, 1, datatype, op, win, nullptr);
}

int MPI_Compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, MPI_Datatype datatype,
                         int target_rank, MPI_Aint target_disp, MPI_Win win) {
  CheckedTransfer c("MPI_Compare_and_swap", win, target_rank);
  c.reads_shared_value();
  Elements from, compare, result;
  if (!c.elements(from, origin_addr, 1, datatype, "origin_addr") ||
      !c.elements(compare, compare_addr, 1, datatype, "compare_addr") ||
      !c.elements(result, result_addr, 1, datatype, "result_addr")) {
    return c.error();
  }
  if (!is_comparable(*from.type)) {
    c.wrong(MPI_ERR_TYPE, "the datatype (handle 0x%08x) is not an integer, logical or byte type",
            static_cast<unsigned>(datatype));
    return c.error();
  }
  if (!c.target(target_disp, 1, datatype)) return c.error();
  if (c.to_nobody()) return MPI_SUCCESS;
  return c.end(compare_and_swap(c.access(), permanent(origin_addr), permanent(compare_addr), permanent(result_addr)));
}

}  // extern "C"
