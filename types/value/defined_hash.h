// Keys that a hash function of users' own makes: support function 1 of a hash operator class. A key is the hash, as in
// PostgreSQL: values that the class's operator calls equal have one hash, others may have it too, so whoever looks for a key
// asks the operator of each row that has it. A function and an operator that contradict each other find what both agree on.
// Thread safety: as DefinedKeys.
#pragma once

#include "types/value/defined_key.h"

namespace indigo::types {

class DefinedHash final : public DefinedKeys {
 public:
  DefinedHash(ClassCalls& calls, ClassFunction function) : DefinedKeys(calls), function_(function) {}

  bool ordered() const override { return false; }
  int compare(const Datum& a, const Datum& b) const override;
  void append_key(const Datum& value, Labels labels, std::string& out) const override;
  std::unique_ptr<DefinedKeys> renewed() const override { return std::make_unique<DefinedHash>(calls(), function_); }

 private:
  int32_t hash(const Datum& value) const;

  const ClassFunction function_;
};

}  // namespace indigo::types
