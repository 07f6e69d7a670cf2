#include "base/fiber/thread_owned.h"

namespace indigo {

namespace {

struct List {
  ThreadEnd::Owned* first = nullptr;
  ~List() {
    while (first != nullptr) {
      ThreadEnd::Owned* const owned = first;
      first = owned->next;
      owned->destroy(owned);
      owned->destroy = nullptr;
    }
  }
};

// Not inlined, so that who changes threads finds each thread's own.
[[gnu::noinline]] List& list() {
  thread_local List own;
  return own;
}

}  // namespace

void ThreadEnd::prepare() { list(); }

void ThreadEnd::add(Owned& owned) {
  List& own = list();
  owned.next = own.first;
  own.first = &owned;
}

}  // namespace indigo
