// Call sites: the line of the program that the running rank is executing, taken from the innermost Python frame that
// belongs neither to pysmpi nor to mpi4py.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

#include "base/simulation_part.hpp"

struct PyCodeObject;

namespace pysmpi {

// Return the number of the running rank's call site: one number for each file and line, the same on all ranks; 0 if the
// call site is outside the program. Takes some tenths of a microsecond. To be called only while the rank runs, because
// the Python frames of a suspended rank are not those of the interpreter.
std::uint32_t call_site();

const std::string& call_site_text(std::uint32_t site);  // "solve.py:12", with the path as the program was given

std::uint32_t call_site_count();  // returns a number above the numbers of all call sites

// Functions for compiled programs (executables/places.cpp); null unless ranks run some. The first returns the address
// at which the running rank's program calls MPI, or null if the rank runs Python code. The second describes an address
// as "jacobi.c:24", for which it reads debugging information. The third names it as "/home/me/jacobi+4711", by its
// offset in the file.
inline const void* (*address_in_program)() = nullptr;
inline std::string (*text_of_program_address)(const void* address) = nullptr;
inline std::string (*name_of_program_address)(const void* address) = nullptr;

// Return a hash of an MPI function (null for other calls) and of the running rank's call site. It is the same on all
// ranks, and in other processes that run the same program.
std::uint32_t hash_of_call(const char* function);

// Numbers of the program lines seen so far.
class CallSites : public SimulationPart<CallSites> {
 public:
  CallSites() = default;
  ~CallSites();

  // A position in the compiled code of a Python function.
  struct Place {
    PyCodeObject* code;  // owned, so that its address is not reused for other code
    int instruction;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const {
      return (reinterpret_cast<std::size_t>(place.code) >> 4) * 0x9e3779b97f4a7c15ULL +
             static_cast<unsigned>(place.instruction);
    }
  };

  std::unordered_map<Place, std::uint32_t, PlaceHash> known;       // looked up; iterated only to release the code
  std::unordered_map<const void*, std::uint32_t> known_addresses;  // numbers of addresses in compiled programs
  std::unordered_map<const void*, std::uint32_t> address_hashes;   // hashes of their names
  // Number of each call site, by its text (file and line), because ranks may have separate code objects for one line.
  std::unordered_map<std::string, std::uint32_t> number_of;
  std::deque<std::string> texts{std::string()};  // indexed by number
  std::deque<std::uint32_t> hashes{0};           // hashes of `texts`, indexed by number
};

}  // namespace pysmpi
