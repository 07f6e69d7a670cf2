// Column vectors and chunks: what operators exchange and what functions compute on.
//
// A Vector is up to kChunkRows values of one physical kind: flat data, a validity byte per row (1 = not null), or a
// constant (row 0 stands for every row). A Chunk is vectors of equal length with an optional selection: the physical
// rows that count, in order. Strings are views into an arena (or cursor) that lives at least until the producing operator is
// asked for its next chunk.
// Thread safety: none; a chunk belongs to one query.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/memory/arena.h"
#include "types/value/datum.h"
#include "types/value/physical.h"

namespace indigo {

inline constexpr uint32_t kChunkRows = 1024;

class Vector {
 public:
  Vector() = default;
  explicit Vector(Phys phys, uint32_t capacity = kChunkRows) { init(phys, capacity); }
  Vector(Vector&&) = default;
  Vector& operator=(Vector&&) = default;

  // Own, writable storage for `capacity` rows; keeps a buffer that is already large enough.
  void init(Phys phys, uint32_t capacity);
  // Borrows another vector's data (no copy); valid as long as that vector's.
  void reference(const Vector& other) {
    phys_ = other.phys_;
    constant_ = other.constant_;
    data_ = other.data_;
    valid_ = other.valid_;
    all_valid_ = other.all_valid_;
    capacity_ = 0;  // the next init() gets storage of its own
  }
  void set_constant(const Datum& d);  // strings stay borrowed

  Phys phys() const { return phys_; }
  bool is_constant() const { return constant_; }
  uint32_t capacity() const { return capacity_; }

  // Physical index of logical row r.
  uint32_t at(uint32_t r) const { return constant_ ? 0 : r; }

  template <class T>
  T* data() {
    return static_cast<T*>(data_);
  }
  template <class T>
  const T* data() const {
    return static_cast<const T*>(data_);
  }
  template <class T>
  const T& get(uint32_t r) const {
    return static_cast<const T*>(data_)[at(r)];
  }
  template <class T>
  void set(uint32_t r, const T& v) {
    static_cast<T*>(data_)[r] = v;
  }

  // Nulls. all_valid() lets loops skip the test; set_null clears it.
  bool all_valid() const { return all_valid_; }
  bool is_null(uint32_t r) const { return !all_valid_ && valid_[at(r)] == 0; }
  void set_null(uint32_t r) {
    if (all_valid_) materialize_validity();
    valid_[r] = 0;
  }
  void set_valid(uint32_t r) {
    if (!all_valid_) valid_[r] = 1;
  }
  void set_all_valid() { all_valid_ = true; }
  const uint8_t* validity() const { return all_valid_ ? nullptr : valid_; }

  Datum datum(uint32_t r) const;               // strings borrowed
  void set_datum(uint32_t r, const Datum& d);  // strings borrowed
  // Copies row `from` of `source` (strings borrowed).
  void copy_row(uint32_t to, const Vector& source, uint32_t from);

 private:
  void materialize_validity();

  Phys phys_ = Phys::kI64;
  bool constant_ = false;
  bool all_valid_ = true;
  uint32_t capacity_ = 0;
  void* data_ = nullptr;
  uint8_t* valid_ = nullptr;
  std::unique_ptr<uint64_t[]> own_;  // data, then validity
  uint32_t own_bytes_ = 0;
};

// Rows of a chunk that count. `rows == nullptr` means 0..count-1.
struct Selection {
  const uint16_t* rows = nullptr;
  uint32_t count = 0;
  uint32_t operator[](uint32_t i) const { return rows ? rows[i] : i; }
};

struct Chunk {
  std::vector<Vector> columns;
  Selection selection;  // its indices borrow from the operator that filtered
  uint32_t rows() const { return selection.count; }
};

}  // namespace indigo
