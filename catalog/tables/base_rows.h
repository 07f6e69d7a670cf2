// The constant rows below a system table.
// Thread safety: all functions are safe from any thread.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/once.h"
#include "catalog/tables/static_tables.h"
#include "catalog/types.h"

namespace indigo::storage {
struct RowRef;
}

namespace indigo::catalog {

// The encoded built-in rows of one system table, in key order. Encoded at first use.
class BaseRows {
 public:
  // Rows for which `hidden` is true are left out.
  BaseRows(const StaticTable& table, bool (*hidden)(const StaticTable& table, uint32_t row));
  const RowLayout& layout() const { return layout_; }
  const KeyLayout& key_layout() const { return key_; }
  size_t size() const { return entries().size(); }
  storage::RowRef at(size_t i) const;
  // Position of the first row whose key is >= key.
  size_t lower_bound(Bytes key) const;
  bool find(Bytes key, size_t& position) const;
  // Of memory: nothing before the first use.
  size_t bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    uint32_t key_begin, row_begin, end;
  };
  const std::vector<Entry>& entries() const;

  const StaticTable& table_;
  bool (*const hidden_)(const StaticTable& table, uint32_t row);
  RowLayout layout_;
  KeyLayout key_;
  mutable Once once_;
  mutable std::vector<Entry> entries_;
  mutable std::string bytes_;
  mutable std::atomic<size_t> memory_bytes_{0};
};

}  // namespace indigo::catalog
