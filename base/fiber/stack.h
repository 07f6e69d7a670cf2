// How deep the running stack may still go, and a large stack for code that cannot be asked to stop.
//
// Deep recursion anywhere (analyzer, planner, expressions, JSON) calls check_stack_depth() once per level and returns
// its error: SQLSTATE 54001, never a crash. The limit leaves kStackReserve bytes for callees that do not check.
//
// Thread safety: all functions concern the calling thread's running stack only. The bounds are a thread-local that
// the context switch (base/fiber/context.h) keeps; a thread that never switched learns its own at first use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "base/error.h"
#include "base/fiber/own_variable.h"

namespace indigo {

struct StackBounds {
  uintptr_t low = 0;   // lowest usable address
  uintptr_t high = 0;  // one past the highest
};

inline constexpr size_t kStackReserve = 512 * 1024;
inline constexpr size_t kLargeStackBytes = 64u << 20;

namespace stack_detail {
// Lowest address that checked recursion may reach; 0: not known yet.
extern thread_local constinit uintptr_t limit;
INDIGO_OWN_VARIABLE uintptr_t& own_limit() {
  address_is_found_anew();
  return limit;
}
void learn_thread_bounds();
void run_on_large_stack(void (*function)(void*), void* argument);
}  // namespace stack_detail

// Bounds of the running stack, and their replacement at a switch.
[[gnu::noinline]] StackBounds current_stack();
[[gnu::noinline]] void set_current_stack(StackBounds bounds);

// Bytes that checked recursion may still use; 0 when it must stop.
inline size_t stack_remaining() {
  if (stack_detail::own_limit() == 0) [[unlikely]]
    stack_detail::learn_thread_bounds();
  const auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0)), limit = stack_detail::own_limit();
  return here > limit ? here - limit : 0;
}

Error stack_depth_error();

inline Status check_stack_depth() {
  if (stack_remaining() == 0) [[unlikely]]
    return stack_depth_error();
  return {};
}

// Calls function() on this thread's large stack (lazily committed, kept for the next call) and returns its result. For
// libraries without a stack check. `function` must not suspend, sleep or throw; nested calls run where they are.
template <class Function>
auto run_on_large_stack(Function&& function) -> std::invoke_result_t<Function&> {
  using Value = std::invoke_result_t<Function&>;
  using Plain = std::remove_reference_t<Function>;
  if constexpr (std::is_void_v<Value>) {
    stack_detail::run_on_large_stack([](void* f) { (*static_cast<Plain*>(f))(); },
                                     const_cast<void*>(static_cast<const void*>(std::addressof(function))));
  } else {
    struct Call {
      Plain* function;
      alignas(Value) unsigned char value[sizeof(Value)];
    } call{std::addressof(function), {}};
    stack_detail::run_on_large_stack(
        [](void* c) {
          auto* call = static_cast<Call*>(c);
          new (call->value) Value((*call->function)());
        },
        &call);
    auto* value = std::launder(reinterpret_cast<Value*>(call.value));
    Value result = std::move(*value);
    value->~Value();
    return result;
  }
}

}  // namespace indigo
