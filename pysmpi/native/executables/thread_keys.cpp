// Keys of thread-specific data (pthread_key_create). A process has 1,024 of them, and each rank's copy of a library
// creates its own: libgfortran has two. So copies of different ranks get the same keys. Their values are exchanged with
// all other thread-local state whenever another rank runs (isolation/thread_storage.cpp).
//
// Example: on rank 0, libgfortran creates a key whose values are freed by free(), and the program one without
// destructor. On rank 1, both get the same two keys.
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

// A key of a rank is the first shared one with its destructor that the rank does not have yet. Destructors in a copy of
// a library have another address in each rank, so their keys are never shared.
int create_key(pthread_key_t* key, KeyDestructor destructor) {
  Process* const process = running_process();
  if (!process) return pthread_key_create(key, destructor);
  std::vector<pthread_key_t>& own = process->thread_keys;
  const auto is_free = [&](const SharedKey& each) {
    return each.destructor == destructor && std::ranges::find(own, each.key) == own.end();
  };
  const auto found = std::ranges::find_if(shared_keys, is_free);
  if (found != shared_keys.end()) {
    *key = found->key;
  } else if (const int error = create_followed_key(key, destructor)) {
    record_refusal(
        "a process has at most 1024 keys of thread-specific data (pthread_key_create), which the ranks share");
    return error;
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

std::span<const Replacement> functions_of_thread_keys() {
  static const std::array all = {
      Replacement{"pthread_key_create", create_key},
      Replacement{"__pthread_key_create", create_key},
      Replacement{"pthread_key_delete", delete_key},
  };
  return all;
}

}  // namespace pysmpi
