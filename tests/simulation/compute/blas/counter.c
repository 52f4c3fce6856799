// Preloaded before NumPy and SciPy: stands between their extensions and BLAS, and counts the outermost calls. The
// functions to count are in WRAPPED, a list of WRAP(symbol, place of lwork or -1, bytes of its number).
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int depth = 0;

static void* real(const char* symbol) {
  char* list = strdup(getenv("BLAS_LIBRARIES"));
  void* found = 0;
  for (char* path = strtok(list, ":"); path && !found; path = strtok(0, ":")) {
    void* library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    found = library ? dlsym(library, symbol) : 0;
  }
  free(list);
  return found;
}

static int asks_for_memory(void** arguments, int place, int bytes) {
  if (place < 0) return 0;
  return bytes == 8 ? *(int64_t*)arguments[place] == -1 : *(int32_t*)arguments[place] == -1;
}

#define WRAP(symbol, place, bytes)                                                                                  \
  long counted_##symbol = 0;                                                                                        \
  void symbol(void* a, void* b, void* c, void* d, void* e, void* f, void* g, void* h, void* i, void* j, void* k,    \
              void* l, void* m) {                                                                                   \
    static void* function = 0;                                                                                      \
    void* arguments[] = {a, b, c, d, e, f, g, h, i, j, k, l, m};                                                    \
    void* given = __builtin_apply_args();                                                                           \
    if (!function) function = real(#symbol);                                                                        \
    if (depth == 0 && !asks_for_memory(arguments, place, bytes)) ++counted_##symbol;                                \
    ++depth;                                                                                                        \
    void* result = __builtin_apply((void (*)())function, given, 384);                                               \
    --depth;                                                                                                        \
    __builtin_return(result);                                                                                       \
  }
WRAPPED
