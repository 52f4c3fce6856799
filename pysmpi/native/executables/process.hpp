// State that the C library keeps once in a process, for each rank that runs an executable.
#pragma once

#include <pthread.h>
#include <search.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/simulation_part.hpp"
#include "base/types.hpp"
#include "executables/fortran_constants.hpp"
#include "executables/image.hpp"
#include "executables/standard_streams.hpp"

namespace pysmpi {

// State of getopt, beside the four variables that the program sees.
struct OptionScan {
  const char* rest = nullptr;  // options that are still to be read in a word such as "-abc"
  int first = 1, end = 1;      // words between the options read and those to be read, which are not options
};

// State of rand and random, of drand48, and of what the system gives (getrandom), as at the beginning of a process.
struct RandomState {
  explicit RandomState(RankId rank);
  std::int32_t table[32] = {};  // numbers of `additive`, which has 31 of them (TYPE_3), after a word of its own
  random_data additive{};
  drand48_data congruential{};
  std::uint64_t from_system;
};

struct Process {
  explicit Process(RankId rank) : rank(rank), random(rank) {}

  int id() const { return 100'000 + rank; }  // as PID_OF_RANK_0 in simulation/isolation/process.py

  RankId rank;
  std::vector<std::string> words, variables;  // command line and environment
  std::vector<char*> arguments, environment;  // pointers to their texts, followed by a null pointer
  std::string host;
  int cores = 1;
  std::vector<Image> images;  // the executable, then its libraries, each before those that it calls
  int status = 0;             // of its exit

  // Variables of the C library that programs use. A program that has these variables itself uses those instead.
  char* option_argument = nullptr;
  int option_index = 1, option_error = 1, option_character = '?';
  char** environment_variable = nullptr;
  char *program_name = nullptr, *short_name = nullptr;
  OptionScan options;

  RandomState random;
  char* token = nullptr;                                     // of strtok
  hsearch_data table{};                                      // of hsearch
  std::vector<void (*)(void*)> at_quick_exit;                // functions for quick_exit
  std::unordered_map<int, struct sigaction> signal_actions;  // by signal; only those that the program has set
  std::vector<pthread_key_t> thread_keys;                    // that the rank's copy of libgfortran has created
  std::unordered_map<int, std::string> locales;              // names that the program has set, by category
  std::unique_ptr<StandardStreams> streams;
  FortranConstants constants;
  std::vector<void*> predefined_handles;  // of Open MPI's ABI (native/abi/openmpi_handles.cpp), filled at first use

  // Return the address of a variable of the C library as the program sees it.
  template <class T>
  T& variable(const char* name, T& own) const {
    void* const found = images.front().own_symbol(name);
    return found ? *static_cast<T*>(found) : own;
  }
};

// The processes of ranks that run executables. They live until the simulation ends, because other ranks may refer to
// their variables: in windows, for example.
struct Processes : SimulationPart<Processes> {
  Processes() = default;

  std::vector<std::unique_ptr<Process>> of_ranks;  // indexed by rank; null for ranks that run something else
  std::uint64_t seed = 0;  // --seed; ranks draw from it what a process would get from the system
  std::string problem;     // why a file could not be loaded
};

// Return the process that the caller belongs to, or null if the caller is not a rank that runs an executable.
Process* running_process();

}  // namespace pysmpi
