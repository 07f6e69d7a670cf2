// A thread that computes for its owner and may be stopped: what a library does may take hours, and looks at nothing meanwhile.
//
//   StoppableThread thread("crypt", 0, [&] { StoppableThread::anywhere(function, &argument); });
//   thread.wait();
//
// 1. Where it may be stopped anywhere it takes no lock, makes and frees no memory that outlives it, and has no local whose
//    address is taken: the address sanitizer would keep its marks. Elsewhere it is stopped only where it waits for the system.
// 2. Its owner waits for its end in any case: what it refers to lives longer.
// 3. The frame that is stopped there unwinds. A function with something to clean up knows of its calls only: at any other of its
//    instructions unwinding ends the process. So where the thread may be stopped anywhere runs C, or C++ without destructors and
//    handlers; what needs them runs in a function of its own that is called while the thread may not (PTHREAD_CANCEL_DEFERRED).
// Thread safety: an object belongs to the thread that has made it; anywhere() is called by the new one.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>

namespace indigo {

class StoppableThread {
 public:
  // `body` throws nothing, but what stops it unwinds it. `stack_bytes` 0: the system's choice. `before_stop` is called by the owner
  // before it stops the thread. Throws std::system_error when there is no thread.
  StoppableThread(const char* name, size_t stack_bytes, std::function<void()> body,
                  std::function<void()> before_stop = {});
  StoppableThread(const StoppableThread&) = delete;
  StoppableThread& operator=(const StoppableThread&) = delete;
  ~StoppableThread();

  // Until its end. Looks at interrupts meanwhile and throws what note_work throws.
  void wait();

  // Runs the function where the thread may be stopped anywhere. By the new thread.
  static void anywhere(void (*function)(void*), void* argument);

 private:
  static void* run(void* self);

  const char* const name_;
  const std::function<void()> body_, before_stop_;
  pthread_t thread_{};
  bool ended_ = false;
};

}  // namespace indigo
