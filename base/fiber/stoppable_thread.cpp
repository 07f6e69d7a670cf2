#include "base/fiber/stoppable_thread.h"

#include <ctime>
#include <system_error>
#include <utility>

#include "base/fiber/long_work.h"
#include "base/fiber/thread_start.h"

namespace indigo {

StoppableThread::StoppableThread(const char* name, size_t stack_bytes, std::function<void()> body,
                                 std::function<void()> before_stop)
    : name_(name), body_(std::move(body)), before_stop_(std::move(before_stop)) {
  pthread_attr_t attributes;
  int failed = pthread_attr_init(&attributes);
  if (failed == 0) {
    if (stack_bytes > 0) failed = pthread_attr_setstacksize(&attributes, stack_bytes);
    if (failed == 0) failed = pthread_create(&thread_, &attributes, run, this);
    pthread_attr_destroy(&attributes);
  }
  if (failed != 0) throw std::system_error(failed, std::generic_category(), name);
}

StoppableThread::~StoppableThread() {
  if (ended_) return;
  if (before_stop_) before_stop_();
  pthread_cancel(thread_);
  pthread_join(thread_, nullptr);
}

void StoppableThread::wait() {
  constexpr long kBetweenLooksNs = 5'000'000;
  while (!ended_) {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += kBetweenLooksNs;
    until.tv_sec += until.tv_nsec / 1'000'000'000;
    until.tv_nsec %= 1'000'000'000;
    ended_ = pthread_timedjoin_np(thread_, nullptr, &until) == 0;
    if (!ended_) note_work(long_work::kUnitsBetweenLooks + 1);
  }
}

// Without anything to clean up, and not inlined where there is.
[[gnu::noinline]] void StoppableThread::anywhere(void (*function)(void*), void* argument) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
  function(argument);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, nullptr);
}

void* StoppableThread::run(void* self) {
  const auto& thread = *static_cast<const StoppableThread*>(self);
  begin_thread(thread.name_);
  thread.body_();
  return nullptr;
}

}  // namespace indigo
