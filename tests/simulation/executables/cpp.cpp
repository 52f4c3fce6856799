// C++: exceptions that are thrown while other ranks run, variables of which a process has one, streams, destructors.
#include <mpi.h>

#include <iomanip>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Counted {
  static inline int live = 0;
  Counted() { ++live; }
  ~Counted() { --live; }
};
template <class T>
struct Holder {
  static T value;
};
template <class T>
T Holder<T>::value = 5;

std::vector<int> numbers(10, 3);
static std::map<int, std::string> names{{1, "one"}};
struct AtEnd {
  ~AtEnd() { std::cout << "destroyed " << numbers.size() << ' ' << names.size() << '\n'; }
} at_end;

void work(int rank) {
  Counted counted;
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank % 2) throw std::runtime_error("odd " + std::to_string(rank));
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  numbers.resize(10 + rank);
  names[rank + 10] = "another";
  Holder<int>::value += rank;
  std::cout << std::setprecision(3 + rank);
  MPI_Barrier(MPI_COMM_WORLD);
  try {
    work(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  } catch (const std::exception& error) {
    MPI_Barrier(MPI_COMM_WORLD);
    std::cerr << "caught " << error.what() << std::endl;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  std::cout << rank << ": " << 3.14159265 << ' ' << numbers.size() << ' ' << names.size() << ' ' << Holder<int>::value
            << ' ' << Counted::live << std::endl;
  MPI_Finalize();
  if (argc > 1) throw 5;
}
