// Error codes, their texts, and what happens when an MPI function fails.
#pragma once

#include <cstdint>
#include <string>

namespace pysmpi {

// A code made by `fail` holds its error class in the low 7 bits and the number of a stored text above bit 8. Codes and
// classes that a program adds lie above MPI_ERR_LASTCODE (0x3fffffff).
inline constexpr int kErrorClassMask = 0x7f;
inline constexpr int kErrorTextShift = 8;
inline constexpr int kErrorLastPredefined = 0x3fffffff;

// What every MPI call of a rank that is being stopped returns; no error handler is called. Its class is
// MPI_ERR_PROC_ABORTED.
inline constexpr int kErrorStopped = 76;

// An MPI function has failed in the running rank: makes an error code whose text reads like "MPI_Send: invalid rank 7,
// valid are 0 to 3 and MPI_PROC_NULL (MPI_ERR_RANK)", calls the communicator's error handler in the running rank, and
// returns the code, for the function to return. MPI_COMM_NULL: errors not tied to a communicator, which go to
// MPI_COMM_SELF's handler, as do those of one that the rank has freed. The format is printf's.
[[gnu::format(printf, 4, 5)]] int fail(std::int32_t communicator, int error_class, const char* function,
                                       const char* format, ...);

// The same without a handler being called: for codes that go into MPI_ERROR of a status or to a handler later.
[[gnu::format(printf, 3, 4)]] int make_error_code(int error_class, const char* function, const char* format, ...);

// Hands an existing code to the communicator's error handler in the running rank, and returns it.
int raise_error(std::int32_t communicator, int code);

// The same of a file (0: MPI_FILE_NULL). The handler is given the address of such a number.
int raise_file_error(std::intptr_t file, int code);

int error_class(int code);  // MPI_ERR_UNKNOWN for a code that names nothing
std::string error_text(int code);

// Of the running rank: a class or code of the program's own, and the text of one. -1 when there is no such code.
int add_error_class();
int add_error_code(int error_class);
int set_error_text(int code, const char* text);
int last_used_code();

// Takes one of them away; a text is set to nothing for that. False when there is no such class or code, or it has a
// text, or codes belong to the class. Its number is not used again.
bool remove_error_class(int error_class);
bool remove_error_code(int code);

void reset_added_errors();  // forgets what ranks have added

}  // namespace pysmpi
