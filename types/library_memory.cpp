#include "types/library_memory.h"

#include <cstdlib>

#include <openssl/crypto.h>
#include <unicode/uclean.h>

#include "base/memory/memory_reserve.h"
#include "base/once.h"

namespace indigo::types {

namespace {

// False: the library is told that there is none.
bool try_again() {
  if (!MustNotFail::active()) return return_free_memory();
  no_memory();
  return true;
}

template <class Attempt>
void* attempt_again(size_t bytes, Attempt attempt) {
  for (;;) {
    void* memory = attempt();
    if (memory != nullptr || bytes == 0 || !try_again()) return memory;
  }
}

void* allocate(size_t bytes) {
  return attempt_again(bytes, [&] { return std::malloc(bytes); });
}
void* reallocate(void* old, size_t bytes) {
  return attempt_again(bytes, [&] { return std::realloc(old, bytes); });
}

}  // namespace

void install_library_memory() {
  static Once once;
  once.call([] {
    CRYPTO_set_mem_functions([](size_t bytes, const char*, int) { return allocate(bytes); },
                             [](void* old, size_t bytes, const char*, int) { return reallocate(old, bytes); },
                             [](void* memory, const char*, int) { std::free(memory); });
    UErrorCode status = U_ZERO_ERROR;
    u_setMemoryFunctions(
        nullptr, [](const void*, size_t bytes) { return allocate(bytes); },
        [](const void*, void* old, size_t bytes) { return reallocate(old, bytes); },
        [](const void*, void* memory) { std::free(memory); }, &status);
  });
}

}  // namespace indigo::types
