// Ownership of memory by requests. It detects buffers that two requests share, and buffers that the program changes
// before their request is complete.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "instrumentation/check/findings.hpp"
#include "instrumentation/check/memory.hpp"

namespace pysmpi {

class Ownership {
 public:
  // Return or record the call site where the request was started; kNowhere if it was not recorded.
  std::uint32_t site_of(std::uint32_t request) const;
  void note_site(std::uint32_t request);

  // Record that the running rank's request reads or writes the region until it is released. If `verified`, a hash
  // of the bytes is kept, to detect changes by the program; only the request's own message may change the bytes.
  void take(std::uint32_t request, const MemoryRegion& region, bool writes, bool verified);

  // Report a finding if a pending request owns memory that the running rank's operation `call` reads or writes. For
  // operations that end before the rank continues: the program cannot change the memory meanwhile, so nothing is
  // recorded.
  void look(const char* call, const MemoryRegion& region, bool writes);

  // before_arrival, called before the bytes of a message are written into the request's buffer, checks that the program
  // has not changed the buffer. after_arrival, called when they have been written, takes the new contents as the
  // unchanged ones.
  void before_arrival(std::uint32_t request);
  void after_arrival(std::uint32_t request);
  void release(std::uint32_t request);

 private:
  struct Area {
    OwnedMemory::Areas::iterator place;
    bool writes, verified;
    std::uint64_t hash;
  };
  struct Record {
    // Sequence number of the request that owns the memory. It identifies the request, because request numbers are
    // reused.
    std::uint64_t sequence = 0;
    std::uint32_t site = kNowhere;
    std::int32_t areas = 0;
    Area area[2];  // for a collective: its send buffer and its receive buffer
  };

  Record* find(std::uint32_t request);
  OwnedMemory& memory_of(RankId rank);
  std::uint32_t find_owner(RankId rank, const MemoryRegion& region, bool writes);
  void compare(std::uint32_t request, const Area& area) const;

  std::vector<Record> records_;     // indexed by request
  std::deque<OwnedMemory> memory_;  // indexed by rank; a deque, so that elements do not move when ranks are added
};

// Name of the MPI function that started a request.
const char* call_of(std::uint32_t request);

}  // namespace pysmpi
