// How functions that are inlined into code which may go on as another thread (a fiber that was suspended) reach a variable of
// their thread: by an accessor that is declared with INDIGO_OWN_VARIABLE and begins with address_is_found_anew().
//
// On x86-64 each access names the segment register, so nothing is left to be kept. On 64-bit Arm compilers take the thread's
// pointer for a constant of the function, and keep it in a register across calls: the accessor is a call there.
#pragma once

#if defined(__x86_64__)
#define INDIGO_OWN_VARIABLE [[gnu::always_inline]] inline
#else
#define INDIGO_OWN_VARIABLE [[gnu::noinline]] inline
#endif

namespace indigo {

// The accessor's answer is no constant, so that two calls are not made one.
inline void address_is_found_anew() {
#if !defined(__x86_64__)
  asm volatile("");
#endif
}

// The address of what the C library keeps for the thread.
inline const char* own_thread_pointer() {
  const char* at = nullptr;
#if defined(__x86_64__)
  asm volatile("mov %%fs:0, %0" : "=r"(at));
#elif defined(__aarch64__)
  asm volatile("mrs %0, tpidr_el0" : "=r"(at));
#else
  at = static_cast<const char*>(__builtin_thread_pointer());
#endif
  return at;
}

}  // namespace indigo
