// Error classes, texts of failures, and codes added by programs.
#include "objects/errors.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <unordered_map>
#include <vector>

#include "base/library_behaviour.hpp"
#include "engine/c_api.h"
#include "objects/error_handler.hpp"

namespace pysmpi {
namespace {

constexpr int kErrUnknown = 13;

struct ErrorClass {
  int number;
  const char* name;
  const char* meaning;
};

// Numbers are those of MPICH's ABI (native/mpi/mpi.h), meanings those of MPI 4.1, section 9.4.
constexpr std::array kErrorClasses = std::to_array<ErrorClass>({
    {0, "MPI_SUCCESS", "no error"},
    {1, "MPI_ERR_BUFFER", "invalid buffer pointer"},
    {2, "MPI_ERR_COUNT", "invalid count"},
    {3, "MPI_ERR_TYPE", "invalid datatype"},
    {4, "MPI_ERR_TAG", "invalid tag"},
    {5, "MPI_ERR_COMM", "invalid communicator"},
    {6, "MPI_ERR_RANK", "invalid rank"},
    {7, "MPI_ERR_ROOT", "invalid root"},
    {8, "MPI_ERR_GROUP", "invalid group"},
    {9, "MPI_ERR_OP", "invalid reduction operation"},
    {10, "MPI_ERR_TOPOLOGY", "invalid topology"},
    {11, "MPI_ERR_DIMS", "invalid dimension"},
    {12, "MPI_ERR_ARG", "invalid argument"},
    {13, "MPI_ERR_UNKNOWN", "unknown error"},
    {14, "MPI_ERR_TRUNCATE", "message truncated"},
    {15, "MPI_ERR_OTHER", "other error"},
    {16, "MPI_ERR_INTERN", "internal error"},
    {17, "MPI_ERR_IN_STATUS", "see the error codes in the statuses"},
    {18, "MPI_ERR_PENDING", "request pending"},
    {19, "MPI_ERR_REQUEST", "invalid request"},
    {20, "MPI_ERR_ACCESS", "permission denied"},
    {21, "MPI_ERR_AMODE", "invalid file access mode"},
    {22, "MPI_ERR_BAD_FILE", "invalid file name"},
    {23, "MPI_ERR_CONVERSION", "data conversion failed"},
    {24, "MPI_ERR_DUP_DATAREP", "data representation already registered"},
    {25, "MPI_ERR_FILE_EXISTS", "file exists"},
    {26, "MPI_ERR_FILE_IN_USE", "file in use"},
    {27, "MPI_ERR_FILE", "invalid file handle"},
    {28, "MPI_ERR_INFO", "invalid info"},
    {29, "MPI_ERR_INFO_KEY", "info key too long or empty"},
    {30, "MPI_ERR_INFO_VALUE", "info value too long or empty"},
    {31, "MPI_ERR_INFO_NOKEY", "unknown info key"},
    {32, "MPI_ERR_IO", "input or output failed"},
    {33, "MPI_ERR_NAME", "unknown service name"},
    {34, "MPI_ERR_NO_MEM", "out of memory"},
    {35, "MPI_ERR_NOT_SAME", "arguments differ between ranks"},
    {36, "MPI_ERR_NO_SPACE", "no space left"},
    {37, "MPI_ERR_NO_SUCH_FILE", "file does not exist"},
    {38, "MPI_ERR_PORT", "invalid port"},
    {39, "MPI_ERR_QUOTA", "quota exceeded"},
    {40, "MPI_ERR_READ_ONLY", "read-only file"},
    {41, "MPI_ERR_SERVICE", "invalid service name"},
    {42, "MPI_ERR_SPAWN", "cannot spawn processes"},
    {43, "MPI_ERR_UNSUPPORTED_DATAREP", "unsupported data representation"},
    {44, "MPI_ERR_UNSUPPORTED_OPERATION", "unsupported operation"},
    {45, "MPI_ERR_WIN", "invalid window"},
    {46, "MPI_ERR_BASE", "invalid base address"},
    {47, "MPI_ERR_LOCKTYPE", "invalid lock type"},
    {48, "MPI_ERR_KEYVAL", "invalid attribute key"},
    {49, "MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window"},
    {50, "MPI_ERR_RMA_SYNC", "wrong synchronisation of a window"},
    {51, "MPI_ERR_SIZE", "invalid size"},
    {52, "MPI_ERR_DISP", "invalid displacement"},
    {53, "MPI_ERR_ASSERT", "invalid assertion"},
    {55, "MPI_ERR_RMA_RANGE", "target memory is not in the window"},
    {56, "MPI_ERR_RMA_ATTACH", "memory cannot be attached"},
    {57, "MPI_ERR_RMA_SHARED", "memory cannot be shared"},
    {58, "MPI_ERR_RMA_FLAVOR", "wrong kind of window"},
    {75, "MPI_ERR_SESSION", "invalid session"},
    {76, "MPI_ERR_PROC_ABORTED", "the rank is being stopped"},
    {77, "MPI_ERR_VALUE_TOO_LARGE", "value too large"},
    {80, "MPI_ERR_ERRHANDLER", "invalid error handler"},
    {81, "MPI_ERR_ABI", "ABI error"},
    {101, "MPIX_ERR_PROC_FAILED", "a participating process has failed"},
    {102, "MPIX_ERR_PROC_FAILED_PENDING", "a process that a pending receive may wait for has failed"},
    {103, "MPIX_ERR_REVOKED", "the communicator is revoked"},
    {kErrorLastPredefined, "MPI_ERR_LASTCODE", "last predefined error code"},
});

const ErrorClass* find_class(int number) {
  for (const ErrorClass& candidate : kErrorClasses) {
    if (candidate.number == number) return &candidate;
  }
  return nullptr;
}

int number_of_class(const std::string& name) {
  for (const ErrorClass& candidate : kErrorClasses) {
    if (candidate.name == name) return candidate.number;
  }
  return -1;
}

// Rules of the MPI library that ranks follow: `function` fails with the class `replacement` instead of `number`.
struct ClassRule {
  std::string function;
  int number;
  int replacement;
};
std::vector<ClassRule> class_rules;

int class_in_library(const char* function, int number) {
  if (pysmpi_running_rank() < 0) return number;
  for (const ClassRule& rule : class_rules) {
    if (rule.number == number && rule.function == function) return rule.replacement;
  }
  return number;
}

// Texts of failures. If a program ignores thousands of later errors, the text of an older code is overwritten, and
// error_text returns only the class of that code. `code` is the code whose text is currently stored.
struct StoredText {
  int code = 0;
  std::string text;
};
constexpr std::size_t kStoredTexts = 4096;
constexpr int kTextNumbers = (kErrorLastPredefined >> kErrorTextShift) - 1;
std::vector<StoredText> texts(kStoredTexts);
int next_text = 1;

using Added = AddedErrors::Added;

AddedErrors::OfRank added_outside_ranks;

AddedErrors::OfRank& added_errors() {
  const int rank = pysmpi_running_rank();
  return rank < 0 ? added_outside_ranks : AddedErrors::current().by_rank[rank];
}

Added* find_added(int code) {
  if (code <= kErrorLastPredefined) return nullptr;
  std::vector<Added>& added = added_errors().added;
  const int index = code - kErrorLastPredefined - 1;
  if (index >= static_cast<int>(added.size()) || added[index].error_class == 0) return nullptr;
  return &added[index];
}

Added& find_place(int code) { return added_errors().added[code - kErrorLastPredefined - 1]; }

// Return the number of a new entry: that of the entry that was removed last, or else the next one.
int new_code() {
  auto& [added, removed] = added_errors();
  int index = static_cast<int>(added.size());
  if (removed.empty()) {
    added.emplace_back();
  } else {
    index = removed.back();
    removed.pop_back();
  }
  return kErrorLastPredefined + 1 + index;
}

bool remove(int code, const Added& added) {
  if (!added.text.empty() || added.codes > 0) return false;
  find_place(code) = {};
  added_errors().removed.push_back(code - kErrorLastPredefined - 1);
  return true;
}

int store_text(int error_class, const char* function, const char* format, std::va_list arguments) {
  error_class = class_in_library(function, error_class);
  std::array<char, 400> message{};
  std::vsnprintf(message.data(), message.size(), format, arguments);
  const int number = next_text;
  next_text = next_text == kTextNumbers ? 1 : next_text + 1;
  const ErrorClass* known = find_class(error_class);
  const int code = (known != nullptr ? error_class : kErrUnknown) | number << kErrorTextShift;
  StoredText& place = texts[static_cast<std::size_t>(number) % kStoredTexts];
  place.code = code;
  place.text = std::string(function) + ": " + message.data() + " (" + find_class(code & kErrorClassMask)->name + ")";
  return code;
}

}  // namespace

int make_error_code(int error_class, const char* function, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int code = store_text(error_class, function, format, arguments);
  va_end(arguments);
  return code;
}

int fail(std::int32_t communicator, int error_class, const char* function, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  const int code = store_text(error_class, function, format, arguments);
  va_end(arguments);
  return raise_error(communicator, code);
}

int raise_error(std::int32_t communicator, int code) {
  if (!has_error_handler(communicator)) {  // MPI_COMM_NULL, or freed by the rank
    const bool self = library_behaviour().asks_self_first && communicator_error_handler(kCommSelf) != kErrorsAreFatal;
    communicator = self ? kCommSelf : kCommWorld;
  }
  call_error_handler(communicator_error_handler(communicator), &communicator, code);
  return code;
}

int raise_file_error(std::intptr_t file, int code) {
  call_error_handler(file_error_handler(static_cast<std::int32_t>(file)), &file, code);
  return code;
}

bool set_error_class(const char* function, const char* error_class, const char* other) {
  const ClassRule rule{function, number_of_class(error_class), number_of_class(other)};
  class_rules.push_back(rule);
  return rule.number >= 0 && rule.replacement >= 0;
}

void reset_error_classes() { class_rules.clear(); }

int error_class(int code) {
  if (const Added* added = find_added(code)) return added->error_class;
  if (code == kErrorLastPredefined) return code;
  if (code < 0 || code > kErrorLastPredefined) return kErrUnknown;
  const int number = code & kErrorClassMask;
  return find_class(number) != nullptr ? number : kErrUnknown;
}

std::string error_text(int code) {
  if (const Added* added = find_added(code)) return added->text;
  if (code > 0 && code < kErrorLastPredefined && code >> kErrorTextShift != 0) {
    const StoredText& place = texts[static_cast<std::size_t>(code >> kErrorTextShift) % kStoredTexts];
    if (place.code == code) return place.text;
  }
  const ErrorClass* known = find_class(code == kErrorLastPredefined ? code : error_class(code));
  return std::string(known->name) + ": " + known->meaning;
}

int add_error_class() {
  const int code = new_code();
  find_place(code).error_class = code;
  return code;
}

int add_error_code(int of_class) {
  if (find_added(of_class) == nullptr && find_class(of_class) == nullptr) return -1;
  const int code = new_code();
  find_place(code).error_class = of_class;
  if (Added* added = find_added(of_class)) ++added->codes;
  return code;
}

int set_error_text(int code, const char* text) {
  Added* added = find_added(code);
  if (added == nullptr) return -1;
  added->text = text;
  return 0;
}

bool remove_error_class(int error_class) {
  const Added* added = find_added(error_class);
  return added != nullptr && added->error_class == error_class && remove(error_class, *added);
}

bool remove_error_code(int code) {
  const Added* added = find_added(code);
  if (added == nullptr || added->error_class == code) return false;
  Added* of_class = find_added(added->error_class);
  if (!remove(code, *added)) return false;
  if (of_class != nullptr) --of_class->codes;
  return true;
}

int last_used_code() { return kErrorLastPredefined + static_cast<int>(added_errors().added.size()); }

}  // namespace pysmpi
