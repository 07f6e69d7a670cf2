// What a correlated subquery has answered, by the values that were passed to it: many rows around ask with the same ones.
// Keys are the values' bytes, so that values which are equal but look different (1.0 and 1.00) are told apart.
// It gives up when the values hardly ever come again, or when it has grown too large.
// Thread safety: none; it belongs to one expression node of one execution.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "types/value/datum.h"

namespace indigo::engine::exec {

// Appends a value's bytes to a key: different ones for values that look different.
void append_value(const Datum& value, std::string& key);

class SubPlanCache {
 public:
  static constexpr size_t kBytesMax = size_t{16} << 20;
  static constexpr uint64_t kTrial = 2048;  // look-ups after which one in kWorthwhile must have been answered
  static constexpr uint64_t kWorthwhile = 8;

  // Forgets everything; to be called when anything else that the subquery depends on has changed.
  void clear();
  bool in_use() const { return in_use_; }

  void start_key() { key_.clear(); }
  void add_to_key(const Datum& value) { append_value(value, key_); }
  // The value for the key; null: not known.
  const Datum* find();
  void store(const Datum& value);

 private:
  std::unordered_map<std::string, OwnedDatum> values_;
  std::string key_;
  size_t bytes_ = 0;
  uint64_t asked_ = 0, answered_ = 0;
  bool in_use_ = true;
};

}  // namespace indigo::engine::exec
