// A time-independent trace: the MPI actions of each rank, as SMPI writes them (SimGrid 3.32, "Offline simulation", and
// src/smpi/internals/smpi_replay.cpp). Traces are flat arrays; of the text only line numbers are kept.
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
  // Actions that take no time: creation of communicators, and source locations.
  kNothing,
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

// One action of a rank. Datatypes are represented by their size only, because replay needs nothing but the number of
// bytes.
struct Action {
  ActionKind kind;
  // Indices of datatypes in kLengths: `type` is the datatype of the data sent, or the only datatype of the action;
  // `other_type` is the datatype of the data received.
  std::uint8_t type = 0, other_type = 0;
  std::uint32_t line = 0;
  // Partner of a message, or root of a collective. In the actions `sendrecv`, `wait` and `test`, the receiver of the
  // message.
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::int32_t source = 0;  // sender, for sendrecv, wait and test
  // Number of elements sent, or the only count of the action; for reducescatter, the position of its counts in
  // `numbers`.
  std::int64_t count = 0;
  union {
    // Number of elements received; for vector collectives, the position of their counts in `numbers`.
    std::int64_t other = 0;
    double amount;  // flops of reductions and compute; seconds of sleep
  };
};

inline constexpr std::int32_t kLengths[] = {1, 2, 4, 8, 16, 32};  // bytes; replay.cpp has a datatype for each

// The trace of one rank.
struct RankTrace {
  std::vector<Action> actions;
  std::vector<std::int32_t> numbers;  // counts of vector collectives
  // Datatype of actions that name none: MPI_BYTE, or MPI_DOUBLE if `init` has an argument.
  std::uint8_t default_type = 0;
};

// An error in an input text.
struct TextError {
  std::int64_t line = 0;  // line number from 1; 0 without an error
  std::string text;       // the error, without file and line
  std::string word;       // the unknown word, if the error is about one
  std::string valid;      // valid words, separated by ", "
};

// Parse the text of one rank's file into traces[rank], or with a negative `rank` a file that all ranks share. Returns
// false, with `error` filled in, if a line is not valid.
bool read_trace(std::string_view text, RankId rank, std::vector<RankTrace>& traces, TextError& error);

extern const char* const kActionNames[];  // indexed by kind; used in errors and reports

}  // namespace pysmpi
