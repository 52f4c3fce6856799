// Keys of thread-specific data (pthread_key_create) of Fortran's run-time library. A process has 1,024 keys, and each
// rank's copy of libgfortran creates two. So the copies of different ranks get the same keys, whose values are
// exchanged with all other thread-local state whenever another rank runs (isolation/thread_storage.cpp). The library
// creates its keys when it is loaded, and deletes them when it is unloaded.
//
// Example: rank 0's copy creates a key whose values are freed by free(), and one without destructor. Rank 1's copy gets
// the same two.
#include <pthread.h>

#include <algorithm>
#include <array>
#include <vector>

#include "engine/refusal.hpp"
#include "executables/functions.hpp"
#include "executables/process.hpp"
#include "isolation/thread_storage.hpp"

namespace pysmpi {

namespace {

using KeyDestructor = void (*)(void*);

struct SharedKey {
  KeyDestructor destructor;
  pthread_key_t key;
};
std::vector<SharedKey> shared_keys;  // of all ranks; they are never deleted

// A key of a rank is the first shared one with its destructor that the rank does not have yet. A destructor in the copy
// itself has another address in each rank, so its key is not shared.
int create_key(pthread_key_t* key, KeyDestructor destructor) {
  Process* const process = running_process();
  if (!process) return create_followed_key(key, destructor);
  std::vector<pthread_key_t>& own = process->thread_keys;
  const auto is_free = [&](const SharedKey& each) {
    return each.destructor == destructor && std::ranges::find(own, each.key) == own.end();
  };
  const auto found = std::ranges::find_if(shared_keys, is_free);
  if (found != shared_keys.end()) {
    *key = found->key;
  } else if (const int error = create_followed_key(key, destructor)) {
    record_refusal("a process has at most 1024 keys of thread-specific data (pthread_key_create)");
    return error;
  } else if (!is_exchanged(*key)) {
    return 0;
  } else {
    shared_keys.push_back({destructor, *key});
  }
  own.push_back(*key);
  return 0;
}

int delete_key(pthread_key_t key) {
  Process* const process = running_process();
  if (!process || std::erase(process->thread_keys, key) == 0) return pthread_key_delete(key);
  return pthread_setspecific(key, nullptr);
}

}  // namespace

std::span<const Replacement> functions_of_fortran_keys() {
  static const std::array all = {
      Replacement{"pthread_key_create", create_key},
      Replacement{"__pthread_key_create", create_key},
      Replacement{"pthread_key_delete", delete_key},
  };
  return all;
}

}  // namespace pysmpi
