// A flow of execution with its own stack that gives way to others by itself: suspend() returns to the caller that resumed it.
// Thread safety: none; a suspended fiber may be resumed on another thread if its frames hold nothing of the first one
// (thread-locals, locks). No suspension inside a catch block or while unwinding.
#pragma once

#include <functional>

#include "base/fiber/context.h"
#include "base/fiber/stack_memory.h"

namespace indigo {

// Address space, of which a session commits what it touches; as much as the system's own threads have. Statements may then be
// about as deep as PostgreSQL's are with its 2 MB, from smaller frames.
inline constexpr size_t kFiberStackBytes = 8u << 20;

class Fiber {
 public:
  // `stack` must not be empty. `body` must not throw.
  Fiber(StackMemory stack, std::function<void()> body);
  // Only a finished or never started fiber may be destroyed: nothing unwinds a suspended one.
  ~Fiber() = default;

  // Runs the body until it suspends or ends. Not from inside the fiber itself.
  void resume();
  // From inside: back to resume()'s caller.
  void suspend();
  bool finished() const { return finished_; }

  // While suspended: gives unused pages back (of a stack that was deep once).
  void trim();
  StackMemory take_stack() { return std::move(stack_); }

 private:
  static void enter(void* self);

  StackMemory stack_;
  std::function<void()> body_;
  ExecutionContext context_, resumer_;
  bool finished_ = false;
};

}  // namespace indigo
