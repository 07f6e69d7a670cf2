// Statements by their text with the literals lifted out (literal_scanner.h): one parse, one analysis and one plan for each
// distinct statement, not for each execution.
//
// Most statements of a test suite or a migration come once. Of a text that is new only a hash stays (Seen); who comes again is
// kept. A statement that is kept at once all the same is on probation until its text comes again: the last kOnProbation of
// those stay, so that what comes once leaves its memory to the next.
//
// A text that has come for the first time may differ from another in names of its own alone (own_names.h): that is another
// key, of an entry for all of them.
//
// Two steps: the key text names an Entry; an Entry knows which of the lifted literals shape the plan (LIMIT 5, ORDER BY 2),
// and finds the plan by those literals' values. Which literals shape a plan is the same for every text with this key, because
// the key contains each literal's lexical class.
// Thread safety: a StatementCache belongs to one session; the count of caches is the process's. Prepared statements are immutable.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
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
  // Of all sessions: a session among many keeps its part, though never fewer than kEntriesMin.
  static constexpr size_t kOfProcessMax = 32 * 1024, kEntriesMin = 64;
  static constexpr size_t kOnProbation = 32;
  static constexpr size_t kPutOff = 64;
  // Of all keys: a plan takes up to a hundred times the memory of its text.
  static constexpr size_t kKeyBytesMax = 4 << 20;

  StatementCache() { caches.fetch_add(1, std::memory_order_relaxed); }
  ~StatementCache() { caches.fetch_sub(1, std::memory_order_relaxed); }
  StatementCache(const StatementCache&) = delete;
  StatementCache& operator=(const StatementCache&) = delete;

  // The prepared statement for this text, or null. `generation` is what plans depend on besides the text (search_path and
  // so on); entries of another generation are not found.
  PreparedPtr find(const ScannedText& scanned, uint64_t generation);
  // Whether this text has come before; from now on it has.
  bool returns(const ScannedText& scanned);
  // The next `times` times that this text comes again it is not to be kept. Of the last kPutOff texts.
  void put_off(const ScannedText& scanned, uint32_t times);
  // One of these times has come.
  bool is_put_off(const ScannedText& scanned);
  void insert(const ScannedText& scanned, uint64_t generation, PreparedPtr prepared);
  // Of a text whose names are lifted, too: `free_names` are those that do not shape the plan (own_names.h).
  void insert(const ScannedText& scanned, const std::vector<bool>& free_names, uint64_t generation,
              PreparedPtr prepared);
  // Whether there is a plan for a text with this key, for whatever literals and names.
  bool knows(const ScannedText& scanned) const { return entries_.contains(std::string_view(scanned.key)); }
  void erase(const ScannedText& scanned, uint64_t generation);
  void erase_if(const std::function<bool(const Prepared&)>& wanted);
  void clear();
  size_t size() const { return entries_.size(); }
  // Of all entries.
  size_t plan_count() const { return entries_.size() + shapes_; }

 private:
  struct Entry {
    std::vector<bool> used;  // by literal: a parameter of the plan; then by lifted name: any will do
    bool all_used = false;
    PreparedPtr only;  // when all_used
    absl::flat_hash_map<std::string, PreparedPtr> by_shape;
    bool on_probation = true;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
  };
  // Hashes of keys, the newer in the place of the older: a wrong answer costs or saves a preparation.
  class Seen {
   public:
    void add(uint64_t hash);
    bool has(uint64_t hash) const;

   private:
    static constexpr size_t kPlaces = 2048;
    std::vector<uint32_t> places_;  // empty until something is added
  };
  // Makes room for one more entry on probation.
  void end_probation();
  static size_t entries_most();
  void forget_shapes(Entry& entry);
  static uint64_t hash_of(std::string_view key) { return Hash{}(key); }
  static void shape_of(const ScannedText& scanned, const std::vector<bool>& used, std::string& out);

  static inline std::atomic<size_t> caches{0};
  absl::flat_hash_map<std::string, Entry, Hash, Equal> entries_;
  std::deque<std::string> on_probation_;  // keys, oldest first; of some the entry is gone or no longer on probation
  Seen seen_;
  absl::flat_hash_map<uint64_t, uint32_t> put_off_;  // hashes of keys, and how often yet
  size_t shapes_ = 0;                                // in all by_shape
  uint64_t generation_ = 0;
  size_t key_bytes_ = 0;
  std::string shape_;
};

}  // namespace indigo::engine
