// Calls a blocking MPI function in a catch block, and in a destructor while an exception is thrown.
#include <mpi.h>

#include <exception>
#include <stdexcept>
#include <string>

namespace {

struct Waiting {
  int* seen;
  ~Waiting() {
    MPI_Barrier(MPI_COMM_WORLD);
    *seen = std::uncaught_exceptions();
  }
};

}  // namespace

// Returns the number in the exception that is being handled after the call, or -1 if it is another one.
extern "C" int in_catch(int number) {
  try {
    throw std::runtime_error(std::to_string(number));
  } catch (const std::exception&) {
    MPI_Barrier(MPI_COMM_WORLD);
    try {
      throw;
    } catch (const std::runtime_error& same) {
      return std::stoi(same.what());
    } catch (...) {
      return -1;
    }
  }
}

// Returns the number of exceptions that are being thrown, as seen after the call.
extern "C" int while_thrown(int throws) {
  int seen = -1;
  try {
    const Waiting waiting{&seen};
    if (throws) throw 1;
  } catch (int) {
  }
  return seen;
}
