// Access to bytes that others may be changing: leaves are read without a latch and validated afterwards.
// A writer holds the latch; a reader copies, and trusts the copy only after OptimisticLatch::validate.
//
// In ordinary builds these are plain word and memcpy accesses. ThreadSanitizer cannot see that validation discards what
// a race produced, so there every access is an acquire or release atomic, which is what it can check. So are addresses
// everywhere: who follows one before he has validated it finds what it names complete, on machines that reorder stores, too.
// Source: Boehm, Can seqlocks get along with programming language memory models (MSPC 2012).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace indigo::storage {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kThreadSanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool kThreadSanitizer = true;
#else
inline constexpr bool kThreadSanitizer = false;
#endif
#else
inline constexpr bool kThreadSanitizer = false;
#endif

// Aligned words.
template <class T>
T load_shared(const T* p) {
  return __atomic_load_n(p, kThreadSanitizer || std::is_pointer_v<T> ? __ATOMIC_ACQUIRE : __ATOMIC_RELAXED);
}
template <class T>
void store_shared(T* p, T v) {
  __atomic_store_n(p, v, kThreadSanitizer || std::is_pointer_v<T> ? __ATOMIC_RELEASE : __ATOMIC_RELAXED);
}

inline void copy_from_shared(void* to, const void* from, size_t n) {
  if constexpr (kThreadSanitizer) {
    for (size_t i = 0; i < n; i++) static_cast<char*>(to)[i] = load_shared(static_cast<const char*>(from) + i);
  } else if (n > 0) {
    std::memcpy(to, from, n);
  }
}

inline void copy_to_shared(void* to, const void* from, size_t n) {
  if constexpr (kThreadSanitizer) {
    for (size_t i = 0; i < n; i++) store_shared(static_cast<char*>(to) + i, static_cast<const char*>(from)[i]);
  } else if (n > 0) {
    std::memcpy(to, from, n);
  }
}

// Within one leaf, by its latch holder; the ranges may overlap.
inline void move_shared(void* to, const void* from, size_t n) {
  if constexpr (kThreadSanitizer) {
    auto* t = static_cast<char*>(to);
    auto* f = static_cast<const char*>(from);
    if (t < f) {
      for (size_t i = 0; i < n; i++) store_shared(t + i, load_shared(f + i));
    } else {
      for (size_t i = n; i > 0; i--) store_shared(t + i - 1, load_shared(f + i - 1));
    }
  } else {
    std::memmove(to, from, n);
  }
}

// memcmp of bytes that others may be changing with bytes that are constant.
inline int compare_shared(const void* shared, const void* own, size_t n) {
  if constexpr (kThreadSanitizer) {
    for (size_t i = 0; i < n; i++) {
      auto a = load_shared(static_cast<const unsigned char*>(shared) + i);
      auto b = static_cast<const unsigned char*>(own)[i];
      if (a != b) return a < b ? -1 : 1;
    }
    return 0;
  } else {
    return std::memcmp(shared, own, n);
  }
}

}  // namespace indigo::storage
