#include "base/fiber/fiber.h"

#include "base/fiber/no_suspension.h"
#include "base/memory/memory_reserve.h"

namespace indigo {

Fiber::Fiber(StackMemory stack, std::function<void()> body) : stack_(std::move(stack)), body_(std::move(body)) {
  context_.prepare(stack_.bounds(), &Fiber::enter, this);
}

void Fiber::enter(void* self) {
  auto* fiber = static_cast<Fiber*>(self);
  fiber->body_();
  fiber->finished_ = true;
  switch_context(fiber->context_, fiber->resumer_, true);
}

void Fiber::resume() {
  const int depth = MustNotFail::suspend();
  switch_context(resumer_, context_);
  MustNotFail::resume(depth);
}

void Fiber::suspend() {
  NoSuspension::check();
  const int depth = MustNotFail::suspend();
  switch_context(context_, resumer_);
  MustNotFail::resume(depth);
}

void Fiber::trim() {
  constexpr size_t kRedZone = 4096;
  stack_.trim(stack_.bounds().high - context_.suspended_at() + kRedZone);
}

}  // namespace indigo
