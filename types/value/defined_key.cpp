#include "types/value/defined_key.h"

#include <utility>

#include "base/raised_error.h"
#include "types/value/defined_hash.h"
#include "types/value/defined_order.h"

namespace indigo::types {

std::unique_ptr<DefinedKeys> DefinedKeys::make(ClassCalls& calls, const ClassFunction& function) {
  if (function.hash) return std::make_unique<DefinedHash>(calls, function);
  return std::make_unique<DefinedOrder>(calls, function);
}

int32_t DefinedHash::hash(const Datum& value) const {
  Result<int32_t> result = calls().hash(function_.database, function_.function, function_.type, value);
  if (!result.ok()) throw RaisedError(std::move(*result.take_error()));
  return *result;
}

int DefinedHash::compare(const Datum& a, const Datum& b) const {
  const int32_t left = hash(a), right = hash(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

void DefinedHash::append_key(const Datum& value, Labels, std::string& out) const {
  const auto bits = static_cast<uint32_t>(hash(value));
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(bits >> shift));
}

}  // namespace indigo::types
