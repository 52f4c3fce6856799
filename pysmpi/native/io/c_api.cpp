// The C functions for files that Python calls.
#include "io/c_api.h"

#include "base/options.hpp"
#include "engine/simulation.hpp"
#include "io/access.hpp"
#include "io/transfer.hpp"
#include "io/view.hpp"
#include "matching/requests.hpp"
#include "objects/errors.hpp"

using namespace pysmpi;

namespace {

constexpr std::uint32_t kRequestHandle = 0xac000000U,
                        kHandleIndex = 0x03ffffffU;  // as in native/mpi/request_handles.hpp

View view_of(int64_t displacement, int filetype) { return {displacement, find_datatype(filetype)}; }

RequestId begin(int64_t disk, int64_t host, int write, int64_t bytes, int64_t reported) {
  if (!inside_rank()) {
    const RequestId id = allocate_request();
    Request& r = request(id);
    r.kind = RequestKind::kFileAccess;
    r.flags = kMatched | kComplete;
    r.owner = r.peer = 0;
    r.source = kAnySource;
    r.matched_tag = kAnyTag;
    r.bytes = reported;
    return id;
  }
  Disks& disks = simulation().disks;
  return start_access({.disk = disk < 0 ? disks.file_system() : static_cast<DiskId>(disk),
                       .host = host < 0 ? kNone : static_cast<HostId>(host),
                       .direction = write ? Direction::kWrite : Direction::kRead,
                       .bytes = static_cast<double>(bytes),
                       .latency = disk < 0 ? options().access_latency : 0.0},
                      reported);
}

int finish(RequestId id, const char* call) {
  if (inside_rank() && !is_complete(id)) {
    Fiber& fiber = running_fiber();
    if (!fiber.stopping) await(id, &fiber);
    if (!block({.call = call, .kind = WaitKind::kTime})) {
      abandon(id);
      return kErrorStopped;
    }
  }
  const int error = request(id).fault.error;
  release(id);
  return error;
}

}  // namespace

int pysmpi_is_filetype(int filetype, int apart) { return is_filetype(*find_datatype(filetype), apart != 0); }

int64_t pysmpi_view_offset(int64_t displacement, int filetype, int64_t place) {
  return view_of(displacement, filetype).offset(place);
}

int64_t pysmpi_view_bytes_before(int64_t displacement, int filetype, int64_t offset) {
  return view_of(displacement, filetype).bytes_before(offset);
}

int64_t pysmpi_read_file(int descriptor, int64_t displacement, int filetype, int64_t place, void* buffer, int64_t count,
                         int datatype, int external) {
  return read_file(descriptor, view_of(displacement, filetype), place, buffer, count, *find_datatype(datatype),
                   external != 0);
}

int64_t pysmpi_write_file(int descriptor, int64_t displacement, int filetype, int64_t place, const void* buffer,
                          int64_t count, int datatype, int external) {
  return write_file(descriptor, view_of(displacement, filetype), place, buffer, count, *find_datatype(datatype),
                    external != 0);
}

int pysmpi_begin_access(int64_t disk, int64_t host, int write, int64_t bytes, int64_t reported) {
  return static_cast<int>(kRequestHandle | begin(disk, host, write, bytes, reported));
}

int pysmpi_finish_access(int64_t disk, int64_t host, int write, int64_t bytes, const char* call) {
  return inside_rank() ? finish(begin(disk, host, write, bytes, bytes), call) : 0;
}

int pysmpi_wait_access(int request, const char* call) {
  return finish(static_cast<std::uint32_t>(request) & kHandleIndex, call);
}
