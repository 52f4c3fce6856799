// Replaces rand, random, drand48 and getrandom. The first three give the numbers of the C library, whose generators can
// keep their state in memory of the caller (random_r, drand48_r). Those of getrandom follow from the seed of the run.
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "executables/functions.hpp"
#include "executables/process.hpp"

namespace pysmpi {

RandomState::RandomState(RankId rank)
    : from_system(Processes::current().seed + (static_cast<std::uint64_t>(rank) << 32)) {
  constexpr unsigned kSeedOfProcess = 1;
  initstate_r(kSeedOfProcess, reinterpret_cast<char*>(table), sizeof(table), &additive);
}

namespace {

long next_random() {
  Process* const process = running_process();
  if (!process) return random();
  std::int32_t number = 0;
  random_r(&process->random.additive, &number);
  return number;
}

int next_rand() { return static_cast<int>(next_random()); }

void seed_random(unsigned seed) {
  if (Process* const process = running_process()) {
    srandom_r(seed, &process->random.additive);
  } else {
    srandom(seed);
  }
}

// The state of random that a program keeps begins one word before the numbers.
char* begin_random_state(unsigned seed, char* state, std::size_t size) {
  Process* const process = running_process();
  if (!process) return initstate(seed, state, size);
  char* const before = reinterpret_cast<char*>(process->random.additive.state - 1);
  return initstate_r(seed, state, size, &process->random.additive) == 0 ? before : nullptr;
}
char* set_random_state(char* state) {
  Process* const process = running_process();
  if (!process) return setstate(state);
  char* const before = reinterpret_cast<char*>(process->random.additive.state - 1);
  return setstate_r(state, &process->random.additive) == 0 ? before : nullptr;
}

double next_double() {
  Process* const process = running_process();
  if (!process) return drand48();
  double number = 0.0;
  drand48_r(&process->random.congruential, &number);
  return number;
}
long next_positive() {
  Process* const process = running_process();
  if (!process) return lrand48();
  long number = 0;
  lrand48_r(&process->random.congruential, &number);
  return number;
}
long next_signed() {
  Process* const process = running_process();
  if (!process) return mrand48();
  long number = 0;
  mrand48_r(&process->random.congruential, &number);
  return number;
}
double next_double_of(unsigned short* state) {
  Process* const process = running_process();
  if (!process) return erand48(state);
  double number = 0.0;
  erand48_r(state, &process->random.congruential, &number);
  return number;
}
void seed_congruential(long seed) {
  if (Process* const process = running_process()) {
    srand48_r(seed, &process->random.congruential);
  } else {
    srand48(seed);
  }
}
unsigned short* seed_with_words(unsigned short* words) {
  Process* const process = running_process();
  if (!process) return seed48(words);
  seed48_r(words, &process->random.congruential);
  return process->random.congruential.__old_x;
}
void set_parameters(unsigned short* words) {
  if (Process* const process = running_process()) {
    lcong48_r(words, &process->random.congruential);
  } else {
    lcong48(words);
  }
}

// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t next_of(std::uint64_t& state) {
  std::uint64_t z = state += 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

void fill(Process& process, char* bytes, std::size_t count) {
  for (std::size_t done = 0; done < count; done += sizeof(std::uint64_t)) {
    const std::uint64_t number = next_of(process.random.from_system);
    std::memcpy(bytes + done, &number, std::min(sizeof number, count - done));
  }
}

ssize_t get_random_bytes(void* bytes, std::size_t count, unsigned flags) {
  Process* const process = running_process();
  if (!process) return getrandom(bytes, count, flags);
  fill(*process, static_cast<char*>(bytes), count);
  return static_cast<ssize_t>(count);
}
int get_entropy(void* bytes, std::size_t count) {
  Process* const process = running_process();
  if (!process) return getentropy(bytes, count);
  fill(*process, static_cast<char*>(bytes), count);
  return 0;
}

}  // namespace

std::span<const Replacement> functions_of_random_numbers() {
  static const std::array functions = {
      Replacement{"rand", next_rand},
      Replacement{"srand", seed_random},
      Replacement{"random", next_random},
      Replacement{"srandom", seed_random},
      Replacement{"initstate", begin_random_state},
      Replacement{"setstate", set_random_state},
      Replacement{"drand48", next_double},
      Replacement{"erand48", next_double_of},
      Replacement{"lrand48", next_positive},
      Replacement{"mrand48", next_signed},
      Replacement{"srand48", seed_congruential},
      Replacement{"seed48", seed_with_words},
      Replacement{"lcong48", set_parameters},
      Replacement{"getrandom", get_random_bytes},
      Replacement{"getentropy", get_entropy},
  };
  return functions;
}

}  // namespace pysmpi
