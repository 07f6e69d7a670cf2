#include "sql/parse/grammar_call.h"

#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/memory/memory_reserve.h"

// Of libpg_query, whose own header for them needs PostgreSQL's. Its thread-locals are plain C's.
extern "C" {
void pg_query_init(void);
void pg_query_exit_memory_context(void* context);
void FlushErrorState(void);
extern __thread void* TopMemoryContext;
extern __thread void* CurrentMemoryContext;
extern __thread void* PG_exception_stack;
extern __thread void* error_context_stack;

// What the library's malloc, realloc and strdup are linked to.
void* indigo_grammar_malloc(size_t bytes);
void* indigo_grammar_realloc(void* old, size_t bytes);
char* indigo_grammar_strdup(const char* text);
}

namespace {

thread_local sigjmp_buf* way_out = nullptr;

}  // namespace

void indigo::sql::grammar_memory_missing() {
  if (MustNotFail::active() || way_out == nullptr) return no_memory();
  if (!return_free_memory()) siglongjmp(*way_out, 1);
}

void* indigo_grammar_malloc(size_t bytes) {
  for (;;) {
    if (void* memory = std::malloc(bytes); memory != nullptr || bytes == 0) return memory;
    indigo::sql::grammar_memory_missing();
  }
}

void* indigo_grammar_realloc(void* old, size_t bytes) {
  for (;;) {
    if (void* memory = std::realloc(old, bytes); memory != nullptr) return memory;
    indigo::sql::grammar_memory_missing();
  }
}

char* indigo_grammar_strdup(const char* text) {
  const size_t bytes = std::strlen(text) + 1;
  return static_cast<char*>(std::memcpy(indigo_grammar_malloc(bytes), text, bytes));
}

namespace indigo::sql {

void call_grammar(void (*call)(void* argument), void* argument) {
  {
    const MustNotFail scope;  // half of it could not be repeated
    pg_query_init();
  }
  sigjmp_buf here;
  if (sigsetjmp(here, 0) == 0) {
    way_out = &here;
    call(argument);
    way_out = nullptr;
    return;
  }
  way_out = nullptr;
  PG_exception_stack = nullptr;
  error_context_stack = nullptr;
  FlushErrorState();
  if (CurrentMemoryContext != TopMemoryContext) pg_query_exit_memory_context(CurrentMemoryContext);
  throw std::bad_alloc();
}

}  // namespace indigo::sql
