// Which values of a type are equal, where a hash operator class of users' own says so and no btree class does: what grouping,
// DISTINCT, set operations and hash joins go by. A key is the value's hash and, among the values that have it, the number of the
// first one that the class's operator calls equal: keys are equal as values are, and lie in some order.
// Invariants: as DefinedOrder's, of equal values. The catalog's own keeps none; a query's does (renewed()).
// Thread safety: any thread. The functions are called under no lock, as they may wait.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "types/value/defined_key.h"

namespace indigo::types {

class DefinedEquality final : public DefinedKeys {
 public:
  // `equality` is the function of `op`, which the class has for its type on both sides.
  DefinedEquality(ClassCalls& calls, ClassFunction hash, Oid op, Oid equality)
      : DefinedKeys(calls), hash_(hash), op_(op), equality_(equality) {}

  Oid op() const { return op_; }
  bool ordered() const override { return false; }
  // Zero: equal. Else by the hashes and the images.
  int compare(const Datum& a, const Datum& b) const override;
  void append_key(const Datum& value, Labels labels, std::string& out) const override;
  std::unique_ptr<DefinedKeys> renewed() const override {
    return std::make_unique<DefinedEquality>(calls(), hash_, op_, equality_);
  }

 private:
  bool equal(const Datum& a, const Datum& b) const;
  uint32_t hash(const Datum& value) const;
  uint32_t number_of(uint32_t hash, const Datum& value, Labels labels) const;

  const ClassFunction hash_;
  const Oid op_, equality_;
  mutable std::mutex mutex_;  // guards what follows; values do not change or move
  mutable std::unordered_map<uint32_t, std::vector<std::unique_ptr<OwnedDatum>>> by_hash_;
  mutable std::unordered_map<std::string, std::string> by_image_;  // keys
};

}  // namespace indigo::types
