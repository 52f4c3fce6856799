// Whose memory requests own, and what becomes of it meanwhile: buffers that two requests share, and buffers that the
// program changes before their request is complete.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "instrumentation/check/findings.hpp"
#include "instrumentation/check/memory.hpp"

namespace pysmpi {

class Ownership {
 public:
  // Where the request was made: kNowhere where that has not been noted.
  std::uint32_t site_of(std::uint32_t request) const;
  void note_site(std::uint32_t request);

  // The running rank's request reads or writes these elements. `verified`: their bytes are not to change until it is
  // released, but by the message that it receives.
  void take(std::uint32_t request, const Elements& elements, bool writes, bool verified);

  // The same of an operation that is over before the rank goes on.
  void look(const char* call, const Elements& elements, bool writes);

  void before_arrival(std::uint32_t request);  // a message is about to be written into the buffer
  void after_arrival(std::uint32_t request);
  void release(std::uint32_t request);

 private:
  struct Area {
    OwnedMemory::Areas::iterator place;
    bool writes, verified;
    std::uint64_t hash;
  };
  struct Record {
    std::uint64_t sequence = 0;  // of the request: numbers of requests are used again
    std::uint32_t site = kNowhere;
    std::int32_t areas = 0;
    Area area[2];  // a collective's: what it sends, and what it receives
  };

  Record* find(std::uint32_t request);
  OwnedMemory& memory_of(RankId rank);
  std::uint32_t find_owner(RankId rank, const Elements& elements, bool writes);
  void compare(std::uint32_t request, const Area& area) const;

  std::vector<Record> records_;     // by request
  std::deque<OwnedMemory> memory_;  // by rank: stay where they are as ranks are added
};

// The MPI function that has begun a request.
const char* call_of(std::uint32_t request);

}  // namespace pysmpi
