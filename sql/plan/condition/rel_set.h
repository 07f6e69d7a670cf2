// A set of the base relations of one query level, as bits. At most 256 (kMaxRels); the planner refuses more.
// Thread safety: values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace indigo::sql::planning {

inline constexpr int kMaxRels = 256;

class RelSet {
 public:
  constexpr RelSet() = default;
  static constexpr RelSet one(int rel) {
    RelSet out;
    out.words_[word_of(rel)] = bit_of(rel);
    return out;
  }
  // The relations below 64 of these bits.
  static constexpr RelSet of_bits(uint64_t bits) {
    RelSet out;
    out.words_[0] = bits;
    return out;
  }

  constexpr bool empty() const {
    uint64_t any = 0;
    for (const uint64_t w : words_) any |= w;
    return any == 0;
  }
  constexpr int count() const {
    int n = 0;
    for (const uint64_t w : words_) {
      if (w != 0) n += std::popcount(w);  // a call, and most words are empty
    }
    return n;
  }
  constexpr int first() const { return next(0); }
  constexpr bool has(int rel) const { return (words_[word_of(rel)] & bit_of(rel)) != 0; }
  constexpr bool contains(const RelSet& o) const {
    uint64_t missing = 0;
    for (size_t i = 0; i < kWords; i++) missing |= o.words_[i] & ~words_[i];
    return missing == 0;
  }
  constexpr bool overlaps(const RelSet& o) const {
    uint64_t shared = 0;
    for (size_t i = 0; i < kWords; i++) shared |= o.words_[i] & words_[i];
    return shared != 0;
  }
  constexpr RelSet operator|(const RelSet& o) const {
    RelSet out = *this;
    return out |= o;
  }
  constexpr RelSet operator&(const RelSet& o) const {
    RelSet out;
    for (size_t i = 0; i < kWords; i++) out.words_[i] = words_[i] & o.words_[i];
    return out;
  }
  constexpr RelSet operator-(const RelSet& o) const {
    RelSet out;
    for (size_t i = 0; i < kWords; i++) out.words_[i] = words_[i] & ~o.words_[i];
    return out;
  }
  constexpr RelSet& operator|=(const RelSet& o) {
    for (size_t i = 0; i < kWords; i++) words_[i] |= o.words_[i];
    return *this;
  }
  friend constexpr bool operator==(const RelSet&, const RelSet&) = default;

  // The relations below 64, as bits.
  constexpr uint64_t bits() const { return words_[0]; }
  size_t hash() const {
    size_t h = 0;
    for (const uint64_t w : words_) h = (h ^ w) * 0x9e3779b97f4a7c15;
    return h ^ h >> 32;
  }
  struct Hash {
    size_t operator()(const RelSet& s) const { return s.hash(); }
  };

  // for (int rel : set)
  struct Iterator {
    const RelSet* set;
    int at;
    int operator*() const { return at; }
    Iterator& operator++() {
      at = set->next(at + 1);
      return *this;
    }
    bool operator!=(const Iterator& o) const { return at != o.at; }
  };
  Iterator begin() const { return {this, next(0)}; }
  Iterator end() const { return {this, kMaxRels}; }

 private:
  static constexpr size_t kWords = kMaxRels / 64;
  static constexpr size_t word_of(int rel) { return static_cast<size_t>(rel) / 64; }
  static constexpr uint64_t bit_of(int rel) { return uint64_t{1} << (static_cast<unsigned>(rel) % 64); }

  // The first relation from `rel` on; kMaxRels: none.
  constexpr int next(int rel) const {
    if (rel >= kMaxRels) return kMaxRels;
    size_t i = word_of(rel);
    uint64_t w = words_[i] & ~(bit_of(rel) - 1);
    while (w == 0) {
      if (++i == kWords) return kMaxRels;
      w = words_[i];
    }
    return static_cast<int>(i) * 64 + std::countr_zero(w);
  }

  std::array<uint64_t, kWords> words_{};
};

}  // namespace indigo::sql::planning
