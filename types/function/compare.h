// The six comparison operators and the btree support function of a type, all made of one three-way comparison.
// Thread safety: pure templates.
#pragma once

#include <cstdint>

namespace indigo::types {

// C is int(A, B): below, equal to or above zero.
template <auto C, class F = decltype(C)>
struct Compare;
template <auto C, class A, class B>
struct Compare<C, int (*)(A, B)> {
  static bool eq(A a, B b) { return C(a, b) == 0; }
  static bool ne(A a, B b) { return C(a, b) != 0; }
  static bool lt(A a, B b) { return C(a, b) < 0; }
  static bool le(A a, B b) { return C(a, b) <= 0; }
  static bool gt(A a, B b) { return C(a, b) > 0; }
  static bool ge(A a, B b) { return C(a, b) >= 0; }
  static int32_t cmp(A a, B b) { return C(a, b); }
  static A larger(A a, B b) { return C(a, b) > 0 ? a : b; }
  static A smaller(A a, B b) { return C(a, b) < 0 ? a : b; }
};

template <class A, class B = A>
int three_way(A a, B b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

}  // namespace indigo::types
