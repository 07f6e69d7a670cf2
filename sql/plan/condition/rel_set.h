// A set of the base relations of one query level, as bits. At most 64 (kMaxRels); the planner refuses more.
// Thread safety: values.
#pragma once

#include <bit>
#include <cstdint>

namespace indigo::sql::planning {

inline constexpr int kMaxRels = 64;

struct RelSet {
  uint64_t bits = 0;

  constexpr RelSet() = default;
  constexpr explicit RelSet(uint64_t b) : bits(b) {}
  static constexpr RelSet one(int rel) { return RelSet(uint64_t{1} << rel); }
  constexpr bool empty() const { return bits == 0; }
  constexpr int count() const { return std::popcount(bits); }
  constexpr int first() const { return std::countr_zero(bits); }
  constexpr bool has(int rel) const { return (bits >> rel & 1) != 0; }
  constexpr bool contains(RelSet o) const { return (o.bits & ~bits) == 0; }
  constexpr bool overlaps(RelSet o) const { return (bits & o.bits) != 0; }
  constexpr RelSet operator|(RelSet o) const { return RelSet(bits | o.bits); }
  constexpr RelSet operator&(RelSet o) const { return RelSet(bits & o.bits); }
  constexpr RelSet operator-(RelSet o) const { return RelSet(bits & ~o.bits); }
  RelSet& operator|=(RelSet o) {
    bits |= o.bits;
    return *this;
  }
  friend constexpr bool operator==(RelSet, RelSet) = default;

  // for (int rel : set)
  struct Iterator {
    uint64_t rest;
    int operator*() const { return std::countr_zero(rest); }
    Iterator& operator++() {
      rest &= rest - 1;
      return *this;
    }
    bool operator!=(const Iterator& o) const { return rest != o.rest; }
  };
  Iterator begin() const { return {bits}; }
  Iterator end() const { return {0}; }
};

}  // namespace indigo::sql::planning
