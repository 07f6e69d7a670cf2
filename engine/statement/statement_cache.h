// Statements by their text with the literals lifted out (literal_scanner.h): one parse, one analysis and one plan for each
// distinct statement, not for each execution.
//
// Two steps: the key text names an Entry; an Entry knows which of the lifted literals shape the plan (LIMIT 5, ORDER BY 2),
// and finds the plan by those literals' values. Which literals shape a plan is the same for every text with this key, because
// the key contains each literal's lexical class.
// Thread safety: a StatementCache belongs to one session. Prepared statements are immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "engine/statement/literal_scanner.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

class StatementCache {
 public:
  // Cached statements at most; when full the cache starts again empty.
  static constexpr size_t kEntriesMax = 1000;
  // Of all keys: a plan takes up to a hundred times the memory of its text.
  static constexpr size_t kKeyBytesMax = 4 << 20;

  // The prepared statement for this text, or null. `generation` is what plans depend on besides the text (search_path and
  // so on); entries of another generation are not found.
  PreparedPtr find(const ScannedText& scanned, uint64_t generation);
  void insert(const ScannedText& scanned, uint64_t generation, PreparedPtr prepared);
  void erase(const ScannedText& scanned, uint64_t generation);
  void clear() {
    entries_.clear();
    key_bytes_ = 0;
  }
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::vector<bool> used;  // by literal: a parameter of the plan
    bool all_used = false;
    PreparedPtr only;  // when all_used
    absl::flat_hash_map<std::string, PreparedPtr> by_shape;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };
  static void shape_of(const ScannedText& scanned, const std::vector<bool>& used, std::string& out);

  absl::flat_hash_map<std::string, Entry, Hash, Equal> entries_;
  uint64_t generation_ = 0;
  size_t key_bytes_ = 0;
  std::string shape_;
};

}  // namespace indigo::engine
