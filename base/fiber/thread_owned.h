// What a thread keeps for itself from its first use until its end. Like thread_local with a destructor, but taking no memory for
// that: the C library ends the process when it has none to remember the destructor.
//
// Declared constinit thread_local. Thread safety: a thread's own; get() is called in functions that are not inlined into what may
// change threads. Invariants:
// 1. Objects are destroyed in the reverse order of their making, when the thread ends.
// 2. Threads that begin with begin_thread() (thread_start.h) have the list's end registered by it; another one registers it at the
//    first get().
#pragma once

#include <new>

namespace indigo {

class ThreadEnd {
 public:
  struct Owned {
    Owned* next = nullptr;
    void (*destroy)(Owned* self) = nullptr;
  };
  static void prepare();
  static void add(Owned& owned);
};

template <class T>
class ThreadOwned : private ThreadEnd::Owned {
 public:
  constexpr ThreadOwned() = default;

  T& get() {
    T* object = std::launder(reinterpret_cast<T*>(storage_));
    if (destroy != nullptr) return *object;
    object = new (storage_) T();
    destroy = [](Owned* self) { std::launder(reinterpret_cast<T*>(static_cast<ThreadOwned*>(self)->storage_))->~T(); };
    ThreadEnd::add(*this);
    return *object;
  }

 private:
  alignas(T) unsigned char storage_[sizeof(T)] = {};
};

}  // namespace indigo
