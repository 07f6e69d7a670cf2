// Comparing, hashing and ordering key values: what joins, grouping, DISTINCT and sorting share.
//
// KeyOps decides for each key column whether equality is equality of its bytes (integers, text, uuid ...) or the type's own
// (numeric, floats, intervals, bpchar ...). Nulls are equal to each other here; callers that want SQL equality test nulls first.
// Thread safety: immutable after construction.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/fiber/long_work.h"
#include "engine/exec/row_store.h"
#include "types/function/registry.h"
#include "types/value/key_codec.h"

namespace indigo::engine::exec {

class Builder;

// After a walk among those that want one place of a hash table: hashes may be equal though values are not.
inline void note_steps(uint32_t steps) {
  constexpr uint32_t kFew = 32;
  if (steps > kFew) [[unlikely]]
    note_work(4 * uint64_t{steps});
}

class KeyOps {
 public:
  KeyOps() = default;
  // 42883 when a type has no equality.
  static Result<KeyOps> make(Builder& b, const std::vector<types::TypeRef>& types);

  size_t size() const { return columns_.size(); }
  // Hash of each selected row, at the row's own number in `out`.
  void hash(std::span<const Vector* const> keys, Selection selection, uint64_t* out) const;
  bool equal(std::span<const Vector* const> keys, uint32_t row, const RowStore& store, uint32_t stored_row,
             size_t first_column) const;
  bool equal(std::span<const Vector* const> a, uint32_t row_a, std::span<const Vector* const> b, uint32_t row_b) const;
  // Keys of some integers that fit into 64 bits together: equal when these are.
  bool packs() const { return packs_; }
  // The selected rows' bits, at the rows' own numbers in `out`; those of rows with a null are of no use.
  void pack(std::span<const Vector* const> keys, Selection selection, uint64_t* out) const;
  bool equal_values(size_t column, const Datum& a, const Datum& b) const;  // neither null

 private:
  struct Column {
    Phys phys;
    bool bytes;  // equality is equality of the physical value
    const types::TypeOrder* order;
    const types::Collator* collator;
  };
  template <class T>
  void hash_fixed(const Vector& v, Selection selection, bool first, uint64_t* out) const;
  bool equal_column(const Column& c, const Vector& a, uint32_t row_a, const Vector& b, uint32_t row_b) const;
  template <class T>
  void pack_fixed(const Vector& v, Selection selection, bool first, uint64_t* out) const;
  std::vector<Column> columns_;
  std::vector<std::shared_ptr<const types::Collator>> orders_;  // of users' own, with labels of these keys
  bool packs_ = false;
};

// Order-preserving byte keys of sort columns; types without an encoding are compared through their TypeOrder.
class SortOps {
 public:
  struct Direction {
    bool descending = false, nulls_first = false;
  };
  // 42883 when a type has no order.
  static Result<SortOps> make(Builder& b, const std::vector<types::TypeRef>& types,
                              const std::vector<Direction>& directions);

  size_t size() const { return columns_.size(); }
  bool encodable() const { return encodable_; }
  // encodable(): appends the row's key.
  void append(std::span<const Vector* const> keys, uint32_t row, std::string& out) const;
  int compare(const RowStore& store, uint32_t a, uint32_t b, size_t first_column) const;
  int compare(std::span<const Vector* const> keys, uint32_t row, const RowStore& store, uint32_t stored_row,
              size_t first_column) const;
  int compare_values(size_t column, const Datum& a, const Datum& b) const;  // nulls allowed

 private:
  struct Column {
    const types::TypeOrder* order;
    const types::Collator* collator;
    Direction direction;
  };
  std::vector<Column> columns_;
  std::vector<std::shared_ptr<const types::Collator>> orders_;  // as KeyOps'
  types::KeyLayout layout_;
  bool encodable_ = true;
};

// The pointers that spans of keys are made of.
inline void point_at(const Chunk& chunk, std::vector<const Vector*>& out) {
  out.clear();
  for (const Vector& v : chunk.columns) out.push_back(&v);
}

}  // namespace indigo::engine::exec
