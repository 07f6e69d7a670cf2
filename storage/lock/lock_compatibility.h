// Which lock modes go together, for every space of locks, derived at compile time.
//
// Three facts are written down: the matrix of Gray's basic modes, the components of each row mode, and PostgreSQL's
// matrix of table modes. Row and key-value modes are tuples of basic modes, compatible when every component is.
// A mode of a table or row is a small number, LockModeCode, so that a set of modes is one 64-bit ModeMask and a conflict one
// AND. A key-value lock is held as a vector of modes (mode_vector.h); its mask says which modes occur in it, and a conflict
// of masks is looked into.
//
//   space       codes  meaning
//   kTable      1..8   TableLockMode; also kObject, and kAdvisory and kRecordQueue with kShare and kExclusive
//   kRow        0..3   RowLockMode
//   kKeyValue   -      bits 0..6 the whole's BasicMode, 7..9 the gap's N, S, X, 10 any partition's S, 11 any partition's X
//
// Source: Gray et al., Granularity of locks; Graefe and Kimura, Orthogonal key-value locking, section 3;
// PostgreSQL 15 documentation, tables 13.2 and 13.3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "storage/lock/lock_manager.h"

namespace indigo::storage {

using ModeMask = uint64_t;
constexpr ModeMask mode_bit(LockModeCode code) { return ModeMask{1} << code; }

// ---- basic modes
inline constexpr size_t kBasicModeCount = 7;

constexpr bool compatible(BasicMode a, BasicMode b) {
  constexpr bool kMatrix[kBasicModeCount][kBasicModeCount] = {
      //         N  IS IX S SIX U  X
      /* N   */ {1, 1, 1, 1, 1, 1, 1},
      /* IS  */ {1, 1, 1, 1, 1, 1, 0},
      /* IX  */ {1, 1, 1, 0, 0, 0, 0},
      /* S   */ {1, 1, 0, 1, 0, 1, 0},
      /* SIX */ {1, 1, 0, 0, 0, 0, 0},
      /* U   */ {1, 1, 0, 1, 0, 0, 0},
      /* X   */ {1, 0, 0, 0, 0, 0, 0},
  };
  return kMatrix[static_cast<size_t>(a)][static_cast<size_t>(b)];
}

// What follows from the matrix, for every mode or pair of modes: a request asks for it several times.
namespace detail {
template <class T, class Derive>
constexpr std::array<T, kBasicModeCount> of_basic_modes(Derive derive) {
  std::array<T, kBasicModeCount> all{};
  for (size_t mode = 0; mode < kBasicModeCount; mode++) all[mode] = derive(static_cast<BasicMode>(mode));
  return all;
}
template <class T, class Derive>
constexpr std::array<std::array<T, kBasicModeCount>, kBasicModeCount> of_basic_pairs(Derive derive) {
  return of_basic_modes<std::array<T, kBasicModeCount>>(
      [&](BasicMode a) { return of_basic_modes<T>([&](BasicMode b) { return derive(a, b); }); });
}

inline constexpr auto kBasicConflicts = of_basic_modes<ModeMask>([](BasicMode mode) {
  ModeMask mask = 0;
  for (size_t other = 0; other < kBasicModeCount; other++) {
    if (!compatible(mode, static_cast<BasicMode>(other))) mask |= ModeMask{1} << other;
  }
  return mask;
});
inline constexpr auto kCovers = of_basic_pairs<bool>([](BasicMode held, BasicMode mode) {
  const ModeMask conflicts = kBasicConflicts[static_cast<size_t>(mode)];
  return (conflicts & ~kBasicConflicts[static_cast<size_t>(held)]) == 0 &&
         (mode == BasicMode::kN || held != BasicMode::kN);
});
inline constexpr auto kSupremum = of_basic_pairs<BasicMode>([](BasicMode a, BasicMode b) {
  const auto covers = [](BasicMode held, BasicMode mode) {
    return kCovers[static_cast<size_t>(held)][static_cast<size_t>(mode)];
  };
  BasicMode best = BasicMode::kX;
  for (size_t m = 0; m < kBasicModeCount; m++) {
    const auto mode = static_cast<BasicMode>(m);
    if (covers(mode, a) && covers(mode, b) && covers(best, mode)) best = mode;
  }
  return best;
});
}  // namespace detail

// Bit m of the answer: `mode` conflicts with BasicMode m.
constexpr ModeMask basic_conflicts(BasicMode mode) { return detail::kBasicConflicts[static_cast<size_t>(mode)]; }

// Does who holds `held` need no more to have `mode`?
constexpr bool covers(BasicMode held, BasicMode mode) {
  return detail::kCovers[static_cast<size_t>(held)][static_cast<size_t>(mode)];
}

// The weakest mode that covers both.
constexpr BasicMode supremum(BasicMode a, BasicMode b) {
  return detail::kSupremum[static_cast<size_t>(a)][static_cast<size_t>(b)];
}

// ---- rows: the key's columns and the others are two components
struct RowComponents {
  BasicMode key, others;
};
inline constexpr size_t kRowModeCount = 4;

constexpr RowComponents components(RowLockMode mode) {
  switch (mode) {
    case RowLockMode::kKeyShare: return {BasicMode::kS, BasicMode::kN};
    case RowLockMode::kShare: return {BasicMode::kS, BasicMode::kS};
    case RowLockMode::kNoKeyUpdate: return {BasicMode::kS, BasicMode::kX};
    case RowLockMode::kUpdate: break;
  }
  return {BasicMode::kX, BasicMode::kX};
}

constexpr bool compatible(RowLockMode a, RowLockMode b) {
  RowComponents x = components(a), y = components(b);
  return compatible(x.key, y.key) && compatible(x.others, y.others);
}

// ---- key values
constexpr bool compatible(const KeyValueMode& a, const KeyValueMode& b) {
  return compatible(a.whole, b.whole) && compatible(a.gap, b.gap) &&
         (a.partition_index != b.partition_index || compatible(a.partition, b.partition));
}

namespace detail {
inline constexpr int kGapBits = 7, kPartitionBits = 10;  // where they begin in a mask
constexpr size_t absolute_code(BasicMode mode) {         // N, S, X: what a component without children can have
  return mode == BasicMode::kN ? 0 : mode == BasicMode::kS ? 1 : 2;
}
constexpr BasicMode absolute_mode(size_t code) {
  return code == 0 ? BasicMode::kN : code == 1 ? BasicMode::kS : BasicMode::kX;
}
}  // namespace detail

// The bits of who may stand in the way of `mode`; of a partition's, who does has to be looked up.
constexpr ModeMask possible_conflicts(const KeyValueMode& mode) {
  ModeMask mask = basic_conflicts(mode.whole);
  if (mode.gap == BasicMode::kS) mask |= ModeMask{4} << detail::kGapBits;
  if (mode.gap == BasicMode::kX) mask |= ModeMask{6} << detail::kGapBits;
  if (mode.partition == BasicMode::kS) mask |= ModeMask{2} << detail::kPartitionBits;
  if (mode.partition == BasicMode::kX) mask |= ModeMask{3} << detail::kPartitionBits;
  return mask;
}

// ---- tables: for each mode the modes that it conflicts with (table 13.2)
inline constexpr size_t kTableModeCount = 8;
inline constexpr std::array<ModeMask, kTableModeCount + 1> kTableConflicts = [] {
  constexpr TableLockMode kFirstConflict[] = {
      // Each mode conflicts with all modes from here on, up to the strongest; the exceptions follow below.
      TableLockMode::kAccessExclusive,       // of kAccessShare
      TableLockMode::kExclusive,             // of kRowShare
      TableLockMode::kShare,                 // of kRowExclusive
      TableLockMode::kShareUpdateExclusive,  // of kShareUpdateExclusive
      TableLockMode::kRowExclusive,          // of kShare, itself excepted
      TableLockMode::kRowExclusive,          // of kShareRowExclusive
      TableLockMode::kRowShare,              // of kExclusive
      TableLockMode::kAccessShare,           // of kAccessExclusive
  };
  std::array<ModeMask, kTableModeCount + 1> conflicts{};
  for (size_t mode = 1; mode <= kTableModeCount; mode++) {
    for (size_t other = static_cast<size_t>(kFirstConflict[mode - 1]); other <= kTableModeCount; other++) {
      conflicts[mode] |= ModeMask{1} << other;
    }
  }
  conflicts[static_cast<size_t>(TableLockMode::kShare)] &= ~(ModeMask{1} << static_cast<size_t>(TableLockMode::kShare));
  return conflicts;
}();

constexpr bool compatible(TableLockMode a, TableLockMode b) {
  return (kTableConflicts[static_cast<size_t>(a)] & mode_bit(static_cast<LockModeCode>(b))) == 0;
}

// ---- all spaces
inline constexpr std::array<ModeMask, kRowModeCount> kRowConflicts = [] {
  std::array<ModeMask, kRowModeCount> conflicts{};
  for (size_t a = 0; a < kRowModeCount; a++) {
    for (size_t b = 0; b < kRowModeCount; b++) {
      if (!compatible(RowLockMode(a), RowLockMode(b))) conflicts[a] |= ModeMask{1} << b;
    }
  }
  return conflicts;
}();

// The modes that conflict with `code`, which is not of a key-value lock.
constexpr ModeMask conflicts(LockName::Space space, LockModeCode code) {
  switch (space) {
    case LockName::Space::kRow: return kRowConflicts[code];
    default: return kTableConflicts[code];
  }
}

// Weak table modes never conflict with each other, and with no mode below kShare: they take the fast path.
constexpr bool is_weak(TableLockMode mode) { return mode <= TableLockMode::kRowExclusive; }
constexpr bool is_strong(TableLockMode mode) { return mode >= TableLockMode::kShare; }

}  // namespace indigo::storage
