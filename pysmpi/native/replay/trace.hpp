// A time-independent trace: what each rank of a program has done, as SMPI writes it (SimGrid 3.32, "Offline
// simulation", and src/smpi/internals/smpi_replay.cpp). Flat arrays; nothing of the text is kept but line numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace pysmpi {

enum class ActionKind : std::uint8_t {
  kInit,
  kFinalize,
  kNothing,  // the making of communicators, and places in the program: they take no time
  kSend,
  kIsend,
  kRecv,
  kIrecv,
  kSendrecv,
  kTest,
  kWait,
  kWaitall,
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kAlltoall,
  kAlltoallv,
  kGather,
  kGatherv,
  kScatter,
  kScatterv,
  kAllgather,
  kAllgatherv,
  kReduceScatter,
  kScan,
  kExscan,
  kCompute,
  kSleep,
};

// Datatypes are numbered by their lengths: nothing is ever looked at but how many bytes there are.
struct Action {
  ActionKind kind;
  std::uint8_t type = 0, other_type = 0;  // indices into kLengths: sent (or the only one), received
  std::uint32_t line = 0;
  std::int32_t peer = 0;  // partner; root; of sendrecv, of wait and test: destination
  std::int32_t tag = 0;
  std::int32_t source = 0;  // of sendrecv, wait and test
  std::int64_t count = 0;   // elements sent (or the only count); of reducescatter: where its counts begin in `numbers`
  union {
    std::int64_t other = 0;  // elements received; of vector collectives: where their counts begin in `numbers`
    double amount;           // flops of reductions and compute; seconds of sleep
  };
};

inline constexpr std::int32_t kLengths[] = {1, 2, 4, 8, 16, 32};  // bytes; a datatype of each is in replay.cpp

struct RankTrace {
  std::vector<Action> actions;
  std::vector<std::int32_t> numbers;  // counts of vector collectives
  std::uint8_t default_type = 0;      // of what names none: MPI_BYTE, or MPI_DOUBLE after `init` with a word
};

struct TextError {
  std::int64_t line = 0;  // 0: none
  std::string text;       // what is wrong, after file and line
  std::string word;       // an unknown one, which `text` is about
  std::string valid;      // what it could have been, separated by ", "
};

// Reads the text of one rank's file, or with `rank` negative that of a file that all `traces` share; false, with the
// error, when something is wrong.
bool read_trace(std::string_view text, RankId rank, std::vector<RankTrace>& traces, TextError& error);

extern const char* const kActionNames[];  // by kind, as in errors and reports

}  // namespace pysmpi
