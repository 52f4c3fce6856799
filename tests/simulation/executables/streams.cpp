// Standard streams: wide characters, redirection, descriptors, input; locales and regular expressions.
#include <mpi.h>
#include <unistd.h>

#include <csetjmp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <iostream>
#include <locale>
#include <regex>
#include <string>

static sigjmp_buf back;
static void on_abort(int number) { siglongjmp(back, number); }

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  wprintf(L"%d wide %ls\n", rank, L"text");
  std::wcout << rank << L" wcout" << std::endl;
  std::cout << rank << ' ' << std::regex_replace(std::string("abc"), std::regex("b"), "X") << ' '
            << std::use_facet<std::ctype<char>>(std::locale()).toupper('a') << std::endl;
  printf("%d descriptors %d %d %d\n", rank, fileno(stdin), fileno(stdout), fileno(stderr));
  std::string line;
  bool has_line = static_cast<bool>(std::getline(std::cin, line));
  printf("%d input %d %s\n", rank, has_line, line.c_str());
  signal(SIGABRT, on_abort);
  if (sigsetjmp(back, 1) == 0) abort();
  printf("%d after abort\n", rank);
  MPI_Barrier(MPI_COMM_WORLD);
  std::string name = "own" + std::to_string(rank);
  if (!freopen(name.c_str(), "w", stdout)) return 1;
  MPI_Barrier(MPI_COMM_WORLD);
  printf("of rank %d\n", rank);
  MPI_Finalize();
  if (argc > 1) dup2(2, 1);
  return 0;
}
