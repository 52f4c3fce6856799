// Error codes, their texts, and the treatment of failed MPI functions.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/simulation_part.hpp"

namespace pysmpi {

// A code made by `fail` contains the error class in the low 7 bits and the number of a stored text from bit 8 on. Codes
// and classes added by a program are larger than MPI_ERR_LASTCODE (0x3fffffff).
inline constexpr int kErrorClassMask = 0x7f;
inline constexpr int kErrorTextShift = 8;
inline constexpr int kErrorLastPredefined = 0x3fffffff;

// Result of every MPI call of a rank that is being stopped; no error handler is called. Its class is
// MPI_ERR_PROC_ABORTED.
inline constexpr int kErrorStopped = 76;

inline constexpr int kErrorTruncate = 14;               // MPI_ERR_TRUNCATE
inline constexpr std::int32_t kCommWorld = 0x44000000;  // MPI_COMM_WORLD
inline constexpr std::int32_t kCommSelf = 0x44000001;   // MPI_COMM_SELF

// Reports a failed MPI function of the running rank. Creates an error code with a text such as "MPI_Send: invalid rank
// 7; valid: 0 to 3 and MPI_PROC_NULL (MPI_ERR_RANK)", calls the communicator's error handler and returns the code.
// With MPI_COMM_NULL or a freed communicator, MPI_COMM_SELF's handler is called. The format is printf's.
[[gnu::format(printf, 4, 5)]] int fail(std::int32_t communicator, int error_class, const char* function,
                                       const char* format, ...);

// Creates an error code as fail does, but calls no error handler. Such codes go into MPI_ERROR of a status, or to a
// handler later.
[[gnu::format(printf, 3, 4)]] int make_error_code(int error_class, const char* function, const char* format, ...);

// Calls the communicator's error handler in the running rank with an existing code, and returns the code.
int raise_error(std::int32_t communicator, int code);

// Calls the file's error handler (file 0: MPI_FILE_NULL) in the running rank with an existing code, and returns the
// code. The handler gets the address of a variable with the file's handle.
int raise_file_error(std::intptr_t file, int code);

// Let failures of a function with the class of this name ("MPI_ERR_ARG") have another one, as in the MPI library that
// is followed (pysmpi/simulation/settings/mpi_libraries/error_classes.py). Return false if a class is unknown.
bool set_error_class(const char* function, const char* error_class, const char* other);
void reset_error_classes();

int error_class(int code);  // MPI_ERR_UNKNOWN for an unknown code
std::string error_text(int code);

// add_error_class and add_error_code add an error class, or an error code of a class, for the running rank and return
// it. set_error_text sets the text of an added class or code. The functions return -1 if the given class or code does
// not exist.
int add_error_class();
int add_error_code(int error_class);
int set_error_text(int code, const char* text);
int last_used_code();

// Remove an added error class or code, whose text must have been removed before by setting an empty text. Return false
// if the class or code does not exist, still has a text, or has codes. Its number may be reused.
bool remove_error_class(int error_class);
bool remove_error_code(int code);

// Error classes and codes that ranks have added.
struct AddedErrors : SimulationPart<AddedErrors> {
  struct Added {
    int error_class = 0;  // its own number for a class, 0 if removed
    int codes = 0;        // number of codes that have been added to it
    std::string text;
  };
  struct OfRank {
    std::vector<Added> added;  // numbered from MPI_ERR_LASTCODE + 1 on
    std::vector<int> removed;  // indices of removed entries
  };
  std::unordered_map<int, OfRank> by_rank;  // running rank; looked up, never iterated
};

}  // namespace pysmpi
