/* Reads command lines from a file, one a line, and prints what getopt and its long forms find in them. */
#ifdef HAS_MPI
#include <mpi.h>
#endif
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void scan(char kind, char** words, int count, const char* options) {
  int flag = 0, index = -1, found;
  struct option long_options[] = {{"alpha", no_argument, NULL, 'a'},       {"alphabet", required_argument, NULL, 'B'},
                                  {"beta", required_argument, NULL, 'b'},  {"gamma", optional_argument, NULL, 'g'},
                                  {"flag", no_argument, &flag, 5},         {"c", no_argument, NULL, 'C'},
                                  {NULL, 0, NULL, 0}};
  opterr = 0;
  do {
    found = kind == 's'   ? getopt(count, words, options)
            : kind == 'l' ? getopt_long(count, words, options, long_options, &index)
                          : getopt_long_only(count, words, options, long_options, &index);
    printf(" [%d %s %d %d %d %d]", found, optarg ? optarg : "-", optind, found == '?' ? optopt : 0, flag, index);
#ifdef HAS_MPI
    if (found == 'b') MPI_Barrier(MPI_COMM_WORLD);
#endif
  } while (found != -1);
  for (int i = 0; i < count; ++i) printf(" %s", words[i]);
  printf("\n");
}

int main(int argc, char** argv) {
#ifdef HAS_MPI
  MPI_Init(&argc, &argv);
#endif
  FILE* file = fopen(argv[1], "r");
  char line[1000];
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = '\0';
    char *words[40], *rest = line, *options, kind;
    int count = 0;
    kind = strtok_r(rest, " ", &rest)[0];
    options = strtok_r(NULL, " ", &rest);
    words[count++] = "program";
    for (char* word; (word = strtok_r(NULL, " ", &rest));) words[count++] = word;
    words[count] = NULL;
    scan(kind, words, count, options);
    optind = 0;
  }
#ifdef HAS_MPI
  MPI_Finalize();
#endif
  return 0;
}
